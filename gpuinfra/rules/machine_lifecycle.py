"""Machines of a group come back, are repaired, and are told of their end."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.model import Group
from gpuinfra.rules.rule import Finding, Judged, Rule, Words, each_group, not_applicable, reported


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every group whose cloud shows it."""
    return each_group(judged, _group)


def _group(group: Group) -> Finding:
    if group.life is None:
        return not_applicable(group.subject, "its machines' life is not judged on this cloud")
    good = "; ".join(group.life.ways) or "nothing is said of it"
    words = Words(good=good, bad="", unknown="what is said of it is not known yet")
    return reported(group.subject, group.life.faults, RULE.id, words)


RULE = Rule(
    id="machine-lifecycle",
    family="hygiene",
    title="Evicted machines of a run come back, and no machine too many joins it",
    why="A run on spot machines that nothing starts again stands still, and what still runs of it "
    "is paid for; a machine that is deleted again takes its part of the run along.",
    fix="set spotRestorePolicy, or an autoscale setting that keeps the number; set overprovision "
    "to false",
    source="https://learn.microsoft.com/azure/virtual-machine-scale-sets/use-spot",
    check=check,
    level="advisory",
)
