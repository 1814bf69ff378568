"""What the engine shows a pack, as plain rows: nothing raises, nothing stays wrapped."""

from pulumi.runtime.proto import analyzer_pb2 as proto

from gpuinfra.clouds.observing.values import unknown_inside
from gpuinfra.crossguard.analyzer_messages import Reader
from gpuinfra.model import UNKNOWN, Resource
from gpuinfra.pulumi_special_values import OUTPUT
from tests.crossguard.wire import LATER, SIGNATURE, asset, provider, secret, shown, stack, urn

INSTANCE = "aws:ec2/instance:Instance"
NUMBER, MAPPING = "3eeb2bf0-c639-47a8-9e75-3b44932eb421", "dd056dcd-154b-4c76-9bd3-c8f88648b5ff"
"""The engine's words for a number and a mapping that only an update knows."""


def test_a_resource_with_unknown_values_is_read_without_raising():
    inputs = {
        "__defaults": [],
        "size": NUMBER,
        "disks": [{"type": "gp3", "id": LATER, "__defaults": []}, MAPPING],
        "image": asset("a.txt"),
        "count": 3,
        "share": 0.5,
        "on": True,
        "nothing": None,
        "password": secret("hunter2"),
        "later": secret(LATER),
        "known": {SIGNATURE: OUTPUT, "value": "v", "secret": True},
        "unknown": {SIGNATURE: OUTPUT},
    }
    resource = Reader().resource(shown(INSTANCE, "one", inputs, parent="urn:parent"))
    assert resource.inputs == {
        "size": UNKNOWN,
        "disks": [{"type": "gp3", "id": UNKNOWN}, UNKNOWN],
        "image": {"path": "a.txt"},
        "count": 3,
        "share": 0.5,
        "on": True,
        "nothing": None,
        "password": "hunter2",
        "later": UNKNOWN,
        "known": "v",
        "unknown": UNKNOWN,
    }
    assert isinstance(resource.inputs["count"], int)
    assert (resource.urn, resource.name) == (urn(INSTANCE, "one"), "one")
    assert resource.parent == "urn:parent"
    assert Reader().resource(shown(INSTANCE, "one", {})).parent is None


def test_what_has_a_provider_is_custom_whatever_its_type_looks_like():
    pod, ours, other = "runpod:index:Pod", "acme:index:Pod", "acme:index/pod:Pod"
    for make, read in ((shown, Reader().resource), (stack, _of_the_whole)):
        customs = [read(make(kind, "one", {})).custom for kind in (pod, ours, other, INSTANCE)]
        assert customs == [True, False, True, True]


def _of_the_whole(resource):
    (converted,) = Reader().all_resources(proto.AnalyzeStackRequest(resources=[resource]), {})
    return converted


def region(inputs, **given):
    return Reader().resource(shown(INSTANCE, "one", inputs, given=provider(**given))).region


def test_the_resources_own_region_comes_before_its_providers():
    assert region({}, region="us-west-2") == "us-west-2"
    assert region({"region": "us-east-2"}, region="us-west-2") == "us-east-2"
    assert region({"region": LATER}, region="us-west-2") is None


def test_a_provider_says_the_account_or_what_stands_for_it():
    prod, own = provider(profile="prod"), provider(allowedAccountIds='["111111111111"]')
    own.urn = "urn:own"
    reader = Reader()
    first = reader.resource(shown(INSTANCE, "a", {}, given=prod))
    assert (first.account, first.credentials) == (None, '{"profile": "prod"}')
    assert reader.resource(shown(INSTANCE, "b", {}, given=own)).account == "111111111111"


def test_resources_of_two_providers_stand_where_each_says():
    reader = Reader()
    west = provider(region="us-west-2")
    west.urn = "urn:west"
    assert reader.resource(shown(INSTANCE, "a", {}, given=west)).region == "us-west-2"
    assert reader.resource(shown(INSTANCE, "b", {})).region == "us-east-1"


def test_unknown_values_are_found_wherever_they_are():
    assert unknown_inside({"a": [{"b": UNKNOWN}]})
    assert not unknown_inside({"a": [{"b": 1}]})


def test_the_whole_has_inputs_as_they_were_seen_outputs_and_relations():
    first_urn, other = urn(INSTANCE, "one"), urn(INSTANCE, "other")
    request = proto.AnalyzeStackRequest(
        resources=[
            stack(INSTANCE, "one", {"id": "i-1", "arn": "arn:1"}, {"subnetId": [other]}),
            stack(INSTANCE, "other", {"id": "o-1"}),
        ]
    )
    seen = Resource(urn=first_urn, type=INSTANCE, name="one", inputs={"subnetId": UNKNOWN})
    first, second = Reader().all_resources(request, {first_urn: seen})
    assert first.inputs == {"subnetId": UNKNOWN}
    assert first.outputs == {"id": "i-1", "arn": "arn:1"}
    assert first.relations == {"subnetId": (other,)}
    assert first.region == "us-east-1"
    assert second.inputs == {"id": "o-1"}, "where no inputs were seen, outputs stand in"


def test_outputs_of_the_stack_are_shown_and_its_secrets_are_not():
    outputs = {
        "plain": "p",
        "hidden": secret("s"),
        "inside": {"deep": [secret("s")]},
        "marked": {SIGNATURE: OUTPUT, "value": "v", "secret": True},
        "later": LATER,
    }
    kind = "pulumi:pulumi:Stack"
    resources = [stack(INSTANCE, "one", {"id": "i-1"}), stack(kind, "proj-dev", outputs)]
    assert Reader().outputs(proto.AnalyzeStackRequest(resources=resources)) == {
        "plain": "p",
        "hidden": UNKNOWN,
        "inside": {"deep": [UNKNOWN]},
        "marked": UNKNOWN,
        "later": UNKNOWN,
    }
    assert Reader().outputs(proto.AnalyzeStackRequest()) is None


def test_the_whole_shows_what_a_resource_waits_for():
    resource = stack("aws:ec2/instance:Instance", "node", {})
    resource.dependencies.append("urn:default")
    (converted,) = Reader().all_resources(proto.AnalyzeStackRequest(resources=[resource]), {})
    assert converted.depends_on == ("urn:default",)
