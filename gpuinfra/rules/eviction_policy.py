"""Only machines that may be evicted say what happens at an eviction."""

from typing import Final

from gpuinfra.model import Group
from gpuinfra.rules.faults import of_group
from gpuinfra.rules.rule import Finding, Rule, Words, each_group, for_each

WORDS: Final = Words(
    good="no eviction policy; its machines are never evicted",
    bad="",
    unknown="it is not known yet whether its machines can be evicted",
)

SPOT: Final = Words(
    good="spot machines may have an eviction policy",
    bad="",
    unknown=WORDS.unknown,
)


def _group(group: Group) -> Finding:
    return of_group(group, RULE.id, SPOT if group.rung.capacity == "spot" else WORDS)


RULE = Rule(
    id="eviction-policy",
    family="spot",
    title="Only spot machines have an eviction policy",
    why="Azure refuses an eviction policy on a regular machine. A policy there often means "
    "that spot was intended.",
    fix="remove the eviction policy, or set the priority to Spot",
    source="https://learn.microsoft.com/azure/virtual-machines/spot-vms",
    check=for_each(each_group, _group),
    alone=True,
)
