"""The fabric declared between machines, and whether their image can use it."""

from typing import Final

from gpuinfra.clouds.aws.images import has_image
from gpuinfra.model import UNKNOWN, FabricRequirement, Known, Machine

PLACEMENT: Final = "cluster"


def uses_fabric(machine: Machine, nodes: int, fabric: FabricRequirement) -> bool:
    """Return whether EFA is declared: when required, or when preferred, possible and useful."""
    if fabric == "none" or not machine.fabric_interfaces:
        return False
    return fabric == "required" or nodes > 1


def driver_image(machine: Machine, *, own_image: bool) -> Known:
    """Return whether the machines' image is known to have the software that NCCL needs.

    `own_image` says that the user named the image, of which nothing is known.
    """
    return True if not own_image and has_image(machine, "training") else UNKNOWN
