"""Spot machines of several types are not allocated by the lowest price alone."""

from typing import Final

from gpuinfra.clouds.observing.values import opposite
from gpuinfra.model import Group
from gpuinfra.rules.rule import (
    FactMessages,
    Finding,
    Rule,
    each_group,
    fact,
    not_applicable,
    row_check,
)

WORDS: Final = FactMessages(
    good="the spot allocation strategy considers more than the price",
    bad="spot machines are allocated by lowest price only, the cloud's default",
    unknown="the spot allocation strategy is not known yet",
)


def _group(group: Group) -> Finding:
    if group.market.lowest_price is None:
        return not_applicable(group.subject, "it has no spot allocation strategy")
    return fact(group.subject, opposite(group.market.lowest_price), WORDS)


RULE = Rule(
    id="spot-allocation",
    family="spot",
    title="Spot allocation considers more than the lowest price",
    why="The cheapest spot capacity is interrupted most often.",
    fix="set spotAllocationStrategy to price-capacity-optimized",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/allocation-strategies.html",
    check=row_check(each_group, _group),
    level="advisory",
    alone=True,
)
