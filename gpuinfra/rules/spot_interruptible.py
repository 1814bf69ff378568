"""Spot only where work can be interrupted: a pool keeps machines that stay."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.model import UNKNOWN, Group
from gpuinfra.rules.rule import (
    Finding,
    Judged,
    Rule,
    Setting,
    fine,
    not_applicable,
    not_knowable,
    violated,
)
from gpuinfra.rules.spot import uses_spot


def check(judged: Judged, settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each group on spot that does not train; spot-checkpoints judges training."""
    groups = [g for g in judged.plan.groups if uses_spot(g) and g.purpose != "training"]
    if not groups:
        yield not_applicable(judged.plan.name, "nothing but training is on spot")
    for group in groups:
        yield _group(group, settings["on_demand_base"])


def _group(group: Group, least: int) -> Finding:
    base = group.rung.on_demand_base
    if base >= least:
        return fine(group.subject, f"{base} on demand when spot goes away")
    if group.purpose == "unknown" and group.interruptible is True:
        return fine(group.subject, "its work can be interrupted")
    if group.purpose == "unknown" and group.interruptible is UNKNOWN:
        return not_knowable(group.subject, "nobody says whether its work can be interrupted")
    return violated(
        group.subject,
        f"{base} machines on demand, fewer than {least}: spot may take the whole pool at once",
    )


RULE = Rule(
    id="spot-interruptible",
    family="spot",
    title="Spot only where work can be interrupted",
    why="Spot machines go with two minutes' notice, often all of a kind together.",
    fix="keep machines on demand (on_demand_base), or write checkpoints",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-interruptions.html",
    check=check,
    settings=(
        Setting(
            name="on_demand_base",
            kind="whole",
            default=1,
            why="machines of a pool that stay when spot goes away",
        ),
    ),
)
