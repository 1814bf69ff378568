"""NVLink, where requested, joins all GPUs of the machine."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.model import Group, Machine
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    RuleInput,
    fine,
    not_applicable,
    not_knowable,
    violated,
    worst_finding,
)


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each group that requests NVLink."""
    groups = [group for group in rule_input.plan.groups if group.needs.nvlink]
    if not groups:
        yield not_applicable(rule_input.plan.name, "no group requires NVLink")
    for group in groups:
        yield worst_finding(
            _machine(group, *machine) for machine in rule_input.named_machines(group)
        )


def _machine(group: Group, name: str, machine: Machine | None) -> Finding:
    if machine is None or machine.nvlink is None:
        return not_knowable(group.subject, f"it is unknown whether {name} has NVLink")
    if not machine.nvlink:
        return violated(group.subject, f"{name} has no NVLink")
    if machine.nvlink_domain is None:
        return not_knowable(group.subject, f"the size of {name}'s NVLink domain is unknown")
    if machine.nvlink_domain < machine.gpu_count:
        return violated(
            group.subject,
            f"NVLink connects the {machine.gpu_count} GPUs of {name} only in groups of "
            f"{machine.nvlink_domain}",
        )
    names = ", ".join(group.machines or (group.rung.machine,))
    return fine(group.subject, f"{names}: NVLink connects the GPUs")


RULE = Rule(
    id="nvlink",
    family="fabric",
    title="Machine types have NVLink where it is required",
    why="Tensor parallelism over PCIe runs several times slower than over NVLink.",
    fix="choose a machine type with NVLink, or remove nvlink: true where it is required: under "
    "resources in the settings file (--settings), or a pack's usage",
    stack_file_fix="choose a machine type with NVLink, or remove nvlink: true",
    source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/overview.html",
    check=check,
    alone=True,
)
