"""A fabric is requested only on machines that support one, with an image that can use it."""

from typing import Final

from gpuinfra.model import Fabric, Group, Machine
from gpuinfra.rules.fabric import is_of_resources, judge_fabrics
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    RuleInput,
    fine,
    not_knowable,
    violated,
    worst_finding,
)

NO_DRIVER_FIX: Final = (
    "name an image with the fabric driver and the NCCL plugin (machine_image in a stack file), "
    "use another cloud or machine type, or set fabric: preferred if TCP is enough"
)


def _group(rule_input: RuleInput, group: Group, fabric: Fabric) -> Finding:
    if _has_to_be_joined(group, fabric) and fabric.driver_image is False:
        message = "its machines need a fabric, and their image cannot use it"
        return violated(group.subject, message, fix=NO_DRIVER_FIX)
    return worst_finding(
        _machine(group, name, machine) for name, machine in rule_input.named_machines(group)
    )


def _has_to_be_joined(group: Group, fabric: Fabric) -> bool:
    """Return whether a stack file or the settings require the fabric of several machines."""
    is_stated = group.needs.fabric == "required" or not is_of_resources(group)
    return is_stated and fabric.requirement == "required" and group.maximum != 1


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
