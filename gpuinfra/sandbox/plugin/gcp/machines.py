"""The machines that a Google Cloud resource starts: type, zone, capacity, GPUs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.gcp import places, references
from gpuinfra.sandbox.plugin.operation_context import OperationContext

INSTANCE = "gcp:compute/instance:Instance"
TEMPLATE = "gcp:compute/instanceTemplate:InstanceTemplate"
REGION_TEMPLATE = "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate"
MANAGER = "gcp:compute/instanceGroupManager:InstanceGroupManager"
REGION_MANAGER = "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager"
NODE_POOL = "gcp:container/nodePool:NodePool"

# The GPUs that a machine type has by itself. Source: docs.cloud.google.com/compute/docs/gpus, and
# the accelerator types of the Cluster Toolkit's blueprints.
_FIXED_GPUS = facts("gcp", "gpus")
_L4_GPUS_BY_VCPU = {4: 1, 8: 1, 12: 1, 16: 1, 24: 2, 32: 1, 48: 4, 96: 8}
# Only N1 takes GPUs of the user's choice: docs.cloud.google.com/compute/docs/gpus/create-gpu-vm.
_ATTACHING = ("n1-", "custom-", "f1-", "g1-")
_FORM = re.compile(r"(?:[a-z]+\d+[a-z]*-)?(?:custom|[a-z]+\d*[a-z]*)(?:-[a-z0-9]+)*")
_RESERVATION_BOUND = "RESERVATION_BOUND"


@dataclass(frozen=True, slots=True)
class MachineStart:
    """The machines that a resource starts; `template` has interfaces, scheduling and disks."""

    template: Mapping[str, Any]
    zones: tuple[str, ...]
    count: int

    @property
    def machine(self) -> str:
        """The machine type's name without a path."""
        return str(self.template.get("machineType", "")).rsplit("/", 1)[-1]

    @property
    def capacity(self) -> str:
        """The capacity type of the machines."""
        return capacity_type(self.template)


def starts(context: OperationContext) -> list[MachineStart]:
    """Return the machines that a resource starts directly or by templates; else none."""
    inputs = context.call.inputs
    token = context.call.token
    if token == INSTANCE:
        return [MachineStart(inputs, (context.call.region,), 1)]
    if token in (MANAGER, REGION_MANAGER):
        size = inputs.get("targetSize") or 0
        zones = tuple(inputs.get("distributionPolicyZones") or ())
        if token == MANAGER:
            zones = (context.call.region,)
        templates = [
            references.target(context, "template", version.get("instanceTemplate"))
            for version in inputs.get("versions") or ()
        ]
        return [MachineStart(template, zones, size) for template in templates if template]
    if token == NODE_POOL:
        count = inputs.get("nodeCount") or inputs.get("initialNodeCount") or 0
        zones = tuple(inputs.get("nodeLocations") or ())
        if not zones and places.is_zone(context.call.region):
            zones = (context.call.region,)
        return [MachineStart(inputs.get("nodeConfig") or {}, zones, count)]
    return []


def capacity_type(template: Mapping[str, Any]) -> str:
    """Return on-demand, spot, flex-start or reserved, from a template or a node configuration."""
    scheduling = template.get("scheduling") or {}
    model = scheduling.get("provisioningModel")
    affinity = template.get("reservationAffinity") or {}
    if model == "SPOT" or scheduling.get("preemptible") or template.get("spot"):
        return "spot"
    if model == "FLEX_START" or template.get("flexStart"):
        return "flex-start"
    specific = "SPECIFIC_RESERVATION"
    if model == _RESERVATION_BOUND or specific in (
        affinity.get("type"),
        affinity.get("consumeReservationType"),
    ):
        return "reserved"
    return "on-demand"


def built_in_gpus(machine: str) -> tuple[str, int] | None:
    """Return the built-in GPUs of a machine type: accelerator type and count; None without."""
    for pattern, accelerator in _FIXED_GPUS.items():
        match = re.fullmatch(pattern, machine)
        if match:
            return accelerator, int(match.group(1))
    match = re.fullmatch(r"g2-(?:standard|custom)-(\d+)(?:-\d+)?", machine)
    if match and int(match.group(1)) in _L4_GPUS_BY_VCPU:
        return "nvidia-l4", _L4_GPUS_BY_VCPU[int(match.group(1))]
    return None


def takes_gpus(machine: str) -> bool:
    """Return whether GPUs can be attached to a machine type."""
    return machine.startswith(_ATTACHING)


def well_formed(machine: str) -> bool:
    """Return whether a text looks like a machine type: n1-standard-8 or n2-custom-4-8192."""
    return bool(_FORM.fullmatch(machine)) and "-" in machine


def attached_gpus(template: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the GPUs that a template attaches."""
    accelerators = template.get("guestAccelerators")
    return (
        [accelerator for accelerator in accelerators if accelerator.get("count")]
        if isinstance(accelerators, list)
        else []
    )


def has_gpus(template: Mapping[str, Any]) -> bool:
    """Return whether a template's machines have GPUs."""
    machine = str(template.get("machineType", "")).rsplit("/", 1)[-1]
    return bool(attached_gpus(template)) or built_in_gpus(machine) is not None
