"""Scaling settings are valid."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_faults

WORDS: Final = Words(
    good="nothing of its scaling is refused",
    bad="",
    unknown="how it scales is not known yet",
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every group."""
    return of_faults(judged, RULE.id, WORDS)


RULE = Rule(
    id="scaling-settings",
    family="hygiene",
    title="Groups scale as the cloud lets them",
    why="Limits that no size fits, or a warm pool beside spot machines, and all of it is refused.",
    fix="write limits that a size fits, and leave the warm pool or the spot machines out",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-warm-pools.html",
    check=check,
    alone=True,
)
