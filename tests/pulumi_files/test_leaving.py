"""What a preview deletes, and what stands on in the cloud though it leaves the state."""

import pytest

from gpuinfra import pulumi_files
from gpuinfra.model import STACK_REFERENCE
from gpuinfra.pulumi_files.removals import UNKNOWN_TRIGGER
from tests.pulumi_files.files import (
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


CREATED = step("one", "create-replacement", oldState=entry(), newState=entry())
REPLACED = step("one", "replace", oldState=entry(delete=True), newState=entry())
DELETED = step("one", "delete-replaced", oldState=entry())
AFTER_DELETE = step("one", "replace", oldState=entry(pendingReplacement=True), newState=entry())


@pytest.mark.parametrize(
    ("steps", "coexists"),
    [
        ([REPLACED], True),
        ([CREATED, REPLACED, DELETED], True),
        ([step("one", "replace", oldState=entry(), newState=entry())], True),
        ([AFTER_DELETE], False),
        ([DELETED, AFTER_DELETE, CREATED], False),
        ([DELETED], False),
    ],
)
def test_what_is_replaced_exists_beside_its_replacement_unless_it_is_deleted_first(
    tmp_path, steps, coexists
):
    (leaving,) = pulumi_files.read(put(tmp_path, digest(*steps))).leaving
    assert (leaving.replaced, leaving.coexists) == (steps != [DELETED], coexists)


@pytest.mark.parametrize(
    ("operations", "coexists"),
    [
        (("create-replacement", "replace", "delete-replaced"), True),
        (("delete-replaced", "replace", "create-replacement"), False),
    ],
)
def test_a_stream_shows_by_its_order_what_is_deleted_first(tmp_path, operations, coexists):
    events = [pre("one", operation) for operation in operations]
    (leaving,) = pulumi_files.read(put(tmp_path, stream(*events, summary(replace=1)))).leaving
    assert (leaving.replaced, leaving.coexists) == (True, coexists)


@pytest.mark.parametrize(
    ("op", "trigger", "is_noted"),
    [
        ("replace", UNKNOWN_TEXT, True),
        ("replace", ["v1", {"image": UNKNOWN_TEXT}], True),
        ("replace", "v2", False),
        ("create", UNKNOWN_TEXT, False),
    ],
)
def test_a_replacement_for_a_trigger_that_is_not_known_yet_is_said(
    tmp_path, op, trigger, is_noted
):
    before = {} if op == "create" else {"oldState": entry(replacementTrigger="v1")}
    replaced = step("one", op, newState=entry(replacementTrigger=trigger), **before)
    notes = pulumi_files.read(put(tmp_path, digest(replaced))).notes
    assert [note for note in notes if "replacementTrigger" in note] == (
        [UNKNOWN_TRIGGER.format(urn("one"))] if is_noted else []
    )


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


def test_a_reference_to_another_stack_is_kept_since_values_come_from_it(tmp_path):
    net = entry("net", STACK_REFERENCE, external=True, inputs={"name": "acme/net/dev"})
    box = entry(propertyDependencies={"subnetId": [net["urn"]]})
    read = step("net", "read", newState=net)
    files = (digest(read, step(newState=box)), state(net, box))
    for content in files:
        reference, machine = pulumi_files.read(put(tmp_path, content)).resources

        assert reference.inputs == {"name": "acme/net/dev"}
        assert machine.relations["subnetId"] == (reference.urn,)


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


def test_a_preview_that_only_deletes_shows_what_goes(tmp_path):
    preview = pulumi_files.read(put(tmp_path, digest(step("two", "delete"))))
    assert (preview.resources, len(preview.leaving)) == ((), 1)
