"""The start-up scripts of workloads, and their faults on Google Cloud."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuinfra.clouds.gcp import userdata
from gpuinfra.clouds.gcp.images import IMAGE_FORMS, image_fault
from gpuinfra.clouds.gcp.nccl_environment import every_environment, fabric_environment, installs
from gpuinfra.clouds.gcp.regions import REGIONS
from gpuinfra.clouds.gcp.userdata import MAX_SCRIPT
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.clouds.startup import (
    MOST_GPUS,
    BucketMount,
    every_stand_in,
    server_start,
    stand_ins,
    training_start,
)
from gpuinfra.clouds.startup_faults import image_faults, request_scaling_faults, script_size_faults
from gpuinfra.model import Machine

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Inference, Training


def training_script(
    name: str,
    region: str,
    workload: "Training",
    mounts: tuple[BucketMount, ...],
    *,
    machine: Machine,
    fabric: bool,
) -> str:
    """Return the script of a training workload; a share for checkpoints comes last.

    `fabric` says whether the machine's fabric is declared.
    """
    has_several_nodes = workload.nodes > 1
    start = training_start(
        name,
        region,
        workload,
        mounts,
        gpus=int(machine.gpu_count),
        environment=fabric_environment(machine, fabric=fabric) if has_several_nodes else {},
    )
    return userdata.training_script(start, gib=has_several_nodes and fabric and installs(machine))


def pool_script(
    name: str, workload: "Inference", mounts: tuple[BucketMount, ...], *, image: str = ""
) -> str:
    """Return the script of an inference pool; `image`, if given, replaces the workload's."""
    return userdata.server_script(server_start(name, workload, mounts, image))


def training_start_faults(name: str, workload: "Training") -> Iterator[KeyFault]:
    """Yield the faults of a training workload's image and of the length of its start-up script.

    They stand in as long as they can be, so that what passes here passes at the build.
    """
    yield from image_faults(workload.machine_image, IMAGE_FORMS, image_fault)
    mounts = every_stand_in(workload)
    start = training_start(
        name,
        max(REGIONS.all(), key=len),
        workload,
        mounts,
        gpus=MOST_GPUS,
        environment=every_environment(),
    )
    script = userdata.training_script(start, gib=True)
    yield from script_size_faults(name, script, MAX_SCRIPT, workload, mounts)


def pool_start_faults(name: str, workload: "Inference") -> Iterator[KeyFault]:
    """Yield the faults of a pool's image, its scaling and the length of its script."""
    yield from image_faults(workload.machine_image, IMAGE_FORMS, image_fault)
    mounts = stand_ins(workload.data)
    script = pool_script(name, workload, tuple(mounts))
    yield from script_size_faults(name, script, MAX_SCRIPT, workload, mounts)
    yield from _scaling(name, workload)


def _scaling(name: str, workload: "Inference") -> Iterator[KeyFault]:
    """Yield the metrics and the spot setting that the pool's autoscaler can't scale on.

    Its front is an internal passthrough load balancer, which counts no requests. Spot machines
    above a base are a group of their own, whose autoscaler can't leave zero by a figure that only
    machines give:
    https://docs.cloud.google.com/compute/docs/autoscaler/scaling-cloud-monitoring-metrics
    """
    yield from request_scaling_faults(name, workload.scale_on)
    base, least = workload.capacity.on_demand_base, workload.replicas.minimum
    most = workload.replicas.maximum or least
    if workload.capacity.above == "spot" and base > 0 and least <= base < most:
        yield KeyFault(
            key=("replicas",),
            value=str(workload.replicas),
            message=f"the pool {name} could not grow: the autoscaler uses metrics of the spot "
            f"machines, and none of the {least} minimum machines is spot",
            allowed=f"more than on_demand_base, so at least {base + 1}",
            fix=f"set replicas: {base + 1}..{most}, or on_demand_base: 0",
        )
