"""The settings of machines that wait for capacity (flex-start) are valid."""

from typing import Final

from gpuinfra.model import Group
from gpuinfra.rules.fault_findings import judge_rule_faults
from gpuinfra.rules.rule import FactMessages, Finding, Rule, each_group, not_applicable, row_check

FLEX_START: Final = "flex-start"
WORDS: Final = FactMessages(
    good="flex-start settings are valid", unknown="the purchase option is not known yet"
)


def _group(group: Group) -> Finding:
    finding = judge_rule_faults(group.subject, group.faults, RULE.id, WORDS)
    classes = group.market.usage_classes
    if finding.outcome != "fine" or (isinstance(classes, tuple) and FLEX_START in classes):
        return finding
    return not_applicable(group.subject, "it does not use flex-start")


RULE = Rule(
    id="flex-start",
    family="spot",
    title="Flex-start settings are valid",
    why="Flex-start machines run for a limited time and are never spot; the cloud refuses "
    "other combinations.",
    fix="change the setting that the message names, or buy on demand or on spot",
    source="https://docs.cloud.google.com/compute/docs/instances/about-flex-start-vms",
    check=row_check(each_group, _group),
    alone=True,
)
