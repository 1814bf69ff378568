"""What the engine shows a policy, as plain rows: nothing raises, nothing stays wrapped."""

import pulumi
from pulumi_policy import (
    PolicyCustomTimeouts,
    PolicyProviderResource,
    PolicyResource,
    PolicyResourceOptions,
    ResourceValidationArgs,
    StackValidationArgs,
    proxy,
)

from gpuinfra.crossguard import convert
from gpuinfra.model import UNKNOWN, Resource

URN = "urn:pulumi:dev::proj::aws:ec2/instance:Instance::one"


def options(parent=None):
    return PolicyResourceOptions(False, [], None, [], PolicyCustomTimeouts(0, 0, 0), [], parent)


def provider(**inputs):
    return PolicyProviderResource(
        "pulumi:providers:aws", proxy.unknown_checking_proxy(inputs), "urn:provider", "default"
    )


def shown(inputs, given=None):
    props = proxy.unknown_checking_proxy(inputs)
    return ResourceValidationArgs(
        "aws:ec2/instance:Instance", props, URN, "one", options("urn:parent"), given, None, {}
    )


def test_a_resource_with_unknown_values_is_read_without_raising():
    inputs = {
        "__defaults": [],
        "size": proxy.UNKNOWN_NUMBER_VALUE,
        "disks": [{"type": "gp3", "id": proxy.UNKNOWN_STRING_VALUE}, proxy.UNKNOWN_OBJECT_VALUE],
        "image": pulumi.FileAsset("a.txt"),
    }
    resource = convert.one(shown(inputs, provider(region="us-west-2")))
    assert resource.inputs == {
        "size": UNKNOWN,
        "disks": [{"type": "gp3", "id": UNKNOWN}, UNKNOWN],
        "image": {"path": "a.txt"},
    }
    assert (resource.urn, resource.name, resource.parent) == (URN, "one", "urn:parent")
    assert resource.region == "us-west-2"


def test_the_resources_own_region_comes_before_its_providers():
    given = provider(region="us-west-2")
    assert convert.one(shown({"region": "us-east-2"}, given)).region == "us-east-2"
    assert convert.one(shown({"region": proxy.UNKNOWN_STRING_VALUE}, given)).region is None


def test_unknown_values_are_found_wherever_they_are():
    assert convert.unknown_inside({"a": [{"b": UNKNOWN}]})
    assert not convert.unknown_inside({"a": [{"b": 1}]})


def of_stack(urn, props, **sources):
    resource = PolicyResource(
        "aws:ec2/instance:Instance",
        proxy.unknown_checking_proxy(props),
        urn,
        urn.rpartition("::")[2],
        options(),
        provider(region="us-east-1"),
        None,
        [],
        {},
    )
    resource.property_dependencies.update(sources)
    return resource


def test_the_whole_has_inputs_as_they_were_seen_outputs_and_relations():
    other = of_stack("urn::other", {"id": "o-1"})
    one = of_stack(URN, {"id": "i-1", "arn": "arn:1"}, subnetId=[other])
    seen = Resource(urn=URN, type=one.resource_type, name="one", inputs={"subnetId": UNKNOWN})
    first, second = convert.whole(StackValidationArgs([one, other]), {URN: seen})
    assert first.inputs == {"subnetId": UNKNOWN}
    assert first.outputs == {"id": "i-1", "arn": "arn:1"}
    assert first.relations == {"subnetId": ("urn::other",)}
    assert first.region == "us-east-1"
    assert second.inputs == {"id": "o-1"}, "where no inputs were seen, outputs stand in"
