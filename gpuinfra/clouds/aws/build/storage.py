"""The buckets that machines see: what to grant, and what the start-up script mounts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from gpuinfra.clouds.aws.build.identity import Grant
from gpuinfra.clouds.aws.userdata import Share
from gpuinfra.errors import InputError, Problem
from gpuinfra.stackfile.schema import Mount, Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A part of a bucket, by the bucket's name in the stack."""

    bucket: str
    prefix: str
    writable: bool


def uses(mounts: Sequence[Mount]) -> tuple[Use, ...]:
    """What data mounts ask for."""
    return tuple(
        Use(bucket=mount.bucket, prefix=mount.prefix, writable=mount.mode == "write")
        for mount in mounts
    )


def checkpoints(workload: Training) -> tuple[Use, ...]:
    """What checkpoints ask for: one part of a bucket, or nothing."""
    if workload.checkpoints is None:
        return ()
    wanted = workload.checkpoints
    return (Use(bucket=wanted.bucket, prefix=wanted.prefix, writable=True),)


def grants(name: str, wanted: Sequence[Use], buckets: Mapping[str, Any]) -> tuple[Grant, ...]:
    """The access that the machines' role gets.

    Raises:
        InputError: nobody said which bucket of the cloud a name stands for.
    """
    missing = [use.bucket for use in wanted if use.bucket not in buckets]
    if missing:
        raise InputError(
            [
                Problem(
                    message=f"{name}: nobody says which bucket {bucket!r} is",
                    path=(name, "buckets", bucket),
                    allowed="a bucket's name in the cloud for every bucket that is used",
                    fix=f'pass buckets={{"{bucket}": your_bucket.bucket_name}}',
                )
                for bucket in dict.fromkeys(missing)
            ]
        )
    return tuple(
        Grant(bucket=buckets[use.bucket], prefix=use.prefix, writable=use.writable)
        for use in wanted
    )


def script(
    wanted: Sequence[Use],
    granted: Sequence[Grant],
    write: Callable[[tuple[Share, ...]], str],
) -> pulumi.Output[str]:
    """A start-up script, written once the physical names of its buckets are known."""
    return pulumi.Output.all(*(grant.bucket for grant in granted)).apply(
        lambda names: write(
            tuple(
                Share(name=use.bucket, bucket=name, prefix=use.prefix, writable=use.writable)
                for use, name in zip(wanted, names, strict=True)
            )
        )
    )
