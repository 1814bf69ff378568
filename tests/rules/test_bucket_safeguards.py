"""Buckets keep the objects that a run resumes from."""

from typing import Any

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, Reachability
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.hygiene import bucket
from tests.rules.cases.judging import outcomes, plan
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import outcome_of

LIFECYCLE = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
DAY = {"expiration": {"days": 1}}


def s3(rule: Any, *, inline: bool = False) -> Program:
    program = Program()
    if inline:
        program.add("aws:s3/bucket:Bucket", "data", lifecycleRules=[{"enabled": True, **rule}])
        return program
    bucket = program.add("aws:s3/bucket:Bucket", "data")
    program.add(LIFECYCLE, "rules", bucket=bucket.id, rules=[{"status": "Enabled", **rule}])
    return program


def gcs(kind: str = "Delete", **condition: Any) -> Program:
    program = GcpProgram()
    rule = {"action": {"type": kind}, "condition": condition}
    program.add("storage/bucket:Bucket", "data", location="US", lifecycleRules=[rule])
    return program


def blobs(delete: Any, *, enabled: bool = True, **filters: Any) -> Program:
    program = AzureProgram()
    account = program.add(
        "azure-native:storage:StorageAccount",
        "data",
        kind="StorageV2",
        sku={"name": "Standard_LRS"},
    )
    actions = {"baseBlob": {"delete": delete}}
    rule = {
        "enabled": enabled,
        "definition": {"actions": actions, "filters": {"blobTypes": ["blockBlob"], **filters}},
    }
    program.add(
        "azure-native:storage:ManagementPolicy",
        "rules",
        accountName=account.out("name"),
        policy={"rules": [rule]},
    )
    return program


@pytest.mark.parametrize(
    ("program", "wrong"),
    [
        (s3(DAY), True),
        (s3(DAY, inline=True), True),
        (s3({**DAY, "filter": {"prefix": ""}}), True),
        (s3({**DAY, "filter": {"objectSizeGreaterThan": 1}}), True),
        (s3({"expiration": {"date": "2026-12-01T00:00:00Z"}}), True),
        (s3({**DAY, "filter": {"prefix": "tmp/"}}), False),
        (s3({**DAY, "filter": {"and": {"prefix": "tmp/"}}}), False),
        (s3({**DAY, "filter": {"tag": {"key": "tmp", "value": "1"}}}), False),
        (s3({**DAY, "filter": UNKNOWN}), False),
        (s3({**DAY, "status": "Disabled"}), False),
        (s3({**DAY, "enabled": False}, inline=True), False),
        (s3({"expiration": {"days": 7}}), False),
        (s3({"expiration": {"expiredObjectDeleteMarker": True}}), False),
        (s3({"noncurrentVersionExpiration": {"noncurrentDays": 1}}), False),
        (gcs(age=1), True),
        (gcs(age=1, withState="ANY"), True),
        (gcs(age=7), False),
        (gcs("SetStorageClass", age=1), False),
        (gcs(age=1, matchesPrefixes=["tmp/"]), False),
        (gcs(age=1, withState="ARCHIVED"), False),
        (gcs(daysSinceNoncurrentTime=1), False),
        (gcs(age=0, numNewerVersions=3), False),
        (blobs({"daysAfterModificationGreaterThan": 1}), True),
        (blobs({"daysAfterCreationGreaterThan": 6.0}), True),
        (blobs({"daysAfterLastAccessTimeGreaterThan": 7}), False),
        (blobs({"daysAfterModificationGreaterThan": 1}, enabled=False), False),
        (blobs({"daysAfterModificationGreaterThan": 1}, prefixMatch=["data/tmp"]), False),
    ],
)
def test_a_bucket_keeps_what_a_run_goes_on_from(program: Program, wrong: bool) -> None:
    assert outcome_of(program, "bucket-safeguards") == ("violated" if wrong else "fine")


@pytest.mark.parametrize(
    ("faults", "outcome"),
    [((), "fine"), (("one", "two"), "violated"), (UNKNOWN, "not-knowable")],
    ids=str,
)
def test_a_bucket_admits_no_local_users_or_other_tenants(faults, outcome):
    told = Reachability(faults=rule_faults("bucket-safeguards", faults))
    assert outcomes(plan(buckets=(bucket(safeguards=told),)), "bucket-safeguards") == [outcome]


def test_a_bucket_without_safeguards_is_not_applicable():
    assert outcomes(plan(buckets=(bucket(),)), "bucket-safeguards") == ["not-applicable"]
    assert outcomes(plan(), "bucket-safeguards") == ["not-applicable"]
