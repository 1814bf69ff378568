"""Previews, as a digest and as a stream: what will stand, and what makes them no whole stack."""

import json

import pytest

from gpuinfra import pulumi_files
from gpuinfra.errors import InputError
from gpuinfra.model import UNKNOWN
from gpuinfra.model.resource import is_of_account
from tests.pulumi_files.files import (
    INSTANCE,
    PROVIDER,
    STACK,
    UNKNOWN_TEXT,
    digest,
    entry,
    pre,
    put,
    state,
    step,
    stream,
    summary,
    urn,
)


def problem(path):
    with pytest.raises(InputError) as caught:
        pulumi_files.read(path)
    (only,) = caught.value.problems
    return only


def test_a_digest_s_resources_relations_and_region(tmp_path):
    relations = {"subnetId": [urn("net", "aws:ec2/subnet:Subnet")], "tags": None}
    made = entry(
        inputs={"subnetId": UNKNOWN_TEXT, "__defaults": []},
        propertyDependencies=relations,
        parent=urn("top", "a:b:C"),
    )
    preview = pulumi_files.read(put(tmp_path, digest(step(newState=made))))
    (resource,) = preview.resources
    assert (preview.kind, preview.name) == ("digest", "shop/dev")
    assert (resource.urn, resource.type, resource.name) == (urn("one"), INSTANCE, "one")
    assert resource.inputs == {"subnetId": UNKNOWN}
    assert resource.relations == {"subnetId": (urn("net", "aws:ec2/subnet:Subnet"),), "tags": ()}
    assert resource.parent == urn("top", "a:b:C")
    assert resource.region == "us-east-1"


def test_an_explicit_provider_says_the_region(tmp_path):
    there = f"{STACK}::pulumi:providers:aws::there"
    provider = {"urn": there, "type": "pulumi:providers:aws", "inputs": {"region": "eu-west-1"}}
    steps = [
        step("one", newState=entry(provider=f"{there}::{UNKNOWN_TEXT}")),
        {"op": "create", "urn": there, "newState": provider},
    ]
    (resource,) = pulumi_files.read(put(tmp_path, digest(*steps))).resources
    assert resource.region == "eu-west-1"


def test_an_explicit_provider_of_google_cloud_says_the_zone(tmp_path):
    here = f"{STACK}::pulumi:providers:gcp::here"
    box = f"{STACK}::gcp:compute/instance:Instance::box"
    provider = {"urn": here, "type": "pulumi:providers:gcp", "inputs": {"zone": "us-central1-f"}}
    made = entry(urn=box, type="gcp:compute/instance:Instance", provider=f"{here}::{UNKNOWN_TEXT}")
    steps = [
        {"op": "create", "urn": box, "newState": made},
        {"op": "create", "urn": here, "newState": provider},
    ]
    (resource,) = pulumi_files.read(put(tmp_path, digest(*steps))).resources
    assert (resource.region, resource.zone) == ("us-central1", "us-central1-f")


@pytest.mark.parametrize(
    ("settings", "account", "credentials"),
    [
        ({}, None, ""),
        ({"profile": "prod"}, None, '{"profile": "prod"}'),
        ({"profile": "prod", "allowedAccountIds": '["111111111111"]'}, "111111111111", None),
        ({"assumeRoles": UNKNOWN_TEXT}, None, f"{STACK}::pulumi:providers:aws::there"),
        (
            {"assumeRoles": [{"roleArn": UNKNOWN_TEXT}]},
            None,
            f"{STACK}::pulumi:providers:aws::there",
        ),
    ],
)
def test_an_explicit_provider_says_the_account(tmp_path, settings, account, credentials):
    there = f"{STACK}::pulumi:providers:aws::there"
    provider = {"urn": there, "type": "pulumi:providers:aws", "inputs": settings}
    steps = [
        step("one", newState=entry(provider=f"{there}::{UNKNOWN_TEXT}")),
        {"op": "create", "urn": there, "newState": provider},
    ]
    (resource,) = pulumi_files.read(put(tmp_path, digest(*steps))).resources
    assert resource.account == account
    assert credentials in {None, resource.credentials}


