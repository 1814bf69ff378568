"""Exported states: what stands, what is open, and what nobody can read."""

import json

import pytest

from gpuinfra import pulumi_files
from gpuinfra.errors import InputError
from gpuinfra.model import UNKNOWN
from tests.pulumi_files.files import INSTANCE, SECRET, SIGNATURE, entry, put, state, urn

BUCKET = "aws:s3/bucket:Bucket"
PROVIDER = "urn:pulumi:dev::shop::pulumi:providers:aws::default"


def problem(path):
    with pytest.raises(InputError) as caught:
        pulumi_files.read(path)
    (only,) = caught.value.problems
    return only


def provider(**inputs):
    return {"urn": PROVIDER, "type": "pulumi:providers:aws", "id": "abc", "inputs": inputs}


def test_a_resource_with_id_and_its_provider_s_region(tmp_path):
    made = entry(id="i-1", outputs={"arn": "arn:1"}, provider=f"{PROVIDER}::abc")
    state_ = pulumi_files.read(put(tmp_path, state(provider(region="us-west-2"), made)))
    (resource,) = state_.resources
    assert state_.kind == "state"
    assert resource.outputs == {"arn": "arn:1", "id": "i-1"}
    assert resource.region == "us-west-2"


@pytest.mark.parametrize(
    ("origin", "created"),
    [({}, "2026-11-28T09:00:00Z"), ({"importID": "data-1"}, "")],
    ids=["made by an update", "imported"],
)
def test_the_day_of_a_bucket_is_that_of_its_update_and_unknown_after_an_import(
    tmp_path, origin, created
):
    bucket = entry("data", BUCKET, id="data-1", created="2026-11-28T09:00:00Z", **origin)
    (resource,) = pulumi_files.read(put(tmp_path, state(bucket))).resources
    assert resource.created == created


def test_a_day_that_is_no_text_is_refused_with_its_place(tmp_path):
    only = problem(put(tmp_path, state(entry(created=["2026-11-28T09:00:00Z"]))))
    assert "created is a list, but must be text" in only.message


def test_ciphertext_is_unknown_and_plain_text_is_opened_and_kept_from_being_shown(tmp_path):
    closed = {SIGNATURE: SECRET, "ciphertext": "v1:xx"}
    open_ = {SIGNATURE: SECRET, "plaintext": json.dumps({"a": ["hunter22", 3]})}
    made = entry(inputs={"userData": closed, "tags": open_})
    contents = pulumi_files.read(put(tmp_path, state(made)))
    assert contents.resources[0].inputs == {"userData": UNKNOWN, "tags": {"a": ["hunter22", 3]}}
    assert contents.secrets == {"hunter22"}
    assert contents.resources[0].redacted_inputs == {"tags": UNKNOWN}


def test_the_inputs_with_an_opened_secret_are_read_without_it_in_the_engine_s_spelling(tmp_path):
    open_ = {SIGNATURE: SECRET, "plaintext": json.dumps("hunter22")}
    variables = {"A_TOKEN": open_, "MODE": "fast", "__internal": 1}
    made = entry(inputs={"user_data": {"variables": variables}, "ami": "a", "tags": {"b": "c"}})
    (resource,) = pulumi_files.read(put(tmp_path, state(made))).resources
    assert resource.inputs["userData"] == {"variables": {"A_TOKEN": "hunter22", "MODE": "fast"}}
    (redacted,) = resource.redacted_inputs.items()
    assert redacted[0] == "userData"
    assert redacted[1]["variables"]["A_TOKEN"] is UNKNOWN
    assert redacted[1]["variables"]["MODE"] == "fast"


def test_inputs_that_are_one_secret_are_all_unknown_to_readers(tmp_path):
    open_ = {SIGNATURE: SECRET, "plaintext": json.dumps({"ami": "hunter22"})}
    (resource,) = pulumi_files.read(put(tmp_path, state(entry(inputs=open_)))).resources
    assert resource.inputs == {"ami": "hunter22"}
    assert resource.redacted_inputs == {"ami": UNKNOWN}


@pytest.mark.parametrize("plain", ["{", 7, "[" * 5000])
def test_a_broken_secret_is_bad_input(tmp_path, plain):
    broken = {SIGNATURE: SECRET, "plaintext": plain}
    refusal = problem(put(tmp_path, state(entry(inputs={"a": broken}))))
    assert refusal.message == "the `plaintext` of a secret is not JSON"


def test_the_text_of_a_hidden_secret_is_only_text_in_a_state(tmp_path):
    made = entry(inputs={"a": "[secret]"})
    assert pulumi_files.read(put(tmp_path, state(made))).resources[0].inputs == {"a": "[secret]"}


def test_what_was_replaced_and_waits_to_be_deleted_stands_and_counts(tmp_path):
    current, old = entry(id="i-1"), entry(id="i-0", delete=True)
    for order in ([current, old], [old, current]):
        contents = pulumi_files.read(put(tmp_path, state(*order)))
        assert {resource.outputs["id"] for resource in contents.resources} == {"i-0", "i-1"}
        assert len({resource.urn for resource in contents.resources}) == 2
        assert [leaving.urn for leaving in contents.leaving] == [urn("one")]


