"""Capacity blocks, used as the cloud takes them."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, Rung
from tests.rules.cases.grouped import changed
from tests.rules.cases.judging import findings, group, outcomes, plan


@pytest.mark.parametrize(
    ("changes", "outcome", "words"),
    [
        ({}, "not-applicable", "no capacity block"),
        ({"capacity": "capacity-block"}, "fine", "is named and the cloud places its machines"),
        ({"faults": rule_faults("capacity-block", ("a", "b"))}, "violated", "a; b"),
        ({"faults": rule_faults("capacity-block", UNKNOWN)}, "not-knowable", "is not known yet"),
    ],
)
def test_capacity_blocks_are_used_as_the_cloud_takes_them(changes, outcome, words):
    (finding,) = findings(plan(group(**changes)), "capacity-block")
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    assert words in finding.message


def test_a_run_ends_before_its_capacity_block_does():
    rung = Rung(
        capacity="capacity-block",
        machine="p5.48xlarge",
        region="us-east-1",
        zones=(),
        ends="2026-08-02T11:30:00+00:00",
    )
    long = replace(group(hours=Decimal(72)), rungs=(rung,))
    (finding,) = findings(plan(long), "capacity-block")
    assert finding.outcome == "violated"
    assert finding.fix == "shorten the run, or use a block that ends later"
    assert outcomes(plan(changed(long, hours=Decimal(1))), "capacity-block") == ["fine"]


def test_what_is_bought_by_the_hour_is_no_capacity_block():
    assert outcomes(plan(group()), "capacity-block") == ["not-applicable"]


def test_without_machines_no_capacity_block_is_judged():
    assert outcomes(plan(), "capacity-block") == ["not-applicable"]
