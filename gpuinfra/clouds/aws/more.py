"""What a workload's further words cost on AWS, one part after the other."""

from typing import TYPE_CHECKING

from gpuinfra.clouds.aws.footprint_storage import lustre_items
from gpuinfra.clouds.aws.serving import is_pool, serving_items
from gpuinfra.clouds.footprint import Workload
from gpuinfra.model import Item, Rung

if TYPE_CHECKING:
    from gpuinfra.stackfile.schema import Inference, Training


def more_items(
    name: str,
    subject: str,
    work: "Training | Inference",
    rungs: tuple[Rung, ...],  # noqa: ARG001  every room's is asked alike
) -> tuple[Item, ...]:
    """What stands besides machines, disks, network and load balancer."""
    if is_pool(work):
        return tuple(serving_items(Workload(cloud="aws", name=name, subject=subject), work))
    return lustre_items(name, subject, work)
