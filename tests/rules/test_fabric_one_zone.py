"""The machines of a fabric are in one zone."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.fabric import alone, training
from tests.rules.cases.judging import findings, group, outcomes, plan


@pytest.mark.parametrize(
    ("zones", "ids", "apart"),
    [
        (("a", "a"), ((), ()), ""),
        (("a", "b"), ((), ()), "a, b"),
        (("a", "a"), (("use1-az1",), ("use1-az2",)), "use1-az1, use1-az2"),
        (("a", "a"), (("use1-az1",), ("use1-az1",)), ""),
    ],
)
def test_machines_that_train_together_are_in_one_zone_by_name_and_by_id(
    zones: tuple[str, ...], ids: tuple[tuple[str, ...], ...], apart: str
) -> None:
    two = [
        alone(f"w{number}", zones=(zone,), zone_ids=of_zone)
        for number, (zone, of_zone) in enumerate(zip(zones, ids, strict=True))
    ]

    found = [it.message for it in findings(plan(*two), "fabric-one-zone") if it.refuses]

    assert found == ([f"it and 1 more are in several zones: {apart}"] if apart else [])


def test_one_machine_that_may_start_in_either_of_two_zones_is_not_apart() -> None:
    assert outcomes(plan(alone("w", zones=("a", "b"))), "fabric-one-zone") == ["fine"]


@pytest.mark.parametrize(
    ("one_zone", "outcome"),
    [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable")],
)
def test_machines_of_a_fabric_are_in_one_zone(one_zone, outcome):
    assert outcomes(plan(training(one_zone=one_zone)), "fabric-one-zone") == [outcome]


def test_without_a_fabric_one_zone_does_not_apply():
    assert outcomes(plan(group()), "fabric-one-zone") == ["not-applicable"]
