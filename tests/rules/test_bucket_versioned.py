"""Buckets that keep old versions of objects."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases import azure_stacks, gcp_stacks
from tests.rules.cases.hygiene import safe_bucket
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.program import Program

RULE = "bucket-versioned"


@pytest.mark.parametrize(
    ("versioned", "outcome"),
    [
        (True, "fine"),
        (False, "violated"),
        (UNKNOWN, "not-knowable"),
        (None, "not-applicable"),
    ],
)
def test_a_bucket_keeps_old_versions(versioned: Any, outcome: str) -> None:
    judged = plan(buckets=(safe_bucket(versioned=versioned),))

    assert outcomes(judged, RULE) == [outcome]
    assert outcomes(plan(group()), "bucket-versioned") == ["not-applicable"]


@pytest.mark.parametrize(
    ("versioned", "recoverable", "outcome"),
    [
        (False, True, "fine"),
        (UNKNOWN, True, "fine"),
        (False, UNKNOWN, "not-knowable"),
        (None, True, "not-applicable"),
    ],
)
def test_soft_delete_keeps_them_too(versioned: Any, recoverable: Any, outcome: str) -> None:
    judged = plan(buckets=(safe_bucket(versioned=versioned, recoverable=recoverable),))

    assert outcomes(judged, RULE) == [outcome]


NO_SOFT_DELETE = {"softDeletePolicy": {"retentionDurationSeconds": 0}}


@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({}, "fine"),
        ({"softDeletePolicy": {"retentionDurationSeconds": 604800}}, "fine"),
        (NO_SOFT_DELETE, "violated"),
        ({"softDeletePolicy": {"retentionDurationSeconds": "0"}}, "violated"),
        ({"softDeletePolicy": {"retentionDurationSeconds": UNKNOWN}}, "not-knowable"),
        ({**NO_SOFT_DELETE, "retentionPolicy": {"isLocked": True}}, "fine"),
        ({**NO_SOFT_DELETE, "retentionPolicy": {"isLocked": False}}, "violated"),
    ],
    ids=str,
)
def test_google_deletes_softly_unless_it_is_off(inputs: dict[str, Any], outcome: str) -> None:
    program, bucket = gcp_stacks.good_bucket()
    program.change(bucket, versioning=None, **inputs)

    judged = of_resources(program.resources())
    assert outcomes(judged, RULE) == [outcome]
    assert outcomes(judged, "bucket-versioned-expiry") == ["fine"]


@pytest.mark.parametrize(
    ("policy", "outcome"),
    [
        ({"enabled": True, "days": 7}, "fine"),
        ({"enabled": False}, "violated"),
        ({"enabled": UNKNOWN}, "not-knowable"),
        (None, "violated"),
    ],
    ids=str,
)
def test_an_account_of_azure_deletes_softly_if_it_is_on(policy: Any, outcome: str) -> None:
    program, _, parts = azure_stacks.good_bucket()
    settings = {"isVersioningEnabled": False, "deleteRetentionPolicy": policy}
    program.change(parts["service"], **settings)

    assert outcomes(of_resources(program.resources()), RULE) == [outcome]


@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({}, "violated"),
        ({"versioning": {"enabled": True}}, "fine"),
        ({"objectLockEnabled": True}, "fine"),
        ({"objectLockEnabled": UNKNOWN}, "not-knowable"),
    ],
    ids=str,
)
def test_object_lock_turns_versioning_on(inputs: dict[str, Any], outcome: str) -> None:
    program = Program()
    program.add("aws:s3/bucket:Bucket", "data", **inputs)

    assert outcomes(of_resources(program.resources()), RULE) == [outcome]


def test_a_hierarchical_namespace_has_no_versions() -> None:
    azure, _, parts = azure_stacks.good_bucket()
    azure.change(parts["account"], isHnsEnabled=True)
    google, bucket = gcp_stacks.good_bucket()
    google.change(bucket, versioning=None, hierarchicalNamespace={"enabled": True})

    for program in (azure, google):
        judged = of_resources(program.resources())
        assert outcomes(judged, RULE) == ["not-applicable"]
        assert outcomes(judged, "bucket-versioned-expiry") == ["fine"]


def test_an_account_without_a_blob_service_has_no_versions() -> None:
    program, container, parts = azure_stacks.good_bucket()
    program.drop(parts["service"])

    (finding,) = findings(of_resources(program.resources()), RULE)

    assert (finding.outcome, finding.subject) == ("violated", container.urn)
    assert "isVersioningEnabled: true" in finding.fix
