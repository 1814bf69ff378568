"""Fleets that got fewer machines than requested, and that no service retries."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gpuinfra.engine.stack_state import Snapshot, unwrap_secrets

FLEET = "aws:ec2/fleet:Fleet"


def unfilled_fleets(snapshot: Snapshot) -> list[str]:
    """Return the URNs of fleets of type instant that lack machines.

    Such a fleet asks once. Without capacity it exists empty, and only a new one asks again:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instant-fleet.html
    """
    return [
        entry["urn"]
        for entry in snapshot.entries
        if entry["type"] == FLEET and not entry.get("delete") and _is_empty_fleet(entry)
    ]


def _is_empty_fleet(entry: Mapping[str, Any]) -> bool:
    inputs, outputs = (
        unwrap_secrets(entry.get("inputs") or {}),
        unwrap_secrets(entry.get("outputs") or {}),
    )
    target = (inputs.get("targetCapacitySpecification") or {}).get("totalTargetCapacity")
    capacity = outputs.get("fulfilledCapacity")
    if inputs.get("type") != "instant" or target is None or capacity is None:
        return False
    return Decimal(str(capacity)) < Decimal(str(target))
