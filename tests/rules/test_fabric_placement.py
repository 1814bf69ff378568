"""Machines of a fabric are near each other."""

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN
from tests.rules.cases.fabric import (
    URN,
    alone,
    joined,
    of_fabric,
)
from tests.rules.cases.judging import findings, group, outcomes, plan


def test_what_is_refused_of_a_placement_is_spoken_by_its_rule():
    told = rule_faults("fabric-placement", ("too near", "b"), fix="move them")
    (finding,) = of_fabric("fabric-placement", placement="compact", faults=told)
    assert finding.outcome == "violated"
    assert (finding.message, finding.fix) == ("too near; b", "move them")
    assert outcomes(plan(group(fabric=joined(placement="compact"))), "fabric-placement") == [
        "fine"
    ]


@pytest.mark.parametrize(
    ("placement", "outcome", "words"),
    [
        ("cluster", "fine", "cluster placement"),
        ("spread", "violated", "spread placement"),
        (None, "violated", "no placement"),
        (UNKNOWN, "not-knowable", "is unknown"),
    ],
)
def test_machines_stand_close_together(placement, outcome, words):
    (finding,) = of_fabric("fabric-placement", placement=placement)
    assert (finding.outcome, words in finding.message) == (outcome, True)


@pytest.mark.parametrize(
    ("capacity", "placement", "outcome", "words"),
    [
        ("capacity-block", None, "fine", ""),
        ("capacity-block", "cluster", "violated", "remove the placement group"),
        (
            "reserved",
            None,
            "violated",
            "set placement.groupName to the reservation's placement group",
        ),
        ("reserved", "cluster", "fine", ""),
        ("reserved", "spread", "violated", "a placement group with strategy cluster"),
    ],
)
def test_what_is_bought_beforehand_is_placed_beforehand(capacity, placement, outcome, words):
    bought = group(capacity=capacity, fabric=joined(placement=placement))
    (finding,) = findings(plan(bought), "fabric-placement")
    assert finding.outcome == outcome
    assert words in finding.fix


def test_machines_in_two_placements_are_not_near() -> None:
    two = alone("w0", placements=("p0",)), alone("w1", placements=("p1",))

    *_, last = findings(plan(*two), "fabric-placement")

    assert last.subject == URN.format("w0")
    assert last.message == (
        "it and 1 more are in 2 placements, and near each other only within one"
    )


def test_without_a_fabric_any_placement_will_do():
    assert outcomes(plan(group()), "fabric-placement") == ["not-applicable"]
