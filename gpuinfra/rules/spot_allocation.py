"""Spot machines of several types are not allocated by the lowest price alone."""

from typing import Final

from gpuinfra.model import Group
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    Words,
    each_group,
    fact,
    for_each,
    not_applicable,
    opposite,
)

WORDS: Final = Words(
    good="spot machines are taken by more than their price",
    bad="spot machines are taken by the lowest price alone, which the cloud takes where nobody "
    "says otherwise",
    unknown="by what its spot machines are taken is not known yet",
)


def _group(group: Group) -> Finding:
    if group.market.lowest_price is None:
        return not_applicable(group.subject, "nothing is chosen by price")
    return fact(group.subject, opposite(group.market.lowest_price), WORDS)


RULE = Rule(
    id="spot-allocation",
    family="spot",
    title="Spot machines are not taken by the lowest price alone",
    why="The cheapest machines are those that are interrupted most.",
    fix="set spot_allocation_strategy to price-capacity-optimized",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/allocation-strategies.html",
    check=for_each(each_group, _group),
    level="advisory",
    alone=True,
)