def test_a_provider_that_is_not_listed_has_not_the_default_s_region(tmp_path):
    made = entry(provider=f"{STACK}::pulumi:providers:aws::there::id")
    path = put(tmp_path, digest(step(newState=made)))
    assert pulumi_files.read(path).resources[0].region is None
    assert pulumi_files.read(path, "us-west-2").resources[0].region == "us-west-2"
    assert pulumi_files.read(path, "europe-west4").resources[0].region is None


@pytest.mark.parametrize("op", ["same", "update"])
def test_what_stays_keeps_its_id(tmp_path, op):
    old = entry(id="i-1", outputs={"arn": "arn:1"})
    preview = pulumi_files.read(put(tmp_path, digest(step(op=op, oldState=old))))
    assert preview.resources[0].outputs == {"id": "i-1", "arn": "arn:1"}
    assert preview.leaving == ()


def test_what_is_replaced_counts_as_what_it_becomes_and_stands_until_then(tmp_path):
    old = entry(id="i-1", inputs={"instanceType": "g6.xlarge"}, outputs={"arn": "arn:1"})
    preview = pulumi_files.read(put(tmp_path, digest(step(op="replace", oldState=old))))
    assert preview.resources[0].inputs == {"instanceType": "p5.48xlarge"}
    assert preview.resources[0].outputs == {}
    assert [(leaving.urn, leaving.replaced) for leaving in preview.leaving] == [(urn("one"), True)]


def test_what_is_deleted_is_out_and_said(tmp_path):
    preview = pulumi_files.read(put(tmp_path, digest(step(), step("two", "delete"))))
    assert [resource.name for resource in preview.resources] == ["one"]
    assert [(leaving.urn, leaving.replaced) for leaving in preview.leaving] == [
        (urn("two"), False)
    ]


@pytest.mark.parametrize("op", ["delete", "replace", "delete-replaced"])
def test_what_only_leaves_the_state_is_paid_for_and_said(tmp_path, op):
    old = entry("two", id="i-2", retainOnDelete=True)
    new = {} if op != "replace" else {"newState": entry("two")}
    preview = pulumi_files.read(
        put(tmp_path, digest(step(), step("two", op, oldState=old, **new)))
    )
    assert "two (kept by retainOnDelete)" in [resource.name for resource in preview.resources]
    assert preview.leaving == ()
    assert any("is not deleted (retainOnDelete)" in note for note in preview.notes)


def test_the_steps_of_one_replacement_leave_one_machine_behind(tmp_path):
    old = entry("two", id="i-2", retainOnDelete=True)
    steps = [
        step("two", "create-replacement", oldState=old, newState=entry("two")),
        step("two", "replace", oldState=old, newState=entry("two")),
        step("two", "delete-replaced", oldState=old),
    ]
    preview = pulumi_files.read(put(tmp_path, digest(*steps)))
    assert [resource.name for resource in preview.resources] == [
        "two",
        "two (kept by retainOnDelete)",
    ]
    assert len(preview.notes) == 1


def test_what_a_new_state_retains_is_retained_of_the_old_one(tmp_path):
    new = entry("two", retainOnDelete=True)
    steps = digest(step("two", "replace", oldState=entry("two", id="i-2"), newState=new))
    preview = pulumi_files.read(put(tmp_path, steps))
    assert [resource.name for resource in preview.resources] == [
        "two",
        "two (kept by retainOnDelete)",
    ]


def test_a_stream_tells_what_is_retained(tmp_path):
    old = entry("two", retainOnDelete=True)
    events = stream(pre(), pre("two", "delete", old=old), summary(create=1, delete=1))
    preview = pulumi_files.read(put(tmp_path, events))
    assert [resource.name for resource in preview.resources] == [
        "one",
        "two (kept by retainOnDelete)",
    ]


BUCKET = "aws:s3/bucket:Bucket"
VAULT = "azure-native:resources:ResourceGroup"
MACHINE = "azure-native:compute/v20240301:VirtualMachine"
CLUSTER = "aws:eks/cluster:Cluster"
SERVICE = "kubernetes:core/v1:Service"
SPACE = "kubernetes:core/v1:Namespace"
GKE = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
RELEASE = "kubernetes:helm.sh/v3:Release"


