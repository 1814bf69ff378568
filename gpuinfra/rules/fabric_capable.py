"""A fabric is requested only on machines that support one."""

from gpuinfra.model import Fabric, Group, Machine
from gpuinfra.rules.fabric import judge_fabrics
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    RuleInput,
    fine,
    not_knowable,
    violated,
    worst_finding,
)


def _group(rule_input: RuleInput, group: Group, _: Fabric) -> Finding:
    return worst_finding(
        _machine(group, name, machine) for name, machine in rule_input.named_machines(group)
    )


def _machine(group: Group, name: str, machine: Machine | None) -> Finding:
    if machine is None:
        return not_knowable(group.subject, f"{name} is not in the catalog")
    if machine.fabric_interfaces is None:
        return not_knowable(group.subject, f"it is unknown whether {name} supports a fabric")
    if machine.fabric_interfaces == 0:
        return violated(group.subject, f"{name} has no fabric interface")
    names = ", ".join(group.machines or (group.rung.machine,))
    return fine(group.subject, f"{names} supports the fabric")


RULE = Rule(
    id="fabric-capable",
    family="fabric",
    title="Machines in a fabric support it",
    why="Without an RDMA interface NCCL falls back to TCP and reports no error.",
    fix="choose a machine type with fabric interfaces, or set fabric: none",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-instance-types",
    check=lambda judged, _: judge_fabrics(
        judged, lambda group, fabric: _group(judged, group, fabric)
    ),
    alone=True,
)
