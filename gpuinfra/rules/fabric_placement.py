"""The machines of a fabric stand close together."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.fabric import of_fabrics
from gpuinfra.rules.rule import Finding, Judged, Rule, fine, not_knowable, violated


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the placement of each group with a fabric."""
    return of_fabrics(judged, _group)


def _group(group: Group) -> Finding:
    placement = None if group.fabric is None else group.fabric.placement
    if isinstance(placement, Unknown):
        return not_knowable(group.subject, "its placement is not known")
    if group.rung.capacity == "capacity-block":
        if placement is None:
            return fine(group.subject, "a capacity block is placed by the cloud")
        return violated(
            group.subject,
            f"a capacity block stands in a {placement} placement group",
            fix="leave the placement group out: the block is placed already",
        )
    if placement == "cluster":
        return fine(group.subject, "cluster placement")
    found = "no placement group" if placement is None else f"a {placement} placement group"
    return violated(group.subject, f"{found}, so its machines may stand far apart")


RULE = Rule(
    id="fabric-placement",
    family="fabric",
    title="Machines of a fabric stand close together",
    why="Cluster placement gives the lowest latency; a capacity block loses machines by it.",
    fix="put the group into a placement group with strategy cluster",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html",
    check=check,
)
