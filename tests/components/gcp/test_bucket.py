from typing import Any

import pulumi
import pytest

from gpuinfra.clouds.gcp.declare.names import BUCKETS, bucket_name
from gpuinfra.components.args import BucketArgs
from gpuinfra.components.bucket import DataBucket
from gpuinfra.components.messages import ProgramError
from tests.components.mocked.gcp import PROVIDER

CONFIG = "gcp:organizations/getClientConfig:getClientConfig"


def bucket(name: str = "data", *, more: dict[str, Any] | None = None, **args: Any) -> DataBucket:
    given = {"cloud": "gcp", "region": "us-central1", **args}
    return DataBucket(name, BucketArgs(**given), **(more or {}))


def test_bucket_is_the_golden_one(record, golden) -> None:
    golden("gcp-data-bucket", record(bucket).golden())


def test_nothing_is_public_and_nothing_lingers(record) -> None:
    made = record(bucket).of("data-bucket").inputs

    assert made["uniformBucketLevelAccess"] is True
    assert made["publicAccessPrevention"] == "enforced"
    assert made["softDeletePolicy"] == {"retentionDurationSeconds": 0}
    assert made["forceDestroy"] is False


def test_old_versions_expire_when_they_are_said_to(record) -> None:
    made = record(lambda: bucket(keep_noncurrent="36h")).of("data-bucket").inputs
    uploads, versions = made["lifecycleRules"]

    assert made["versioning"] == {"enabled": True}
    assert uploads["action"] == {"type": "AbortIncompleteMultipartUpload"}
    assert versions == {
        "action": {"type": "Delete"},
        "condition": {"daysSinceNoncurrentTime": 2, "withState": "ARCHIVED"},
    }


def test_without_versions_only_unfinished_uploads_are_removed(record) -> None:
    made = record(lambda: bucket(versioned=False)).of("data-bucket").inputs

    assert made["versioning"] == {"enabled": False}
    assert [lifecycle_rule["action"]["type"] for lifecycle_rule in made["lifecycleRules"]] == [
        "AbortIncompleteMultipartUpload"
    ]


def test_the_name_is_the_same_each_time_and_another_for_another_place(record) -> None:
    def name(**args: Any) -> str:
        physical: str = record(lambda: bucket(**args)).of("data-bucket").inputs["name"]
        return physical

    assert name() == name()
    assert name().startswith("project-data-")
    assert name() != name(region="us-east4")


@pytest.mark.parametrize("stack", ["google-sheets", "my-g00gle", "goog"])
def test_no_name_holds_the_clouds_own(stack: str) -> None:
    name = bucket_name(stack, "data", ["project"])

    assert BUCKETS.pattern.fullmatch(name)
    assert "goog" not in name
    assert "g00g" not in name


def test_a_long_name_fits_and_stays_apart() -> None:
    long = "a" * 40
    names = {bucket_name(long, f"{'b' * 39}{end}", ["project"]) for end in "xy"}

    assert len(names) == 2
    assert all(len(name) <= 63 for name in names)


def test_the_outputs_are_name_and_address(record) -> None:
    shown: list[Any] = []
    seen = record(lambda: bucket().bucket_id.apply(shown.append))

    assert shown == [f"gs://{seen.of('data-bucket').inputs['name']}"]


def test_customize_and_tags(record) -> None:
    more = {"tags": {"team": "a"}, "customize": {"bucket": {"force_destroy": True}}}
    made = record(lambda: bucket(more=more)).of("data-bucket").inputs

    assert made["forceDestroy"] is True
    assert made["labels"]["team"] == "a"


def test_bad_arguments_are_said_in_words(record) -> None:
    with pytest.raises(ProgramError, match=r"keep_noncurrent.*30d"):
        record(lambda: bucket(keep_noncurrent="30"))


def test_a_program_without_a_project_is_told(record, monkeypatch) -> None:
    monkeypatch.setitem(PROVIDER.answers, CONFIG, {"project": ""})

    with pytest.raises(pulumi.RunError, match=r"no Google Cloud project is set.*set gcp:project"):
        record(bucket)