@pytest.mark.parametrize(
    ("type_", "holder", "op", "more", "left"),
    [
        (INSTANCE, BUCKET, "delete", {}, True),
        (INSTANCE, BUCKET, "delete-replaced", {}, True),
        (INSTANCE, BUCKET, "same", {}, False),
        ("aws:autoscaling/schedule:Schedule", "aws:autoscaling/group:Group", "delete", {}, False),
        (MACHINE, VAULT, "delete", {"inputs": {"resourceGroupName": "ML"}}, False),
        (MACHINE, VAULT, "delete", {"inputs": {"resourceGroupName": "other"}}, True),
        (MACHINE, VAULT, "delete", {}, True),
        (MACHINE, MACHINE, "delete", {"retainOnDelete": True}, True),
        (SERVICE, CLUSTER, "delete", {}, True),
        ("kubernetes:apps/v1:Deployment", CLUSTER, "delete", {}, False),
        ("kubernetes:karpenter.sh/v1:NodePool", CLUSTER, "delete", {}, True),
        (POOL, GKE, "delete", {"inputs": {"name": "training"}}, False),
        (POOL, GKE, "delete", {"inputs": {"name": "other"}}, True),
        (SERVICE, GKE, "delete", {}, True),
        ("kubernetes:apps/v1:Deployment", GKE, "delete", {}, False),
        (SERVICE, SPACE, "delete", {"inputs": {"metadata": {"name": "ml"}}}, False),
        (SERVICE, SPACE, "delete", {"inputs": {"metadata": {"name": "other"}}}, True),
        (SERVICE, SPACE, "delete", {}, True),
        (RELEASE, SPACE, "delete", {"inputs": {"metadata": {"name": "charts"}}}, False),
        ("random:index/randomId:RandomId", BUCKET, "delete", {}, False),
    ],
)
def test_what_another_s_deletion_does_not_bring_stands_on(type_, holder, op, more, left, tmp_path):
    """Pulumi deletes neither of them by itself: it leaves one to the deletion of the other."""
    other = entry("other", holder, **more)
    state = "newState" if op == "same" else "oldState"
    own = {"metadata": {"name": "two", "namespace": "ml"}, "resourceGroupName": "ml"}
    own |= {"namespace": "charts", "cluster": "projects/p/locations/l/clusters/training"}
    old = entry("two", type_, inputs=own, deletedWith=other["urn"])
    steps = [step(), step("two", "delete", oldState=old), step("other", op, **{state: other})]
    preview = pulumi_files.read(put(tmp_path, digest(*steps)))
    names = [resource.name for resource in preview.resources]

    assert ("two (kept by deletedWith)" in names) == left
    assert (old["urn"] in [each.urn for each in preview.leaving]) != left


@pytest.mark.parametrize(("owned", "left"), [(True, True), (False, False)])
def test_what_the_program_only_reads_from_now_on_stands_on(owned, left, tmp_path):
    old, new = entry("two", external=not owned), entry("two", external=True)
    steps = digest(step(), step("two", "read", oldState=old, newState=new))
    preview = pulumi_files.read(put(tmp_path, steps))
    names = [resource.name for resource in preview.resources]

    assert ("two (kept by a read of the program)" in names) == left


def test_a_stream_does_not_tell_what_was_only_read_before(tmp_path):
    events = stream(pre(), pre("two", "read"), summary(create=1, read=1))
    assert [each.name for each in pulumi_files.read(put(tmp_path, events)).resources] == ["one"]


GOOGLE = "gcp:compute/instance:Instance"


