"""Lifecycle rules of buckets."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.hygiene import safe_bucket
from tests.rules.cases.judging import findings, group, outcomes, plan


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"expires": True}, "fine"),
        ({"expires": False}, "violated"),
        ({"expires": UNKNOWN}, "not-knowable"),
    ],
    ids=str,
)
def test_something_of_a_bucket_expires(changes, outcome):
    (finding,) = findings(plan(buckets=(safe_bucket(**changes),)), "bucket-lifecycle")
    assert (finding.outcome, finding.level) == (outcome, "advisory")


def test_without_a_bucket_bucket_lifecycle_does_not_apply():
    assert outcomes(plan(group()), "bucket-lifecycle") == ["not-applicable"]
