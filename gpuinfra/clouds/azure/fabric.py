"""The fabric declared between machines, and whether their image can use it."""

from gpuinfra.clouds.azure.images import has_image
from gpuinfra.clouds.azure.network import SINGLE_PLACEMENT_GROUP, most_machines
from gpuinfra.model import UNKNOWN, FabricRequirement, Known, Machine


def uses_fabric(machine: Machine, nodes: int, fabric: FabricRequirement) -> bool:
    """Return whether machines are in one single placement group, which InfiniBand joins.

    When required, or preferred, possible and useful: a group has its limit.
    """
    if fabric == "none" or not machine.fabric_interfaces:
        return False
    return fabric == "required" or 1 < nodes <= most_machines(SINGLE_PLACEMENT_GROUP)


def driver_image(machine: Machine, *, own_image: bool) -> Known:
    """Return whether the machines' image is known to have the software that NCCL needs.

    `own_image` says that the user named the image, of which nothing is known.
    """
    return True if not own_image and has_image(machine, "training") else UNKNOWN
