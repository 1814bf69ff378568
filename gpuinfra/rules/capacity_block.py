"""Capacity block settings are valid, and the run ends before the block does."""

from typing import Final

from gpuinfra.cost.capacity_block_end import block_misfit
from gpuinfra.model import Group
from gpuinfra.rules.fault_findings import judge_rule_faults
from gpuinfra.rules.rule import (
    FactMessages,
    Finding,
    Rule,
    RuleInput,
    each_group,
    not_applicable,
    violated,
)

WORDS: Final = FactMessages(
    good="the block is named and the cloud places its machines",
    unknown="the purchase option is not known yet",
)


def _group(rule_input: RuleInput, group: Group) -> Finding:
    finding = judge_rule_faults(group.subject, group.faults, RULE.id, WORDS)
    if finding.outcome != "fine":
        return finding
    if group.rung.capacity != "capacity-block":
        return not_applicable(group.subject, "no capacity block")
    if late := block_misfit(group, rule_input.today):
        return violated(group.subject, late, fix="shorten the run, or use a block that ends later")
    return finding


RULE = Rule(
    id="capacity-block",
    family="spot",
    title="Capacity block settings are valid",
    why="In a placement group, some machines of a block may not start for insufficient "
    "capacity; a launch without the reservation's id gets none of them; and the cloud starts "
    "to terminate the machines 30 minutes before the block ends.",
    fix="name the reservation, remove the placement group, and end the run before the block ends",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    check=lambda judged, _: each_group(judged, lambda group: _group(judged, group)),
    alone=True,
)
