"""Disks and parallel file systems: another size, speed or kind."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final

from gpuinfra.fixes.fix import Path
from gpuinfra.fixes.options import Dimension, Option, OptionContext, Work
from gpuinfra.fixes.property_paths import value_at
from gpuinfra.fixes.remedies import steps
from gpuinfra.fixes.tradeoffs import LostShare
from gpuinfra.rules.rule import Family
from gpuinfra.specs import Training
from gpuinfra.units import format_size

FAMILIES: Final[frozenset[Family]] = frozenset({"hygiene", "budget"})

GB: Final = 10**9
SIZES: Final = (100, 200, 500, 1000, 2000, 4000, 8000, 16000)

TIB: Final = 2**40

Steps = Callable[[str], Sequence[Any]]
"""The values that are tried of a property, by its name."""


def dimensions(ground: OptionContext, path: Path, name: str, work: Work) -> Iterator[Dimension]:
    """What may be changed of where a workload's data lies."""
    about = ".".join(map(str, path))
    tried = partial(steps, ground.cloud(name, work))
    for what, options in (*_disk(ground, path, work, tried), *_files(ground, path, work, tried)):
        if options:
            yield Dimension(what=what, about=about, options=tuple(options), for_=FAMILIES)


def _disk(
    ground: OptionContext, path: Path, work: Work, tried: Steps
) -> Iterator[tuple[str, list[Option]]]:
    holder, disk = (*path, "disk"), work.disk
    for key, configured in (("throughput", disk.throughput), ("iops", disk.iops)):
        values = tried(key)
        if values and (configured is not None or (key == "iops" and disk.throughput is not None)):
            now = configured or values[0]
            others = sorted((value for value in values if value != now), key=partial(_off, now))
            yield (
                key,
                [
                    ground.inside(holder, "size", key, value, _less(key, now, value))
                    for value in others
                ],
            )
    if value_at(ground.value, holder) is not None:
        larger = [size * GB for size in SIZES if size * GB > disk.size]
        yield "disk", [ground.inside(holder, "size", "size", format_size(size)) for size in larger]


def _files(
    ground: OptionContext, path: Path, work: Work, tried: Steps
) -> Iterator[tuple[str, list[Option]]]:
    files = work.shared_storage if isinstance(work, Training) else None
    if files is None:
        return
    place = (*path, "shared_storage")
    if files.size is not None:
        others = [size for size in tried("size") if int(size * TIB) != files.size]
        yield "storage size", [ground.option((*place, "size"), f"{size:g}TiB") for size in others]
    speeds = [speed for speed in tried("storage") if speed != files.throughput]
    yield "storage throughput", [ground.option((*place, "throughput"), speed) for speed in speeds]
    kinds = [kind for kind in tried("deployment") if kind != files.deployment]
    yield "storage tier", [ground.option((*place, "deployment"), kind) for kind in kinds]
    yield (
        "storage",
        [
            ground.option((*place, "storage"), medium)
            for medium in tried("medium")
            if medium != files.storage
        ],
    )


def _off(now: int, value: int) -> int:
    return abs(value - now)


def _less(key: str, now: int, then: int) -> list[LostShare]:
    """What a disk has less of."""
    return (
        [(Decimal(now - then) / now, f"{key} of the disk, {then} for {now}")] if then < now else []
    )
