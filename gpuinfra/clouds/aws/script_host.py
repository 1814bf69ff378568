"""The facts that a start-up script needs about its machine and the file system."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from math import ceil
from typing import Final, Literal

from gpuinfra.clouds.aws.interfaces import Nic
from gpuinfra.clouds.aws.nccl_environment import family_environment
from gpuinfra.model import Machine
from gpuinfra.records import record

Accelerator = Literal["nvidia", "neuron", "other"]
Links = Literal["all", "some", "none"]

_NEURON: Final = ("TRAINIUM", "INFERENTIA")
_OTHER_ACCELERATORS: Final = ("GAUDI", "QUALCOMM", "V520")
"""Accelerators in the machine table that no tool of NVIDIA's or Neuron's knows."""
_MESHES: Final = ("V100",)
"""GPUs that are joined without a switch, so that each has NVLink to some of the others only:
https://docs.nvidia.com/dgx/dgx1-user-guide/introduction-to-dgx1.html"""


@record
class Host:
    """A machine as its start-up script needs to know it.

    Attributes:
        gpus: whole GPUs or accelerators; 1 for a part of one.
        accelerator: whose tools know them.
        nvlink: whether NVLink joins all pairs of its GPUs, each with some others, or none.
        efa: EFA interfaces that its template declares.
        local_disks: whether it has NVMe disks of its own, or may have.
        environment: what NCCL wants set on its family.
    """

    gpus: int
    accelerator: Accelerator = "nvidia"
    nvlink: Links = "none"
    efa: int = 0
    local_disks: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


@record
class SharedFolder:
    """A file system for Lustre that the machines mount: its address, and whether by EFA."""

    dns_name: str
    mount_name: str
    efa: bool = False


def host_of(machine: Machine, nics: Sequence[Nic]) -> Host:
    """Return the facts of a machine with the interfaces that its template declares."""
    gpus = max(1, ceil(machine.gpu_count))
    return Host(
        gpus=gpus,
        accelerator=_accelerator(machine.gpu),
        nvlink=_links(machine, gpus),
        efa=sum(nic.kind != "interface" for nic in nics),
        local_disks=machine.local_storage_gb != 0,
        environment=family_environment(machine.type),
    )


def _links(machine: Machine, gpus: int) -> Links:
    if not machine.nvlink or gpus == 1 or (machine.nvlink_domain or 0) < gpus:
        return "none"
    return "some" if machine.gpu.startswith(_MESHES) else "all"


def _accelerator(gpu: str) -> Accelerator:
    if gpu.startswith(_NEURON):
        return "neuron"
    return "other" if gpu.startswith(_OTHER_ACCELERATORS) else "nvidia"
