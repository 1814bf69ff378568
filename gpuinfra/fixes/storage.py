"""Disks and parallel file systems: another size, speed or kind."""

from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from typing import Final

from gpuinfra.fixes.document import at
from gpuinfra.fixes.loss import Gone
from gpuinfra.fixes.options import Dimension, Ground, Option, Work
from gpuinfra.fixes.values import Path
from gpuinfra.rules.rule import Family
from gpuinfra.stackfile import Training
from gpuinfra.units import format_size

FAMILIES: Final[frozenset[Family]] = frozenset({"hygiene", "budget"})

THROUGHPUTS: Final = (125, 250, 500, 750, 1000, 1500, 2000)
IOPS: Final = (3000, 6000, 12000, 16000, 32000, 64000, 80000)
"""Steps of a disk's speed, from what is free up to the most that a disk takes:
https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html"""

GB: Final = 10**9
SIZES: Final = (100, 200, 500, 1000, 2000, 4000, 8000, 16000)

TIB: Final = 2**40
FILE_SIZES: Final = (1.2, 2.4, 4.8, 7.2, 9.6, 12, 14.4, 19.2, 24, 28.8, 38.4, 48, 57.6, 76.8, 96)
EACH_TIB: Final = (50, 100, 125, 200, 250, 500, 1000)
"""Sizes and speeds of FSx for Lustre; which go together, planning knows:
https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html"""

DEPLOYMENTS: Final = ("scratch-2", "persistent-1", "persistent-2")


def dimensions(ground: Ground, path: Path, _: str, work: Work) -> Iterator[Dimension]:
    """What may be changed of where a workload's data lies."""
    about = ".".join(map(str, path))
    for what, options in (*_disk(ground, path, work), *_files(ground, path, work)):
        if options:
            yield Dimension(what=what, about=about, options=tuple(options), for_=FAMILIES)


def _disk(ground: Ground, path: Path, work: Work) -> Iterator[tuple[str, list[Option]]]:
    holder, disk = (*path, "disk"), work.disk
    speeds = (("throughput", THROUGHPUTS, disk.throughput), ("iops", IOPS, disk.iops))
    for key, steps, said in speeds:
        if said is not None or (key == "iops" and disk.throughput is not None):
            now = said or IOPS[0]
            others = sorted((one for one in steps if one != now), key=partial(_off, now))
            yield (
                key,
                [ground.inside(holder, "size", key, one, _less(key, now, one)) for one in others],
            )
    if at(ground.value, holder) is not None:
        larger = [one * GB for one in SIZES if one * GB > disk.size]
        yield "disk", [ground.inside(holder, "size", "size", format_size(one)) for one in larger]


def _files(ground: Ground, path: Path, work: Work) -> Iterator[tuple[str, list[Option]]]:
    files = work.shared_storage if isinstance(work, Training) else None
    if files is None:
        return
    place = (*path, "shared_storage")
    if files.size is not None:
        others = [one for one in FILE_SIZES if int(one * TIB) != files.size]
        yield "storage size", [ground.option((*place, "size"), f"{one:g}TiB") for one in others]
    speeds = [one for one in EACH_TIB if one != files.throughput]
    yield "storage throughput", [ground.option((*place, "throughput"), one) for one in speeds]
    kinds = [one for one in DEPLOYMENTS if one != files.deployment]
    yield "storage tier", [ground.option((*place, "deployment"), one) for one in kinds]
    yield (
        "storage",
        [
            ground.option((*place, "storage"), one)
            for one in ("ssd", "hdd")
            if one != files.storage
        ],
    )


def _off(now: int, one: int) -> int:
    return abs(one - now)


def _less(key: str, now: int, then: int) -> list[Gone]:
    """What a disk has less of."""
    return (
        [(Decimal(now - then) / now, f"{key} of the disk, {then} for {now}")] if then < now else []
    )
