"""A monthly budget in the cloud itself."""

from decimal import Decimal

import pytest

from gpuinfra.model import UNKNOWN, Caps
from tests.rules.cases.judging import findings, group, outcomes, plan, verdict
from tests.rules.cases.judging import group as machines


@pytest.mark.parametrize(
    ("kept", "cap", "outcome", "words"),
    [
        (None, None, "violated", "no monthly budget in the cloud counts these machines"),
        (None, 100, "noted", "no monthly budget in the cloud counts these machines"),
        (UNKNOWN, 100, "not-knowable", "is unknown"),
        (100, 100, "fine", "the cloud's budget is $100.00 a month; its alerts arrive hours late"),
        (100, None, "fine", "budget is $100.00"),
        (101, 100, "violated", "of $101.00 a month is above the cap of $100.00"),
        (Decimal("100.001"), 100, "violated", "of $100.001 a month is above the cap of $100.000"),
    ],
)
def test_a_budget_stands_in_the_cloud_itself(kept, cap, outcome, words):
    limit = Decimal(kept) if isinstance(kept, int) else kept
    caps = Caps(per_month=None if cap is None else Decimal(cap))
    (finding,) = findings(plan(group(), caps=caps, cloud_budget=limit), "cloud-budget")
    assert (finding.outcome, finding.level, finding.subject) == (outcome, "advisory", "shop")
    assert words in finding.message
    assert outcomes(plan(caps=caps, cloud_budget=limit), "cloud-budget") == ["not-applicable"]


@pytest.mark.parametrize(
    ("caps", "from_file", "outcome"),
    [
        (Caps(per_hour=Decimal(9)), True, "noted"),
        (Caps(per_run=Decimal(9)), True, "noted"),
        (Caps(), True, "violated"),
        (Caps(per_hour=Decimal(9)), False, "noted"),
        (Caps(), False, "violated"),
    ],
)
def test_a_missing_budget_is_only_noted_with_caps(caps, from_file, outcome):
    judged = plan(group(), caps=caps, from_file=from_file)
    assert outcomes(judged, "cloud-budget") == [outcome]


def test_a_budget_that_nothing_ends_in_a_month_begins_with_what_to_add():
    judged = plan(group(purpose="inference"), caps=Caps(), from_file=True)
    (finding,) = findings(judged, "cloud-budget")

    assert finding.fix.startswith("add to budget: per_month: ")


@pytest.mark.parametrize(("cloud", "word"), [("gcp", "labels"), ("aws", "tags")])
def test_a_budget_counts_by_what_its_cloud_calls_marks(cloud, word):
    types = {"gcp": ("g2-standard-8", "us-central1"), "aws": ("g6.xlarge", "us-east-1")}
    type_, region = types[cloud]
    judged = plan(machines(type_, cloud=cloud, region=region), from_file=False)
    (finding,) = (each for each in verdict(judged).findings if each.rule == "cloud-budget")

    assert finding.fix.endswith(f"counts these machines by their {word}")