def test_every_one_of_several_that_wait_to_be_deleted_counts(tmp_path):
    entries = [entry(id=f"i-{number}", delete=number > 0) for number in range(3)]
    contents = pulumi_files.read(put(tmp_path, state(*entries)))
    assert len({resource.urn for resource in contents.resources}) == 3


def test_what_waits_to_be_deleted_can_not_hang_on_itself(tmp_path):
    old = entry(id="i-0", delete=True, parent=f"{urn('one')} (is waiting for deletion)")
    assert (
        "depends on itself, through parents or property dependencies"
        in problem(put(tmp_path, state(old))).message
    )


def test_what_was_deleted_to_be_made_anew_does_not_stand(tmp_path):
    gone = entry(pendingReplacement=True)
    (resource,) = pulumi_files.read(put(tmp_path, state(gone, entry("two")))).resources
    assert resource.name == "two"


def test_what_is_retained_stands_on_though_it_is_made_anew(tmp_path):
    """Pulumi marks it as deleted without a delete."""
    left = entry(pendingReplacement=True, retainOnDelete=True)
    (resource,) = pulumi_files.read(put(tmp_path, state(left))).resources
    assert resource.name == "one (kept by retainOnDelete)"


@pytest.mark.parametrize(
    ("operation", "resources", "not_read", "notes"),
    [
        ("creating", 1, 0, 1),
        ("importing", 1, 0, 1),
        ("updating", 0, 1, 1),
        ("deleting", 0, 0, 1),
        ("reading", 0, 0, 0),
    ],
)
def test_an_operation_that_an_interrupted_run_left_open(
    tmp_path, operation, resources, not_read, notes
):
    open_ = [{"type": operation, "resource": entry()}]
    contents = pulumi_files.read(put(tmp_path, state(entry("other"), pending_operations=open_)))
    counted = (len(contents.resources) - 1, len(contents.not_read), len(contents.notes))
    assert counted == (resources, not_read, notes)
    assert all("pulumi refresh clears it" in note for note in contents.notes)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (state(version=9), "the state's format version is not supported"),
        (state(version=None), "the state's format version is not supported"),
        (state(version=True), "the state's format version is not supported"),
        ({"deployment": {}}, "the state's format version is not supported"),
        ({"version": 3, "deployment": [1]}, "has no deployment"),
        ({"version": 4, "features": ["magic"], "deployment": {}}, "a feature"),
        ({"version": 4, "features": "taint", "deployment": {}}, "features is text"),
        (state(entry(), entry()), "two resources have the URN"),
        (state(3), "resources[0] is a whole number"),
        ({"version": 3, "deployment": {"resources": {}}}, "resources must be a list"),
        (
            state(pending_operations=[{"type": "melting", "resource": entry()}]),
            "pending_operations[0].type is an unknown operation",
        ),
        (state(pending_operations=[{"type": "creating"}]), "pending_operations[0].resource"),
    ],
)
def test_a_state_that_can_not_be_judged(tmp_path, content, message):
    assert message in problem(put(tmp_path, content)).message


GROUP = "aws:ec2/securityGroup:SecurityGroup"
OPEN = [{"fromPort": 22, "toPort": 22, "protocol": "tcp", "cidrBlocks": ["0.0.0.0/0"]}]


@pytest.mark.parametrize(
    ("type_", "inputs", "outputs", "read"),
    [
        (GROUP, {}, {"ingress": OPEN, "name": "web"}, {"ingress": OPEN}),
        (GROUP, {"ingress": []}, {"ingress": OPEN}, {"ingress": []}),
        (
            INSTANCE,
            {"metadataOptions": {"httpTokens": "required"}},
            {"metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 2}},
            {"metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 2}},
        ),
        (INSTANCE, {}, {"metadataOptions": None}, {}),
        ("aws:ec2/vpc:Vpc", {}, {"metadataOptions": {}}, {}),
    ],
)
def test_what_the_cloud_reports_counts_where_the_program_said_nothing(
    tmp_path, type_, inputs, outputs, read
):
    given = entry(type=type_, inputs=inputs, outputs=outputs)
    (bucket,) = pulumi_files.read(put(tmp_path, state(given))).resources
    assert bucket.inputs == read


@pytest.mark.parametrize("content", [{"version": 3, "deployment": None}, state()])
def test_a_state_in_which_nothing_stands_can_not_be_judged(tmp_path, content):
    with pytest.raises(InputError, match="the state has no resources, so there is"):
        pulumi_files.read(put(tmp_path, content))


def test_version_4_with_its_features(tmp_path):
    content = {**state(entry(), version=4), "features": ["taint"]}
    assert len(pulumi_files.read(put(tmp_path, content)).resources) == 1
