"""From a workload to its start-up script: what the build writes, and whether Azure takes it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.azure import userdata
from gpuinfra.clouds.azure.environment import every_environment
from gpuinfra.clouds.azure.network import SINGLE, most_machines
from gpuinfra.clouds.azure.payload import LIMIT, fits
from gpuinfra.clouds.azure.regions import regions
from gpuinfra.clouds.startup import (
    MOST_GPUS,
    Share,
    StartFault,
    server_start,
    stand_in,
    stand_ins,
    too_long,
    training_start,
)

if TYPE_CHECKING:
    from gpuinfra.stackfile.schema import Inference, Training

LONGEST_BUCKET: Final = 24 + 1 + 63
"""Characters of a storage account's name, a slash and a container's name:
https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules"""


def training_script(
    name: str,
    region: str,
    work: "Training",
    shares: tuple[Share, ...],
    *,
    gpus: int,
    environment: Mapping[str, str],
) -> str:
    """The script of a training workload; where there are checkpoints, their share comes last."""
    return userdata.training_script(
        training_start(name, region, work, shares, gpus=gpus, environment=environment)
    )


def pool_script(name: str, work: "Inference", shares: tuple[Share, ...]) -> str:
    """The script of an inference pool."""
    return userdata.server_script(server_start(name, work, shares))


def training_start_faults(name: str, work: "Training") -> Iterator[StartFault]:
    """Say that Azure would refuse the machines or their script, before more is known of them.

    Buckets, region and machine stand in as long as they can be, so that what passes here passes
    at the build.
    """
    shares = stand_ins(work.data, LONGEST_BUCKET)
    if work.checkpoints is not None:
        kept = work.checkpoints
        shares.append(stand_in(kept.bucket, kept.prefix, True, LONGEST_BUCKET))
    script = training_script(
        name,
        max(regions(), key=len),
        work,
        tuple(shares),
        gpus=MOST_GPUS,
        environment=every_environment(),
    )
    yield from _too_long(name, script, work.command or "", shares)
    most = most_machines(SINGLE)
    if work.fabric == "required" and work.nodes > most:
        yield StartFault(
            key="nodes",
            value=str(work.nodes),
            message="InfiniBand joins only the machines of one placement group",
            allowed=f"at most {most:,} with fabric: required",
            fix="ask for fewer machines with more GPUs each, or write fabric: preferred",
        )


def pool_start_faults(name: str, work: "Inference") -> Iterator[StartFault]:
    """Say what of a pool can't be started or scaled here, and that its script is too long."""
    shares = stand_ins(work.data, LONGEST_BUCKET)
    yield from _too_long(name, pool_script(name, work, tuple(shares)), "", shares)
    yield from _scaling(name, work)


def _scaling(name: str, work: "Inference") -> Iterator[StartFault]:
    """What the pool's autoscale setting can't follow.

    Its front is a Standard load balancer, which passes packets and counts no requests:
    https://learn.microsoft.com/azure/load-balancer/load-balancer-standard-diagnostics
    """
    if work.scale_on.requests_per_target is not None:
        yield StartFault(
            key="scale_on",
            value=f"requests_per_target: {work.scale_on.requests_per_target}",
            message=f"nothing counts the requests of {name}: its load balancer passes packets",
            allowed="gpu_utilization or gpu_memory",
            fix="write scale_on: {gpu_utilization: 70%}",
        )


def _too_long(
    name: str, script: str, command: str, shares: Sequence[Share]
) -> Iterator[StartFault]:
    if not fits(script):
        size, limit = f"{len(script.encode()):,} bytes", f"{LIMIT:,} bytes"
        yield too_long(name, size, limit, command, shares)
