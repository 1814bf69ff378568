"""A fabric is asked only of machines that can speak one."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.model import Group
from gpuinfra.rules.fabric import of_fabrics
from gpuinfra.rules.rule import Finding, Judged, Rule, fine, not_knowable, violated


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every machine type of each group that asks for a fabric."""
    return of_fabrics(judged, lambda group, _: _group(judged, group))


def _group(judged: Judged, group: Group) -> Finding:
    machines = judged.machine_types(group)
    names = group.machines or (group.rung.machine,)
    for name, machine in zip(names, machines, strict=True):
        if machine is None:
            return not_knowable(group.subject, f"no table knows {name}")
        if machine.fabric_interfaces is None:
            return not_knowable(group.subject, f"nobody knows whether {name} has a fabric")
        if machine.fabric_interfaces == 0:
            return violated(group.subject, f"{name} has no interface for a fabric")
    return fine(group.subject, f"{', '.join(names)} can join a fabric")


RULE = Rule(
    id="fabric-capable",
    family="fabric",
    title="Machines of a fabric can join it",
    why="NCCL falls back to TCP without a word when a machine has no RDMA interface.",
    fix="choose a machine with fabric interfaces, or set fabric: none",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-instance-types",
    check=check,
    alone=True,
)
