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
        return fine(group.subject, "something ends it after a time")
    if isinstance(group.kept.ends, Unknown):
        return not_knowable(group.subject, "whether something ends it after a time is not known")
    if group.purpose == "unknown":
        return not_knowable(group.subject, "nothing ends it, and nobody says whether it trains")
    return violated(
        group.subject, "nothing ends it: a run that hangs is paid until somebody looks"
    )


RULE = Rule(
    id="time-limit",
    family="budget",
    title="Training ends after a time",
    why="A run that hangs on a Friday is paid all weekend.",
    fix="add time_to_live: … (on AWS), a maximum run duration, or a schedule that takes it down",
    source="https://docs.cloud.google.com/compute/docs/instances/limit-vm-runtime",
    check=check,
    level="advisory",
)
