"""The life of a bucket with every option, and of a file system that shows it."""

from pathlib import Path

import pytest

from gpuinfra import sandbox
from gpuinfra.engine import lifecycle
from tests.e2e.lives import aws, changed, edit, fine, left, request_of, standing, up

pytestmark = pytest.mark.e2e

TEXT = """\
version: 1
name: storage
owner: ml-platform
budget: {per_month: 20000}
prices: {accept_outdated: true, not_counted: ["aws:kms/key:Key"]}
where: {cloud: aws, regions: [us-east-1]}
training:
  trainer:
    instance: g6.xlarge
    duration: 10h
    shared_storage: {size: 2.4TiB, throughput: 250, bucket: data, prefix: tokens/, export: true}
buckets:
  data:
    encryption: kms
    tiering: 30d
    expire: [{prefix: tmp/, after: 7d}]
    access_logs: own
    object_lock: {mode: governance, keep: 30d}
    replicate_to: us-west-2
"""

MOVED = "rules[2].transitions[0].days"
HELD = "rule.defaultRetention.days"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, module_sandbox_home: Path) -> Path:
    path = tmp_path_factory.mktemp("stack") / "stack.yaml"
    path.write_text(TEXT)
    return path


def test_all_of_it_is_made_and_stays_as_it_is(stack: Path) -> None:
    made = up(stack)
    again = up(stack, judged=False)
    seen = fine(lifecycle.refresh(request_of(stack, judged=False), preview_only=True))

    assert set(made.changes) == {"create"}
    assert set(again.changes) == {"same"}
    assert changed(seen) == {}
    assert {"trainer-shared", "trainer-shared-bucket", "data-replication"} <= standing().keys()


def test_aws_shows_what_was_asked_for(stack: Path) -> None:
    name = standing()["data-bucket"].id
    files = aws("fsx").describe_file_systems()["FileSystems"]
    s3 = aws("s3")
    (rule,) = s3.get_bucket_encryption(Bucket=name)["ServerSideEncryptionConfiguration"]["Rules"]

    assert [file["StorageCapacity"] for file in files] == [2400]
    assert rule["BucketKeyEnabled"] is True
    lock = s3.get_object_lock_configuration(Bucket=name)["ObjectLockConfiguration"]
    held = lock["Rule"]["DefaultRetention"]
    assert (held["Mode"], held["Days"]) == ("GOVERNANCE", 30)
    (copied,) = s3.get_bucket_replication(Bucket=name)["ReplicationConfiguration"]["Rules"]
    assert copied["Status"] == "Enabled"
    assert "LoggingEnabled" in s3.get_bucket_logging(Bucket=name)


def test_what_may_change_in_place_does(stack: Path) -> None:
    edit(
        stack,
        ("size: 2.4TiB, throughput: 250", "size: 4.8TiB, throughput: 250"),
        ("tiering: 30d", "tiering: 60d"),
        ("keep: 30d", "keep: 60d"),
        ("export: true", "export: false"),
    )

    outcome = changed(up(stack, judged=False))

    assert outcome == {
        "trainer-shared": ("update", ("storageCapacity",)),
        "trainer-shared-bucket": ("update", ("s3.autoExportPolicy",)),
        "data-lifecycle": ("update", (MOVED,)),
        "data-lifecycle-replica": ("update", (MOVED,)),
        "data-object-lock": ("update", (HELD,)),
        "data-object-lock-replica": ("update", (HELD,)),
    }


def test_what_somebody_changed_is_seen_and_mended(stack: Path) -> None:
    name = standing()["data-bucket"].id
    aws("s3").delete_bucket_lifecycle(Bucket=name)
    sandbox.change(
        standing()["trainer-shared-bucket"].urn, {"s3.autoImportPolicy.events": ["NEW"]}
    )

    seen = fine(lifecycle.refresh(request_of(stack, judged=False), preview_only=False))
    mended = up(stack, judged=False)

    assert changed(seen).keys() == {"data-lifecycle", "trainer-shared-bucket"}
    assert changed(mended)["data-lifecycle"][0] == "create"
    assert changed(mended)["trainer-shared-bucket"][0] == "update"


def test_a_smaller_or_another_file_system_is_a_new_one(stack: Path) -> None:
    before = standing()
    edit(stack, ("size: 4.8TiB, throughput: 250", "size: 1.2TiB, throughput: 250"))

    outcome = changed(up(stack, judged=False))

    assert outcome["trainer-shared"] == ("replace", ("storageCapacity",))
    assert outcome["trainer-shared-bucket"][0] == "replace"
    assert standing()["trainer-shared"].id != before["trainer-shared"].id
    assert {step for name, (step, _) in outcome.items() if name.startswith("data-")} == set()


def test_options_go_without_replacing_the_bucket(stack: Path) -> None:
    before = standing()["data-bucket"].id
    edit(
        stack,
        ("    access_logs: own\n", ""),
        ("    replicate_to: us-west-2\n", ""),
        ("    encryption: kms\n", ""),
    )

    outcome = changed(up(stack, judged=False))

    assert standing()["data-bucket"].id == before
    assert outcome["data-encryption"][0] == "update"
    gone = {name for name, (step, _) in outcome.items() if step == "delete"}
    assert {"data-key", "data-key-alias", "data-logging", "data-replication"} <= gone


def test_destroy_leaves_nothing_but_the_keys(stack: Path) -> None:
    """What they encrypted may still be needed: they are kept, and not about to be deleted."""
    fine(lifecycle.destroy(request_of(stack, judged=False)))

    assert {record.name for record in left()} == {"data-key", "data-key-replica"}
    for record in left():
        region = "us-west-2" if record.name.endswith("replica") else "us-east-1"
        key = aws("kms", region).describe_key(KeyId=record.id)["KeyMetadata"]
        assert key["KeyState"] == "Enabled"
    assert aws("fsx").describe_file_systems()["FileSystems"] == []
