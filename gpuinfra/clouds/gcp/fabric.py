"""The fabric declared between machines, and whether their image can use it."""

from typing import Final

from gpuinfra.clouds.gcp.images import has_image
from gpuinfra.clouds.gcp.network import fabric_layout
from gpuinfra.model import UNKNOWN, FabricRequirement, Known, Machine

PLACEMENT: Final = "compact"


def uses_fabric(machine: Machine, nodes: int, fabric: FabricRequirement) -> bool:
    """Return whether the fabric's networks are declared: required, or preferred and useful."""
    if fabric == "none" or not machine.fabric_interfaces or fabric_layout(machine) is None:
        return False
    return fabric == "required" or nodes > 1


def driver_image(machine: Machine, *, own_image: bool) -> Known:
    """Return whether the machines' image is known to have the software that NCCL needs.

    `own_image` says that the user named the image, of which nothing is known.
    """
    layout = fabric_layout(machine)
    if own_image or layout is None or not has_image(machine, "training"):
        return UNKNOWN
    return layout.set_up
