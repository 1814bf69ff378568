"""A machine's disks are within the limits of their kind and of the machine."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.fault_findings import faults_check, judge_rule_faults
from gpuinfra.rules.rule import FactMessages, Finding, Rule, RuleInput

STANDALONE_DISK_MESSAGES: Final = FactMessages(
    good="within the limits",
    unknown="its size, IOPS or throughput, or whether the cloud takes them, is not known",
)
MACHINE_DISK_CHECK: Final = faults_check(
    "disk-limits",
    FactMessages(
        good="its disks are within the limits",
        unknown="its disks, or whether the cloud takes their settings, are not known",
    ),
)


def check(rule_input: RuleInput, settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the disks of every group, and each disk that belongs to no group."""
    disks = rule_input.plan.disks
    if rule_input.plan.groups or not disks:
        yield from MACHINE_DISK_CHECK(rule_input, settings)
    yield from (
        judge_rule_faults(disk.subject, disk.faults, RULE.id, STANDALONE_DISK_MESSAGES)
        for disk in disks
    )


RULE = Rule(
    id="disk-limits",
    family="hygiene",
    title="Disks are within the limits of their type and machine",
    why="The cloud refuses a disk beyond its type's limits, and bills performance that the "
    "machine can't use.",
    fix="choose a size, IOPS and throughput within the limits that the message names",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html",
    check=check,
    alone=True,
)
