"""Training ends after a time."""

import re
from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.model import UNKNOWN, Rung
from gpuinfra.report.examples import example
from gpuinfra.rules.time_limit import RULE
from tests.rules.cases.judging import findings, group, plan


@pytest.mark.parametrize(
    ("purpose", "ends", "outcome"),
    [
        ("training", True, "fine"),
        ("training", False, "violated"),
        ("training", None, "violated"),
        ("training", UNKNOWN, "not-knowable"),
        ("unknown", True, "fine"),
        ("unknown", False, "not-knowable"),
        ("inference", False, "not-applicable"),
    ],
)
def test_training_ends_after_a_time(purpose, ends, outcome):
    (finding,) = findings(plan(group(purpose=purpose, ends=ends)), "time-limit")
    assert (finding.outcome, finding.level) == (outcome, "advisory")
    if outcome == "not-knowable":
        assert ("unknown whether it trains" in finding.message) is (purpose == "unknown")


def test_the_example_follows_the_advice():
    hours = re.search(r"(\d+h) for (\d+h)$", RULE.stack_file_fix)

    assert f"duration: {hours[2]}, time_to_live: {hours[1]}" in example(RULE.id).good


@pytest.mark.parametrize(
    ("end", "outcome"), [(12, "violated"), (24, "fine"), (None, "not-knowable")]
)
def test_machines_that_end_before_their_run_are_told(end, outcome):
    within = None if end is None else Decimal(end)
    early = group(ends=True, ends_within=within, hours=Decimal(24))
    (finding,) = findings(plan(early), "time-limit")
    assert finding.outcome == outcome
    if outcome == "violated":
        assert finding.message == "its machines end after 12 h, before its run of 24 h ends"


@pytest.mark.parametrize("stated", ["ends_after", "ends_claimed"])
def test_the_hours_that_are_left_of_a_run_are_not_its_length(stated):
    begun = group(ends=True, ends_within=Decimal("2.8"), hours=Decimal(4), **{stated: Decimal(5)})
    (finding,) = findings(plan(begun), "time-limit")
    assert finding.outcome == "fine"


def test_a_capacity_block_ends_its_machines():
    block = group(ends=False)
    rung = Rung(capacity="capacity-block", machine="p5.48xlarge", region="us-east-1", zones=())
    (finding,) = findings(plan(replace(block, rungs=(rung,))), "time-limit")
    assert (finding.outcome, finding.message) == (
        "fine",
        "its machines end with their capacity block",
    )
