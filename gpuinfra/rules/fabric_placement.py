"""The machines of a fabric stand close together."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.fabric import of_fabrics
from gpuinfra.rules.rule import Finding, Judged, Rule, fine, not_knowable, violated

CLOSE: Final = {
    "cluster": "cluster placement",
    "compact": "compact placement",
    "single-placement-group": "one placement group",
}
"""Strategies that keep machines together, by the word of the model: AWS, Google Cloud, Azure."""


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
    if placement in CLOSE:
        return fine(group.subject, CLOSE[placement])
    if placement is None and group.rung.capacity == "reserved":
        return violated(
            group.subject,
            "nobody says in which placement group its reservation was made, so its machines may"
            " stand far apart",
            fix="name it: {reserved: {reservation: …, placement_group: …}}, or reserve in one",
        )
    found = "no placement" if placement is None else f"{placement} placement"
    return violated(group.subject, f"{found}, so its machines may stand far apart")


RULE = Rule(
    id="fabric-placement",
    family="fabric",
    title="Machines of a fabric stand close together",
    why="Cluster placement gives the lowest latency; a capacity block loses machines by it.",
    fix="keep the machines together: a placement group with strategy cluster (AWS), a compact "
    "placement policy (Google Cloud), one scale set in a single placement group (Azure)",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html",
    check=check,
    alone=True,
)
