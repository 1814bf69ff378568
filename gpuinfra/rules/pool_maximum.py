"""No group of machines grows beyond the size that the caps count."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.rule import Finding, Judged, Rule, each_group, fine, not_knowable, violated


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every group."""
    return each_group(judged, _group)


def _group(group: Group) -> Finding:
    if isinstance(group.unbounded, Unknown):
        return not_knowable(group.subject, "whether it may outgrow its maximum is not known yet")
    if group.unbounded:
        return violated(group.subject, "; ".join(group.unbounded))
    if isinstance(group.maximum, Unknown):
        return not_knowable(group.subject, "how many machines it may hold is not known yet")
    more = f" and {group.surge} during an update" if group.surge else ""
    return fine(group.subject, f"at most {group.maximum}{more}, and the caps count as many")


RULE = Rule(
    id="pool-maximum",
    family="budget",
    title="No pool outgrows what the caps count",
    why="A cap counts a pool at its maximum; what may come on top of it is paid and not seen.",
    fix="give it a maximum that holds, or take away what may exceed it",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-capacity-limits.html",
    check=check,
    alone=True,
)
