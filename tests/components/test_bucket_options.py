"""What each word of a bucket brings with it, as it reaches the engine."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from gpuinfra.clouds import PACKAGES
from gpuinfra.components.program import program
from gpuinfra.sandbox.plugin.input_validation import check
from gpuinfra.sandbox.plugin.schema import load
from gpuinfra.source import Source
from gpuinfra.stackfile import loads

STACK = """\
version: 1
name: options
owner: ml-platform
where: {{cloud: aws, regions: [us-east-1]}}
training:
  trainer:
    instance: g6.xlarge
    data: [{{bucket: data, prefix: tokens/}}]
    checkpoints: {{bucket: {checkpoints}}}
buckets: {{data: {{{words}}}, kept: {{}}}}
"""

EVERYTHING = (
    "size: 2TB, encryption: kms, tiering: 30d, expire: [{prefix: tmp/, after: 7d}],"
    " access_logs: own, object_lock: {mode: governance, keep: 30d}, replicate_to: us-west-2"
)
THEIRS = "arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555"


@pytest.fixture
def seen(record: Callable[..., Any]) -> Callable[..., Any]:
    """What reaches the engine of a bucket with some words."""

    def build(words: str = "") -> Any:
        return record(
            program(Source(document=loads(STACK.format(words=words, checkpoints=kept(words)))), {})
        )

    return build


def kept(words: str) -> str:
    """Where checkpoints are: a bucket that locks its versions takes none."""
    return "kept" if "object_lock" in words else "data"


def ours(of: Any) -> list[dict[str, Any]]:
    return [row for row in of.golden() if row["parent"] == "data"]


def statements(of: Any, name: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(of.of(name).inputs["policy"])["Statement"]
    return listed


def test_a_bucket_with_every_option_is_the_golden_one(seen, golden) -> None:
    golden("bucket-every-option", ours(seen(EVERYTHING)))


def test_the_keys_stay_when_the_stack_goes_and_nothing_else_does(seen) -> None:
    stays = {
        resource.name
        for resource in seen(EVERYTHING).resources
        if "retainOnDelete" in resource.options
    }

    assert stays == {"data-key", "data-key-replica"}


@pytest.mark.parametrize("words", [EVERYTHING, f"encryption: '{THEIRS}', access_logs: their-logs"])
def test_the_tables_have_nothing_to_say(seen, words: str) -> None:
    schema = load(PACKAGES["aws"])
    failures = {
        f"{resource.name}.{failure.path}: {failure.reason}"
        for resource in seen(words).resources
        if resource.type.startswith("aws:")
        for failure in check(schema, schema.type(resource.type), resource.inputs)
    }

    assert failures == set()


def test_a_bucket_without_options_brings_nothing_more(seen) -> None:
    assert {our["name"] for our in ours(seen())} == {
        *("data-bucket", "data-public-access", "data-ownership", "data-encryption"),
        *("data-versioning", "data-lifecycle", "data-policy"),
    }


def test_its_own_key_encrypts_it_and_no_other_key_may(seen) -> None:
    of = seen("encryption: kms")
    key = of.of("data-key")
    (rule,) = of.of("data-encryption").inputs["rules"]
    denied = {statement["Sid"]: statement for statement in statements(of, "data-policy")}

    assert rule["bucketKeyEnabled"] is True
    assert rule["applyServerSideEncryptionByDefault"] == {
        "sseAlgorithm": "aws:kms",
        "kmsMasterKeyId": key.outputs["arn"],
    }
    assert key.inputs["enableKeyRotation"] is True
    assert of.of("data-key-alias").inputs["name"].startswith("alias/options-data-")
    assert denied["OneKey"]["Condition"] == {
        "Null": {"s3:x-amz-server-side-encryption-aws-kms-key-id": "false"},
        "StringNotEquals": {"s3:x-amz-server-side-encryption-aws-kms-key-id": key.outputs["arn"]},
    }


def test_a_key_that_is_there_is_used_as_it_is(seen) -> None:
    of = seen(f"encryption: '{THEIRS}'")
    (rule,) = of.of("data-encryption").inputs["rules"]

    assert rule["applyServerSideEncryptionByDefault"]["kmsMasterKeyId"] == THEIRS
    assert not [resource for resource in of.resources if resource.type.startswith("aws:kms/")]


@pytest.mark.parametrize("words", ["encryption: kms", f"encryption: '{THEIRS}'"])
def test_machines_may_use_the_key_of_what_they_mount(seen, words: str) -> None:
    of = seen(words)
    key = THEIRS if "arn" in words else of.of("data-key").outputs["arn"]
    rights = [
        statement
        for statement in statements(of, "trainer-storage")
        if statement["Resource"] == key
    ]

    assert [right["Action"] for right in rights] == [
        ["kms:Decrypt"],
        ["kms:Decrypt", "kms:GenerateDataKey"],
    ]


def test_without_a_key_machines_have_no_right_to_one(seen) -> None:
    actions = {
        action
        for statement in statements(seen(), "trainer-storage")
        for action in statement["Action"]
    }

    assert not {action for action in actions if action.startswith("kms:")}


def test_what_is_old_moves_and_what_is_temporary_goes(seen) -> None:
    rules = seen("tiering: 36h, expire: [{prefix: tmp/, after: 7d}]").of("data-lifecycle").inputs
    by_id = {rule["id"]: rule for rule in rules["rules"]}
    (ends,) = [rule for name, rule in by_id.items() if name.startswith("expire-")]

    assert by_id["cheaper-by-age"]["transitions"] == [
        {"days": 2, "storageClass": "INTELLIGENT_TIERING"}
    ]
    assert ends["filter"] == {"prefix": "tmp/"}
    assert ends["expiration"] == {"days": 7}
    assert "old-versions" in by_id


def test_the_log_goes_to_a_bucket_that_only_s3_writes_for_this_one(seen) -> None:
    of = seen("access_logs: own")
    name = of.of("data-bucket").inputs["bucket"]
    (allowed,) = [
        statement
        for statement in statements(of, "data-policy-logs")
        if statement["Effect"] == "Allow"
    ]

    assert (
        of.of("data-logging").inputs["targetBucket"] == of.of("data-bucket-logs").inputs["bucket"]
    )
    assert allowed["Principal"] == {"Service": "logging.s3.amazonaws.com"}
    assert allowed["Condition"] == {
        "StringEquals": {"aws:SourceAccount": "123456789012"},
        "ArnLike": {"aws:SourceArn": f"arn:aws:s3:::{name}"},
    }
    expiry = {rule["id"]: rule for rule in of.of("data-lifecycle-logs").inputs["rules"]}
    assert expiry["old-logs"]["expiration"] == {"days": 90}


def test_a_log_bucket_that_is_there_is_only_named(seen) -> None:
    of = seen("access_logs: their-logs")

    assert of.of("data-logging").inputs["targetBucket"] == "their-logs"
    assert not [resource for resource in of.resources if resource.name.endswith("-logs")]


def test_a_lock_holds_versions_and_does_not_replace_a_bucket_that_stands(seen) -> None:
    of = seen("object_lock: {mode: compliance, keep: 36h}")

    assert of.of("data-object-lock").inputs["rule"] == {
        "defaultRetention": {"mode": "COMPLIANCE", "days": 2}
    }
    assert of.of("data-bucket").inputs == seen().of("data-bucket").inputs


def test_the_copy_is_as_hardened_as_the_bucket(seen) -> None:
    of = seen(EVERYTHING)
    parts = ("public-access", "ownership", "versioning", "lifecycle", "object-lock")

    for part in parts:
        here = {**of.of(f"data-{part}").inputs, "bucket": "", "region": ""}
        assert {**of.of(f"data-{part}-replica").inputs, "bucket": "", "region": ""} == here
    there = [resource for resource in of.resources if resource.name.endswith("-replica")]
    assert {resource.inputs["region"] for resource in there} == {"us-west-2"}
    denied = [statement["Sid"] for statement in statements(of, "data-policy-replica")]
    assert denied == ["TlsOnly", "TlsOfToday", "OneKey", "OneAlgorithm"]


def test_everything_is_copied_deletions_too_under_the_key_of_its_region(seen) -> None:
    of = seen(EVERYTHING)
    (rule,) = of.of("data-replication").inputs["rules"]

    assert rule["status"] == "Enabled"
    assert rule["filter"] == {"prefix": ""}
    assert rule["deleteMarkerReplication"] == {"status": "Enabled"}
    assert rule["sourceSelectionCriteria"] == {"sseKmsEncryptedObjects": {"status": "Enabled"}}
    assert rule["destination"] == {
        "bucket": of.of("data-bucket-replica").outputs["arn"],
        "encryptionConfiguration": {"replicaKmsKeyId": of.of("data-key-replica").outputs["arn"]},
    }


def test_the_role_of_the_copy_reads_one_bucket_and_writes_the_other(seen) -> None:
    of = seen(EVERYTHING)
    here, there = (of.of(f"data-bucket{suffix}").outputs["arn"] for suffix in ("", "-replica"))
    rights = statements(of, "data-replication-rights")

    writes = {right["Resource"] for right in rights if "s3:ReplicateObject" in right["Action"]}
    reads = {right["Resource"] for right in rights if "s3:ListBucket" in right["Action"]}
    keys = {right["Resource"]: right["Action"] for right in rights if "kms" in right["Action"][0]}
    assert writes == {f"{there}/*"}
    assert reads == {here}
    assert keys == {
        of.of("data-key").outputs["arn"]: ["kms:Decrypt"],
        of.of("data-key-replica").outputs["arn"]: ["kms:Encrypt"],
    }
    assert not [right for right in rights if "*" in (*right["Action"], right["Resource"])]
