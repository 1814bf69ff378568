from typing import Any

import pytest

from gpuinfra.engine.incomplete_fleets import FLEET, unfilled_fleets
from gpuinfra.engine.stack_state import Snapshot


def fleet(fulfilled: Any, type_: str = "instant", **more: Any) -> dict[str, Any]:
    return {
        "urn": f"urn:pulumi:dev::shop::{FLEET}::trainer-group",
        "type": FLEET,
        "inputs": {"type": type_, "targetCapacitySpecification": {"totalTargetCapacity": 2}},
        "outputs": {} if fulfilled is None else {"fulfilledCapacity": fulfilled},
        **more,
    }


@pytest.mark.parametrize("fulfilled", [0, 1.0])
def test_a_fleet_that_found_no_room_is_asked_for_again(fulfilled: Any) -> None:
    entry = fleet(fulfilled)

    assert unfilled_fleets(Snapshot({"resources": [entry]})) == [entry["urn"]]


@pytest.mark.parametrize(
    "entry",
    [
        fleet(2),
        fleet(None),
        fleet(0, "maintain"),
        fleet(0, delete=True),
        {**fleet(0), "type": "aws:ec2/instance:Instance"},
    ],
    ids=["whole", "unknown", "asks by itself", "going", "another type"],
)
def test_nothing_else_is(entry: dict[str, Any]) -> None:
    assert unfilled_fleets(Snapshot({"resources": [entry]})) == []
