import json
from typing import Any

import pytest

from gpuinfra.components.args import BucketArgs
from gpuinfra.components.bucket import DataBucket
from gpuinfra.components.messages import ProgramError

REGION = "us-east-1"


def bucket(name: str = "data", **args: Any) -> DataBucket:
    return DataBucket(name, BucketArgs(**{"region": REGION, **args}))


def test_bucket_is_the_golden_one(record, golden) -> None:
    golden("data-bucket", record(bucket).golden())


def test_nothing_is_public_and_nothing_comes_without_tls(record) -> None:
    seen = record(bucket)
    access = seen.of("data-public-access").inputs
    plain, old = json.loads(seen.of("data-policy").inputs["policy"])["Statement"]
    name = seen.of("data-bucket").inputs["bucket"]

    assert [access[key] for key in access if key not in {"bucket", "region"}] == [True] * 4
    assert plain["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert old["Condition"] == {"NumericLessThan": {"s3:TlsVersion": "1.2"}}
    for statement in (plain, old):
        assert (statement["Effect"], statement["Principal"]) == ("Deny", "*")
        assert statement["Action"] == "s3:*"
        assert statement["Resource"] == [f"arn:aws:s3:::{name}", f"arn:aws:s3:::{name}/*"]


def test_old_versions_expire_when_they_are_said_to(record) -> None:
    rules = record(lambda: bucket(keep_noncurrent="36h")).of("data-lifecycle").inputs["rules"]
    expiry = {rule["id"]: rule for rule in rules}["old-versions"]

    assert expiry["noncurrentVersionExpiration"] == {"noncurrentDays": 2}


def test_without_versions_only_unfinished_uploads_are_removed(record) -> None:
    seen = record(lambda: bucket(versioned=False))

    assert seen.of("data-versioning").inputs["versioningConfiguration"] == {"status": "Suspended"}
    assert [rule["id"] for rule in seen.of("data-lifecycle").inputs["rules"]] == [
        "unfinished-uploads"
    ]


def test_the_name_is_the_same_each_time_and_another_for_another_place(record) -> None:
    def name(**args: Any) -> str:
        physical: str = record(lambda: bucket(**args)).of("data-bucket").inputs["bucket"]
        return physical

    assert name() == name()
    assert name().startswith("project-data-")
    assert name() != name(region="us-west-2")


def test_the_name_is_an_output_of_the_component(record) -> None:
    shown: list[str] = []
    seen = record(lambda: bucket().bucket_name.apply(shown.append))

    assert shown == [seen.of("data-bucket").inputs["bucket"]]


def test_customize_and_tags(record) -> None:
    seen = record(
        lambda: DataBucket(
            "data",
            BucketArgs(region=REGION),
            tags={"team": "a"},
            customize={"bucket": {"force_destroy": True}},
        )
    )

    assert seen.of("data-bucket").inputs["forceDestroy"] is True
    assert seen.of("data-bucket").inputs["tags"]["team"] == "a"


def test_bad_arguments_are_said_in_words(record) -> None:
    with pytest.raises(ProgramError, match=r"keep_noncurrent.*30d"):
        record(lambda: bucket(keep_noncurrent="30"))
