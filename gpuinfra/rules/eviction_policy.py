"""Only machines that may be evicted say what happens at an eviction."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_faults

WORDS: Final = Words(
    good="no eviction policy where nothing is evicted",
    bad="",
    unknown="whether its machines may be evicted is not known yet",
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every group."""
    return of_faults(judged, RULE.id, WORDS)


RULE = Rule(
    id="eviction-policy",
    family="spot",
    title="An eviction policy only on spot machines",
    why="Azure refuses it on a regular machine: somebody meant spot, and would pay in full.",
    fix="leave the eviction policy out, or set the priority to Spot",
    source="https://learn.microsoft.com/azure/virtual-machines/spot-vms",
    check=check,
    alone=True,
)
