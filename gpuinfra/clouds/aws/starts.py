"""From a workload to its start-up script: what the build writes, and whether EC2 takes it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gpuinfra.clouds.aws import userdata
from gpuinfra.clouds.aws.environment import every_environment
from gpuinfra.clouds.aws.images import ACCEPTED, image_fault
from gpuinfra.clouds.aws.payload import LIMIT, fits, packed
from gpuinfra.clouds.aws.regions import regions
from gpuinfra.clouds.startup import (
    MOST_GPUS,
    Share,
    StartFault,
    every_stand_in,
    image_faults,
    server_start,
    stand_ins,
    too_long,
    training_start,
)

if TYPE_CHECKING:
    from gpuinfra.stackfile.schema import Inference, Training


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
    """Say that EC2 would refuse the script, before bucket, region and machine are known.

    They stand in as long as they can be, so that what passes here passes at the build.
    """
    yield from image_faults(work.machine_image, ACCEPTED, image_fault)
    shares = every_stand_in(work)
    script = training_script(
        name,
        max(regions(), key=len),
        work,
        shares,
        gpus=MOST_GPUS,
        environment=every_environment(),
    )
    yield from _faults(name, script, work.command or "", shares)


def pool_start_faults(name: str, work: "Inference") -> Iterator[StartFault]:
    """Say that EC2 would refuse a pool's script, as for a training workload."""
    yield from image_faults(work.machine_image, ACCEPTED, image_fault)
    shares = stand_ins(work.data)
    yield from _faults(name, pool_script(name, work, tuple(shares)), "", shares)


def _faults(name: str, script: str, command: str, shares: Sequence[Share]) -> Iterator[StartFault]:
    if not fits(script):
        size, limit = f"{len(packed(script)):,} bytes compressed", f"{LIMIT:,} bytes compressed"
        yield too_long(name, size, limit, command, shares)
