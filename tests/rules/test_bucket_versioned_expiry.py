"""What expires in buckets with versions."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.hygiene import safe_bucket
from tests.rules.cases.judging import findings, group, outcomes, plan


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, "fine"),
        ({"expires_noncurrent": False}, "violated"),
        ({"versioned": False, "expires_noncurrent": False}, "fine"),
        ({"versioned": False, "aborts_uploads": False}, "violated"),
        ({"versioned": UNKNOWN}, "not-knowable"),
        ({"expires_noncurrent": UNKNOWN}, "not-knowable"),
        ({"aborts_uploads": UNKNOWN}, "not-knowable"),
    ],
    ids=str,
)
def test_old_versions_and_uploads_expire(changes, outcome):
    assert outcomes(plan(buckets=(safe_bucket(**changes),)), "bucket-versioned-expiry") == [
        outcome
    ]


def test_without_a_bucket_bucket_versioned_expiry_does_not_apply():
    assert outcomes(plan(group()), "bucket-versioned-expiry") == ["not-applicable"]


def test_unfinished_uploads_have_a_way_out_of_their_own():
    (finding,) = findings(
        plan(buckets=(safe_bucket(aborts_uploads=False),)), "bucket-versioned-expiry"
    )
    assert finding.message == "incomplete multipart uploads never expire"
    assert "aborts incomplete multipart uploads" in finding.fix