@pytest.mark.parametrize("op", ["delete", "replace", "delete-replaced"])
@pytest.mark.parametrize(
    ("policy", "stays"),
    [("ABANDON", True), (UNKNOWN_TEXT, True), ("DELETE", False), (None, False)],
)
def test_what_google_s_provider_leaves_is_paid_for_and_said(policy, stays, op, tmp_path):
    """The provider goes by what the state has: a policy of the new resource says nothing."""
    old = entry("two", GOOGLE, id="i-2", inputs={"deletionPolicy": policy} if policy else {})
    new = entry("two", GOOGLE, inputs={"deletionPolicy": "DELETE" if stays else "ABANDON"})
    given = {"newState": new} if op == "replace" else {}
    steps = digest(step(), step("two", op, oldState=old, **given))
    preview = pulumi_files.read(put(tmp_path, steps))
    left = "two (kept by deletionPolicy: ABANDON)"

    assert (left in [resource.name for resource in preview.resources]) == stays
    assert [leaving.urn for leaving in preview.leaving] == ([] if stays else [old["urn"]])
    assert any("not deleted (deletionPolicy: ABANDON)" in each for each in preview.notes) == stays


@pytest.mark.parametrize("op", ["read", "read-replacement", "discard", "remove-pending-replace"])
def test_what_the_stack_only_reads_is_out(tmp_path, op):
    read = step("two", op, newState=entry("two", external=True))
    (resource,) = pulumi_files.read(put(tmp_path, digest(step(), read))).resources
    assert resource.name == "one"


@pytest.mark.parametrize(("retained", "stands"), [(True, True), (False, False)])
def test_what_a_failed_update_left_to_a_new_one_stands_on(tmp_path, retained, stands):
    old = entry("two", id="i-2", retainOnDelete=retained, pendingReplacement=True)
    steps = [step(), {"op": "remove-pending-replace", "urn": urn("two"), "oldState": old}]
    shown = pulumi_files.read(put(tmp_path, digest(*steps))).resources
    assert ("two (kept by retainOnDelete)" in [each.name for each in shown]) is stands


def test_what_is_external_is_out(tmp_path):
    made = step("two", "same", newState=entry("two", external=True))
    (resource,) = pulumi_files.read(put(tmp_path, digest(step(), made))).resources
    assert resource.name == "one"


ROOT = {
    "op": "create",
    "urn": urn("shop-dev", "pulumi:pulumi:Stack"),
    "newState": {"urn": urn("shop-dev", "pulumi:pulumi:Stack"), "type": "pulumi:pulumi:Stack"},
}


@pytest.mark.parametrize(
    "content",
    [
        digest(),
        digest(ROOT),
        digest(step("read", "read", newState=entry("read", external=True))),
        stream({"preludeEvent": {}}, summary()),
    ],
)
def test_a_preview_that_shows_nothing_failed(tmp_path, content):
    assert "the preview has no resources, so there is" in problem(put(tmp_path, content)).message


def test_a_preview_that_only_deletes_shows_what_goes(tmp_path):
    preview = pulumi_files.read(put(tmp_path, digest(step("two", "delete"))))
    assert (preview.resources, len(preview.leaving)) == ((), 1)


@pytest.mark.parametrize(
    "content",
    [
        digest(step(op="update"), step()),
        digest(step(op="same"), step(op="import")),
        digest(step(urn=urn("two"))),
        digest(step(op="delete", newState=entry())),
        digest(step(newState=entry(external=True))),
        digest(step(op="replace", newState=entry(external=True))),
        digest(step(op="read")),
        digest(step(), changeSummary={}),
        digest(step(), step("two"), changeSummary={"create": 1}),
        stream(pre(), pre(op="update"), summary(create=1, update=1)),
        stream(pre(op="delete", new=entry()), summary(delete=1)),
        stream(pre(), summary()),
    ],
)
def test_a_preview_that_contradicts_itself_is_refused(tmp_path, content):
    assert "the preview contradicts itself" in problem(put(tmp_path, content)).message


def test_a_resource_that_the_preview_could_not_write_down_is_not_judged(tmp_path):
    made = step()
    del made["newState"]
    preview = pulumi_files.read(put(tmp_path, digest(made)))
    assert [(row.subject, row.type) for row in preview.not_read] == [(urn("one"), INSTANCE)]


def test_a_digest_that_leaves_out_what_does_not_change_names_show_sames(tmp_path):
    path = put(tmp_path, digest(step(), changeSummary={"create": 1, "same": 4}))
    refusal = problem(path)
    assert "4 unchanged resources" in refusal.message
    assert "--show-sames" in refusal.fix


