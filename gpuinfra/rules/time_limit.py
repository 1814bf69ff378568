"""A training run has a time limit."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.rule import (
    Finding,
    Judged,
    Rule,
    fine,
    not_applicable,
    not_knowable,
    violated,
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each group that trains, or may train."""
    trains = [group for group in judged.plan.groups if group.purpose != "inference"]
    if not trains:
        yield not_applicable(judged.plan.name, "nothing trains")
    yield from map(_group, trains)


def _group(group: Group) -> Finding:
    if group.rung.capacity == "capacity-block":
        return fine(group.subject, "its machines end with their capacity block")
    if group.kept.ends is True:
        return fine(group.subject, "its runtime is limited")
    if isinstance(group.kept.ends, Unknown):
        return not_knowable(group.subject, "its maximum runtime is unknown")
    if group.purpose == "unknown":
        return not_knowable(
            group.subject, "no maximum runtime, and it is unknown whether it trains"
        )
    return violated(group.subject, "no maximum runtime: a hung run keeps billing")


RULE = Rule(
    id="time-limit",
    family="budget",
    title="Training has a maximum runtime",
    why="A run that hangs on a Friday is billed all weekend.",
    fix="add time_to_live: 90h, for example (AWS); a maximum run duration; or a schedule "
    "that deletes it",
    source="https://docs.cloud.google.com/compute/docs/instances/limit-vm-runtime",
    check=check,
    level="advisory",
)
