"""Every fabric interface of a machine is declared, at a valid position."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.model import Fabric, Group, Machine, Unknown
from gpuinfra.rules.fabric import (
    LoneMachines,
    groups_without_fabric,
    judge_fabrics,
    lone_machines,
    may_train_together,
)
from gpuinfra.rules.fault_findings import judge_rule_faults
from gpuinfra.rules.rule import (
    FactMessages,
    Finding,
    Rule,
    RuleInput,
    fine,
    not_knowable,
    settings_hint,
    violated,
    worst_finding,
)

WORDS: Final = FactMessages(good="declared", unknown="its interfaces are not known yet")


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare the declared interfaces with those that each machine type has."""
    lone = lone_machines(rule_input)
    needing = groups_without_fabric(rule_input, lone)
    if not needing or any(group.fabric for group in rule_input.plan.groups):
        yield from judge_fabrics(
            rule_input, lambda group, fabric: _group(rule_input, group, fabric)
        )
    yield from (_undeclared_fabric_finding(rule_input, group, lone) for group in needing)


def _undeclared_fabric_finding(rule_input: RuleInput, group: Group, lone: LoneMachines) -> Finding:
    """Judge a group that declares no fabric and needs one, or may need one."""
    if may_train_together(rule_input, group, lone):
        types = ", ".join(dict.fromkeys(name for name, _ in rule_input.named_machines(group)))
        return not_knowable(
            group.subject,
            f"no fabric interface of {types} is declared, and it is unknown whether its machines "
            "train together: set in the settings file (--settings), or in a pack's `usage`, its "
            "purpose (training or inference), or its fabric (required or none)",
        )
    return worst_finding(
        _undeclared_finding(group, machine_type)
        for machine_type in rule_input.machine_types(group)
    )


def _undeclared_finding(group: Group, machine: Machine | None) -> Finding:
    if machine is None or machine.fabric_interfaces is None:
        return not_knowable(
            group.subject, "the number of interfaces of the machine type is unknown"
        )
    if not machine.fabric_interfaces:
        return violated(group.subject, f"{machine.type} has no fabric interface")
    return violated(
        group.subject,
        f"0 of {machine.fabric_interfaces} fabric interfaces of {machine.type} are "
        "declared, and its machines train together",
        fix=f"declare {machine.fabric_interfaces} fabric interfaces; if each machine trains "
        f"alone, say so {settings_hint(group.name, 'fabric: none')}",
    )


def _group(rule_input: RuleInput, group: Group, fabric: Fabric) -> Finding:
    finding = judge_rule_faults(group.subject, fabric.faults, RULE.id, WORDS)
    if finding.outcome != "fine":
        return finding
    if isinstance(fabric.interfaces, Unknown):
        return not_knowable(group.subject, WORDS.unknown)
    declared_interfaces = fabric.interfaces
    return worst_finding(
        _machine(group, declared_interfaces, machine_type)
        for machine_type in rule_input.machine_types(group)
    )


def _machine(group: Group, declared_interfaces: int, machine: Machine | None) -> Finding:
    if machine is None or machine.fabric_interfaces is None:
        return not_knowable(
            group.subject, "the number of interfaces of the machine type is unknown"
        )
    if declared_interfaces != machine.fabric_interfaces:
        return violated(
            group.subject,
            f"{declared_interfaces} of {machine.fabric_interfaces} fabric interfaces of "
            f"{machine.type} are declared",
            fix=f"declare {machine.fabric_interfaces} fabric interfaces",
        )
    return fine(
        group.subject, f"{declared_interfaces} of {declared_interfaces} interfaces declared"
    )


RULE = Rule(
    id="fabric-interfaces",
    family="fabric",
    title="Every fabric interface is declared",
    why="Each missing interface costs its share of the bandwidth: 1 of 4 gives a quarter.",
    fix="declare all interfaces of the machine type",
    fix_by_cloud={
        "aws": "one EFA interface per card",
        "gcp": "all gVNIC and RoCE interfaces",
        "azure": "use one scale set, which includes them",
    },
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    check=check,
    alone=True,
)
