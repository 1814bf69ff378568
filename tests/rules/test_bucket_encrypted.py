"""Encryption of buckets at rest."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.hygiene import safe_bucket
from tests.rules.cases.judging import findings, group, outcomes, plan


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, "fine"),
        ({"encrypted": False}, "violated"),
        ({"encrypted": UNKNOWN}, "not-knowable"),
    ],
    ids=str,
)
def test_a_bucket_is_encrypted(changes, outcome):
    assert outcomes(plan(buckets=(safe_bucket(**changes),)), "bucket-encrypted") == [outcome]


def test_without_a_bucket_bucket_encrypted_does_not_apply():
    assert outcomes(plan(group()), "bucket-encrypted") == ["not-applicable"]


def test_the_message_names_what_is_wrong():
    (finding,) = findings(plan(buckets=(safe_bucket(encrypted=False),)), "bucket-encrypted")
    assert finding.message == "its encryption configuration names no algorithm"
    assert finding.refuses
