"""Whether a cloud has a region or a machine type, and what is wrong with one that it lacks."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from gpuinfra.clouds import CLOUDS, room
from gpuinfra.errors import PathPart, Problem, nearest

Path = tuple[PathPart, ...]

_FAMILY: Final = re.compile(r"[A-Za-z]+_[A-Z]+|[a-z0-9]+")
"""How the types of a family begin: p5 of p5.48xlarge, a3 of a3-highgpu-8g, Standard_ND."""


def cloud_with(region: str, clouds: Sequence[str] = CLOUDS) -> str | None:
    """The first of the clouds that has a region; None when none has."""
    return next((cloud for cloud in clouds if region in room(cloud).regions()), None)


def unknown_region(cloud: str, region: str, path: Path) -> Problem | None:
    """What is wrong with a region; None when the cloud has it."""
    known = room(cloud).regions()
    if region in known:
        return None
    elsewhere = cloud_with(region)
    return Problem(
        message=f"unknown region of {cloud}",
        path=path,
        value=region,
        allowed=", ".join(known),
        suggestion="" if elsewhere else nearest(region, known),
        fix=f"it is a region of {elsewhere}" if elsewhere else "",
    )


def unknown_type(cloud: str, type_: str, path: Path) -> Problem | None:
    """What is wrong with a machine type; None when the cloud's table has it."""
    if room(cloud).machine(type_) is not None:
        return None
    here = room(cloud).machines()
    types = tuple(one.type for one in here)
    family = sorted(one for one in types if _family(one) == _family(type_))
    meant = next(filter(None, (room(one).machine(type_) for one in CLOUDS)), None)
    fix = ""
    if meant is not None:
        fix = f"it is a machine type of {meant.cloud}"
        if any((one.gpu, one.gpu_count) == (meant.gpu, meant.gpu_count) for one in here):
            fix += f"; ask for what it has: gpu: {meant.gpu}:{meant.gpu_count}"
    elif not family:
        fix = f"gpuinfra choose H100:8 --cloud {cloud} ranks its machines for a GPU"
    return Problem(
        message="unknown machine type",
        path=path,
        value=type_,
        allowed=", ".join(family),
        suggestion="" if meant else nearest(type_, types),
        fix=fix,
    )


def clouds_with(keys: Collection[str]) -> tuple[str, ...]:
    """The clouds that have a machine with one of these GPUs."""
    return tuple(one for one in CLOUDS if any(it.gpu in keys for it in room(one).machines()))


def _family(type_: str) -> str:
    found = _FAMILY.match(type_)
    return found[0] if found else type_