@pytest.mark.parametrize("op", ["create", "update", "import"])
def test_a_digest_that_counts_more_than_it_lists_is_refused(tmp_path, op):
    given = digest(step(), changeSummary={"create": 1, op: 3})
    refusal = problem(put(tmp_path, given))
    listed = 1 if op == "create" else 0
    assert f"counts 3 resources to {op} and omits {3 - listed} of them" in refusal.message


@pytest.mark.parametrize("behind", ["}", "{}", " null", '\n{"steps": []}'])
def test_nothing_stands_behind_the_one_document(tmp_path, behind):
    for name, given in (("preview.json", digest()), ("state.json", state())):
        path = tmp_path / name
        path.write_text(json.dumps(given) + behind)
        refusal = problem(path)
        assert refusal.message == "unexpected text after the end of the document", name


def test_a_digest_with_its_unchanged_resources_is_whole(tmp_path):
    path = put(tmp_path, digest(step(op="same"), changeSummary={"same": 1}))
    assert len(pulumi_files.read(path).resources) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (digest(step(), changeSummary=None), "changeSummary is missing"),
        ({"config": {}, "steps": []}, "has no summary"),
        (digest(step(), maybeCorrupt=True), "corrupt"),
        (
            digest(diagnostics=[{"severity": "error", "message": "boom"}]),
            "the preview failed",
        ),
        (digest(step(op="melt")), "unknown operation"),
        (digest(step(), step()), "two steps create"),
        (digest({"op": "create", "urn": 7}), "steps[0].urn is a whole number"),
        ({"steps": ["create"]}, "steps[0] is text, but must be a mapping"),
        (digest(step(newState=[])), "steps[0].newState is a list"),
        (digest(step(newState=entry(inputs=[1]))), "steps[0].newState.inputs is a list"),
        (digest(step(newState=entry(type=None))), "steps[0].newState.type is missing"),
        (digest(step(newState=entry(urn="urn:pulumi:a::b"))), "is not a URN"),
        (digest(step(newState=entry(parent="me"))), "parent is not a URN"),
        (digest(step(newState=entry(propertyDependencies={"a": "b"}))), "must be a list"),
        (
            digest(step(newState=entry(parent=urn("one")))),
            "depends on itself, through parents or property dependencies",
        ),
        (digest(changeSummary={"create": "1"}), "changeSummary.create is text"),
    ],
)
def test_a_digest_that_can_not_be_judged(tmp_path, content, message):
    assert message in problem(put(tmp_path, content)).message


@pytest.mark.parametrize(
    "type_", ["aws:ec2/vpc:Vpc", "pulumi:pulumi:Stack", "pulumi:providers:aws", "a:b:C"]
)
def test_a_type_that_contradicts_its_urn_is_refused(tmp_path, type_):
    changed = entry() | {"type": type_}
    for content in (digest(step(newState=changed)), state(changed)):
        assert "type contradicts" in problem(put(tmp_path, content)).message


def test_a_child_s_urn_ends_in_its_own_type(tmp_path):
    inside = entry() | {"urn": urn("one", f"a:b:C${INSTANCE}")}
    assert len(pulumi_files.read(put(tmp_path, digest(step(newState=inside)))).resources) == 1


def test_a_circle_of_dependencies_is_refused(tmp_path):
    first = step("one", newState=entry("one", propertyDependencies={"a": [urn("two")]}))
    two = step("two", newState=entry("two", propertyDependencies={"b": [urn("one")]}))
    assert (
        "depends on itself, through parents or property dependencies"
        in problem(put(tmp_path, digest(first, two))).message
    )


