"""Capacity block settings are valid, and the run ends before the block does."""

from typing import Final

from gpuinfra.cost.blocks import too_long
from gpuinfra.model import Group
from gpuinfra.rules.rule import (
    Finding,
    Judged,
    Rule,
    Words,
    each_group,
    not_applicable,
    reported,
    violated,
)

WORDS: Final = Words(
    good="the block is named and placed by the cloud",
    bad="",
    unknown="how its machines are bought is not known yet",
)


def _group(judged: Judged, group: Group) -> Finding:
    found = reported(group.subject, group.faults, RULE.id, WORDS)
    if found.outcome != "fine":
        return found
    if group.rung.capacity != "capacity-block":
        return not_applicable(group.subject, "no capacity block")
    if late := too_long(group, judged.today):
        return violated(
            group.subject, late, fix="shorten the run, or take a block that ends later"
        )
    return found


RULE = Rule(
    id="capacity-block",
    family="spot",
    title="Capacity blocks are used as the cloud takes them",
    why="A block in a placement group loses machines, one that is not named starts none, and "
    "its machines are taken away from half an hour before its end.",
    fix="name the reservation, leave the placement group out, and end the run before the block",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    check=lambda judged, _: each_group(judged, lambda group: _group(judged, group)),
    alone=True,
)
