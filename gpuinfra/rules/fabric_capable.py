"""A fabric is requested only on machines that support one."""

from gpuinfra.model import Group, Machine
from gpuinfra.rules.fabric import of_fabrics
from gpuinfra.rules.rule import Finding, Judged, Rule, fine, gravest, not_knowable, violated


def _group(judged: Judged, group: Group) -> Finding:
    return gravest(_machine(group, name, one) for name, one in judged.named_machines(group))


def _machine(group: Group, name: str, machine: Machine | None) -> Finding:
    if machine is None:
        return not_knowable(group.subject, f"no table knows {name}")
    if machine.fabric_interfaces is None:
        return not_knowable(group.subject, f"nobody knows whether {name} has a fabric")
    if machine.fabric_interfaces == 0:
        return violated(group.subject, f"{name} has no interface for a fabric")
    names = ", ".join(group.machines or (group.rung.machine,))
    return fine(group.subject, f"{names} can join a fabric")


RULE = Rule(
    id="fabric-capable",
    family="fabric",
    title="Machines of a fabric can join it",
    why="NCCL falls back to TCP without a word when a machine has no RDMA interface.",
    fix="choose a machine with fabric interfaces, or set fabric: none",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-instance-types",
    check=lambda judged, _: of_fabrics(judged, lambda group, __: _group(judged, group)),
    alone=True,
)
