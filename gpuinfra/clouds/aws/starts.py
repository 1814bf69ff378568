"""From a workload to its start-up script: what the build writes, and whether EC2 takes it."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws import userdata
from gpuinfra.clouds.aws.environment import every_environment
from gpuinfra.clouds.aws.payload import LIMIT, fits, packed
from gpuinfra.clouds.aws.regions import regions
from gpuinfra.clouds.aws.userdata import ServerStart, Share, TrainingStart

if TYPE_CHECKING:
    from gpuinfra.stackfile.schema import Inference, ScaleOn, Training

LONGEST_BUCKET: Final = 63
"""Characters of a bucket's name:
https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html"""

MOST_GPUS: Final = 99

WAYS_OUT: Final = {
    "command": "shorten command: put the program into the image or a bucket, and call it there",
    "data": "shorten data: mount fewer parts of buckets, such as one folder that holds them all",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StartFault:
    """A start-up script that EC2 does not take: the key to shorten, and how long it is."""

    key: str
    value: str
    message: str
    allowed: str
    fix: str


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
    kept = work.checkpoints
    return userdata.training_script(
        TrainingStart(
            workload=name,
            region=region,
            nodes=work.nodes,
            gpus=gpus,
            data=shares if kept is None else shares[:-1],
            checkpoints=None if kept is None else shares[-1],
            every=None if kept is None else kept.every,
            command=work.command,
            environment=environment,
        )
    )


def uses_gpu_metrics(scale_on: "ScaleOn") -> bool:
    """Whether the figure comes from the agent on the machines."""
    return scale_on.requests_per_target is None


def pool_script(name: str, work: "Inference", shares: tuple[Share, ...]) -> str:
    """The script of an inference pool; the agent runs where the pool follows its figures."""
    return userdata.server_script(
        ServerStart(
            workload=name,
            image=work.image,
            port=work.port,
            gpu_metrics=uses_gpu_metrics(work.scale_on),
            data=shares,
        )
    )


def training_start_faults(name: str, work: "Training") -> Iterator[StartFault]:
    """Say that EC2 would refuse the script, before bucket, region and machine are known.

    They stand in as long as they can be, so that what passes here passes at the build.
    """
    shares = [_stand_in(one.bucket, one.prefix, one.mode == "write") for one in work.data]
    if work.checkpoints is not None:
        shares.append(_stand_in(work.checkpoints.bucket, work.checkpoints.prefix, True))
    script = training_script(
        name,
        max(regions(), key=len),
        work,
        tuple(shares),
        gpus=MOST_GPUS,
        environment=every_environment(),
    )
    yield from _faults(name, script, work.command or "", shares)


def pool_start_faults(name: str, work: "Inference") -> Iterator[StartFault]:
    """Say that EC2 would refuse a pool's script, as for a training workload."""
    shares = [_stand_in(one.bucket, one.prefix, one.mode == "write") for one in work.data]
    yield from _faults(name, pool_script(name, work, tuple(shares)), "", shares)


def _stand_in(name: str, prefix: str, writable: bool) -> Share:
    bucket = hashlib.sha256(name.encode()).hexdigest()[:LONGEST_BUCKET]
    return Share(name=name, bucket=bucket, prefix=prefix, writable=writable)


def _faults(name: str, script: str, command: str, shares: Sequence[Share]) -> Iterator[StartFault]:
    if fits(script):
        return
    mounts = sum(len(one.bucket) + len(one.prefix) for one in shares)
    length = len(command.encode())
    key = "command" if length > mounts else "data"
    yield StartFault(
        key=key,
        value=f"{length:,} bytes" if key == "command" else f"{len(shares):,} mounts",
        message=f"the start-up script of {name} is too long for EC2, "
        f"with {len(packed(script)):,} bytes compressed",
        allowed=f"{LIMIT:,} bytes compressed",
        fix=WAYS_OUT[key],
    )