def test_a_stream_s_resources_and_that_relations_are_not_knowable(tmp_path):
    text = stream(
        {"preludeEvent": {"config": {"aws:region": "us-east-1"}}},
        pre("one"),
        {"resOutputsEvent": pre("one")["resourcePreEvent"]},
        {"resOutputsEvent": pre("one")["resourcePreEvent"]},
        pre("two", "same"),
        pre("three", "delete"),
        summary(create=1, same=1, delete=1),
        {"cancelEvent": {}},
    )
    preview = pulumi_files.read(put(tmp_path, text))
    assert preview.kind == "stream"
    assert [resource.name for resource in preview.resources] == ["one", "two"]
    assert preview.resources[0].region == "us-east-1"
    assert [leaving.urn for leaving in preview.leaving] == [urn("three")]
    assert "are unknown" in preview.notes[0]


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([pre()], "has no summary"),
        ([pre(), pre(), summary(create=2)], "two steps create"),
        ([pre(), summary(create=1, same=2)], "omits 2 of them"),
        ([{"diagnosticEvent": {"severity": "error", "message": "x"}}], "the preview failed"),
        ([{"resOpFailedEvent": {}}], "the preview failed"),
        ([{"errorEvent": {"error": "no"}}], "the preview failed"),
        ([{"strangeEvent": {}}], "an event of a kind that is not supported"),
        (
            [{"summaryEvent": {"isPreview": False, "resourceChanges": {}}}],
            "of an update, not of a preview",
        ),
        (
            [{"summaryEvent": {"isPreview": True, "resourceChanges": {}, "result": "failed"}}],
            "the preview failed",
        ),
        ([{"summaryEvent": {"maybeCorrupt": True}}], "corrupt"),
    ],
)
def test_a_stream_that_can_not_be_judged(tmp_path, events, message):
    assert message in problem(put(tmp_path, stream(*events))).message


def test_an_event_of_a_stream_that_is_wrong_has_its_line(tmp_path):
    text = stream({"preludeEvent": {}}, pre(op="melt"))
    assert problem(put(tmp_path, text)).position.line == 2


def test_secrets_of_a_preview_are_not_known(tmp_path):
    made = entry(inputs={"userData": "[secret]"}, provider=PROVIDER)
    (resource,) = pulumi_files.read(put(tmp_path, digest(step(newState=made)))).resources
    assert resource.inputs == {"userData": UNKNOWN}


def test_a_provider_that_the_file_lacks_stands_for_an_account_of_its_own(tmp_path):
    """It may be another than that of the default provider, which has the stack's settings."""
    there = f"{STACK}::pulumi:providers:aws::there"
    default = f"{STACK}::pulumi:providers:aws::default_7_0_0"
    steps = [
        step("one", newState=entry(provider=f"{default}::{UNKNOWN_TEXT}")),
        step("two", newState=entry("two", provider=f"{there}::{UNKNOWN_TEXT}")),
        step("three", newState=entry("three", provider=f"{there}::{UNKNOWN_TEXT}")),
    ]
    own, other, third = pulumi_files.read(put(tmp_path, digest(*steps))).resources
    assert (own.account, other.account) == (None, None)
    assert (is_of_account(own, other), is_of_account(other, third)) == (UNKNOWN, True)


def test_what_a_resource_waits_for_is_read(tmp_path):
    waits = entry(dependencies=[urn("net", "aws:ec2/subnet:Subnet")])
    (resource,) = pulumi_files.read(put(tmp_path, digest(step(newState=waits)))).resources
    assert resource.depends_on == (urn("net", "aws:ec2/subnet:Subnet"),)


@pytest.mark.parametrize(("third", "left"), [(BUCKET, True), ("", False)])
def test_what_is_left_to_one_that_stays_stands_on(third, left, tmp_path):
    """A schedule goes with its group, which is left to the deletion of a bucket."""
    bucket = entry("bucket", BUCKET)
    more = {"deletedWith": bucket["urn"]} if third else {}
    group = entry("group", "aws:autoscaling/group:Group", **more)
    kind = "aws:autoscaling/schedule:Schedule"
    schedule = entry("two", kind, deletedWith=group["urn"])
    deletes = [
        step(each["urn"].rpartition("::")[2], "delete", oldState=each)
        for each in (schedule, group, bucket)
    ]
    preview = pulumi_files.read(put(tmp_path, digest(step(), *deletes)))
    assert ("two (kept by deletedWith)" in [each.name for each in preview.resources]) == left
