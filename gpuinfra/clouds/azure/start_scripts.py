"""The start-up scripts of workloads as the build writes them, checked against Azure's limit."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.azure import userdata
from gpuinfra.clouds.azure.images import IMAGE_FORMS, image_fault
from gpuinfra.clouds.azure.nccl_environment import every_environment
from gpuinfra.clouds.azure.network import SINGLE_PLACEMENT_GROUP, most_machines
from gpuinfra.clouds.azure.payload import MAX_CUSTOM_DATA
from gpuinfra.clouds.azure.regions import REGIONS
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

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Inference, Training

QUOTE: Final = "'"
"""Ends a text in the condition of a role; no way to write one inside a text is documented:
https://learn.microsoft.com/azure/role-based-access-control/conditions-format#special-characters"""

CLIENT: Final = "00000000-0000-0000-0000-000000000000"
"""As long as the client id of an identity, which is known once Azure made it."""

LONGEST_BUCKET: Final = 24 + 1 + 63
"""Characters of a storage account's name, a slash and a container's name:
https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules"""


def training_script(
    name: str,
    region: str,
    workload: "Training",
    mounts: tuple[BucketMount, ...],
    *,
    gpus: int,
    environment: Mapping[str, str],
    client: str = CLIENT,
) -> str:
    """Return the script of a training workload; a share for checkpoints comes last."""
    start = training_start(name, region, workload, mounts, gpus=gpus, environment=environment)
    return userdata.training_script(start, client)


def pool_script(
    name: str,
    workload: "Inference",
    mounts: tuple[BucketMount, ...],
    *,
    client: str = CLIENT,
    image: str = "",
) -> str:
    """Return the script of an inference pool; `image`, if given, replaces the workload's."""
    return userdata.server_script(server_start(name, workload, mounts, image), client)


def training_start_faults(name: str, workload: "Training") -> Iterator[KeyFault]:
    """Yield the faults of a training workload's image, script and folders.

    Buckets, region and machine stand in as long as they can be, so that what passes here passes
    at the build.
    """
    yield from image_faults(workload.machine_image, IMAGE_FORMS, image_fault)
    mounts = every_stand_in(workload, LONGEST_BUCKET)
    script = training_script(
        name,
        max(REGIONS.all(), key=len),
        workload,
        mounts,
        gpus=MOST_GPUS,
        environment=every_environment(),
    )
    yield from script_size_faults(name, script, MAX_CUSTOM_DATA, workload, mounts)
    yield from _quoted_prefix_faults("data", [mount.prefix for mount in workload.data])
    if workload.checkpoints is not None:
        yield from _quoted_prefix_faults("checkpoints", [workload.checkpoints.prefix])
    most = most_machines(SINGLE_PLACEMENT_GROUP)
    if workload.fabric == "required" and workload.nodes > most:
        yield KeyFault(
            key=("nodes",),
            value=str(workload.nodes),
            message="InfiniBand connects only the machines of one placement group",
            allowed=f"at most {most:,} with fabric: required",
            fix="use fewer machines with more GPUs each, or set fabric: preferred",
        )


def pool_start_faults(name: str, workload: "Inference") -> Iterator[KeyFault]:
    """Yield the faults of a pool's image, scaling, script and folders."""
    yield from image_faults(workload.machine_image, IMAGE_FORMS, image_fault)
    mounts = stand_ins(workload.data, LONGEST_BUCKET)
    script = pool_script(name, workload, tuple(mounts))
    yield from script_size_faults(name, script, MAX_CUSTOM_DATA, workload, mounts)
    yield from _quoted_prefix_faults("data", [mount.prefix for mount in workload.data])
    yield from _scaling(name, workload)


def _scaling(name: str, workload: "Inference") -> Iterator[KeyFault]:
    """Yield the metrics that the pool's autoscale setting can't scale on.

    Its front is a Standard load balancer, which passes packets and counts no requests:
    https://learn.microsoft.com/azure/load-balancer/load-balancer-standard-diagnostics
    """
    yield from request_scaling_faults(name, workload.scale_on)


def _quoted_prefix_faults(key: str, prefixes: Iterable[str]) -> Iterator[KeyFault]:
    """Yield the bucket folders that no condition of a role can name."""
    for prefix in prefixes:
        if QUOTE in prefix:
            yield KeyFault(
                key=(key,),
                value=prefix,
                message="Azure can't restrict the machines to a folder with an apostrophe in "
                "its name",
                allowed="a prefix without '",
                fix="rename the folder, or remove prefix to mount the whole bucket",
            )
