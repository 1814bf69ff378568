"""The faults of machine start-up: long scripts, unknown images, pools without a request metric."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.clouds.startup import BucketMount

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Inference, ScaleOn, Training


_FIXES: Final = {
    "command": (
        "shorten command: put the program into the image or a bucket, and start it from there"
    ),
    "args": "shorten args: put long values into a file of the image or of a bucket under data",
    "data": (
        "shorten data: mount fewer bucket folders, for example one folder that contains them all"
    ),
}


def too_long(
    name: str,
    size: str,
    limit: str,
    workload: "Training | Inference",
    mounts: Sequence[BucketMount],
) -> KeyFault:
    """Return the fault of a script that is too long, at the key with the longest text.

    Args:
        name: of the workload.
        size: how long it is, in words: "20,000 bytes compressed".
        limit: how long it may be, in words.
        workload: the workload, with what runs.
        mounts: what is mounted.
    """
    mounted_length = sum(len(share.bucket) + len(share.prefix) for share in mounts)
    command_key, text = _command_key(workload)
    length = len(text.encode())
    key = command_key if length > mounted_length else "data"
    return KeyFault(
        key=(key,),
        value=f"{len(mounts):,} mounts" if key == "data" else f"{length:,} bytes",
        message=f"the start-up script of {name} is too long for its machines, with {size}",
        allowed=limit,
        fix=_FIXES[key],
    )


def request_scaling_faults(name: str, scale_on: "ScaleOn") -> Iterator[KeyFault]:
    """Yield the fault of a pool that scales by requests behind a network load balancer."""
    if scale_on.requests_per_target is not None:
        yield KeyFault(
            key=("scale_on",),
            value=f"requests_per_target: {scale_on.requests_per_target}",
            message=f"the requests of {name} can't be counted: its load balancer forwards "
            "connections and sees no requests",
            allowed="gpu_utilization or gpu_memory",
            fix="set scale_on: {gpu_utilization: 70%}",
        )


def image_faults(
    machine_image: str | None, accepted: str, judge: Callable[[str], str]
) -> Iterator[KeyFault]:
    """Yield the fault of an image that the cloud does not know by that name.

    Args:
        machine_image: the image as the file names it.
        accepted: the names that are taken, in words.
        judge: says what is wrong with a name; empty when nothing is.
    """
    fault = "" if machine_image is None else judge(machine_image)
    if machine_image is not None and fault:
        yield KeyFault(
            key=("machine_image",),
            value=machine_image,
            message=f"the image {fault}",
            allowed=accepted,
            fix="correct it, or remove machine_image to use the public image",
        )


def script_size_faults(
    name: str,
    script: str,
    limit: int,
    workload: "Training | Inference",
    mounts: Sequence[BucketMount],
) -> Iterator[KeyFault]:
    """Yield the fault of a script of more than `limit` bytes that is sent uncompressed."""
    if (length := len(script.encode())) > limit:
        yield too_long(name, f"{length:,} bytes", f"{limit:,} bytes", workload, mounts)


def _command_key(workload: "Training | Inference") -> tuple[str, str]:
    """Return the key of the command, and its text in the script."""
    command: str | None = getattr(workload, "command", None)
    args: tuple[str, ...] | None = getattr(workload, "args", None)
    return ("command", command) if command else ("args", shlex.join(args or ()))
