"""Edits to disks and parallel file systems: size, speed and type."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final

from gpuinfra.fixes.fix import Path
from gpuinfra.fixes.options import Dimension, EditOption, OptionContext, Work
from gpuinfra.fixes.property_paths import value_at
from gpuinfra.fixes.remedies import steps
from gpuinfra.fixes.tradeoffs import LostShare
from gpuinfra.rules.rule import Family
from gpuinfra.specs import Training
from gpuinfra.units import format_size

FAMILIES: Final[frozenset[Family]] = frozenset({"hygiene", "budget"})

BYTES_PER_GB: Final = 10**9
SIZES: Final = (100, 200, 500, 1000, 2000, 4000, 8000, 16000)

TIB: Final = 2**40

Steps = Callable[[str], Sequence[Any]]
"""The values that are tried of a property, by its name."""


def dimensions(
    context: OptionContext, path: Path, name: str, workload: Work
) -> Iterator[Dimension]:
    """Yield the possible edits to the storage of a workload's data."""
    subject = ".".join(map(str, path))
    steps_of_cloud = partial(steps, context.cloud(name, workload))
    for title, options in (
        *_disk(context, path, workload, steps_of_cloud),
        *_files(context, path, workload, steps_of_cloud),
    ):
        if options:
            yield Dimension(name=title, subject=subject, options=tuple(options), families=FAMILIES)


def _disk(
    context: OptionContext, path: Path, workload: Work, steps_of_cloud: Steps
) -> Iterator[tuple[str, list[EditOption]]]:
    holder, disk = (*path, "disk"), workload.disk
    for key, configured in (("throughput", disk.throughput), ("iops", disk.iops)):
        values = steps_of_cloud(key)
        if values and (configured is not None or (key == "iops" and disk.throughput is not None)):
            current_size = configured or values[0]
            other_sizes = sorted(
                (value for value in values if value != current_size),
                key=partial(_distance, current_size),
            )
            yield (
                key,
                [
                    context.option_in_mapping(
                        holder, "size", key, value, _disk_loss(key, current_size, value)
                    )
                    for value in other_sizes
                ],
            )
    if value_at(context.value, holder) is not None:
        larger = [size * BYTES_PER_GB for size in SIZES if size * BYTES_PER_GB > disk.size]
        yield (
            "disk",
            [
                context.option_in_mapping(holder, "size", "size", format_size(size))
                for size in larger
            ],
        )


def _files(
    context: OptionContext, path: Path, workload: Work, steps_of_cloud: Steps
) -> Iterator[tuple[str, list[EditOption]]]:
    files = workload.shared_storage if isinstance(workload, Training) else None
    if files is None:
        return
    storage_path = (*path, "shared_storage")
    if files.size is not None:
        other_sizes = [size for size in steps_of_cloud("size") if int(size * TIB) != files.size]
        yield (
            "storage size",
            [context.option((*storage_path, "size"), f"{size:g}TiB") for size in other_sizes],
        )
    speeds = [speed for speed in steps_of_cloud("storage") if speed != files.throughput]
    yield (
        "storage throughput",
        [context.option((*storage_path, "throughput"), speed) for speed in speeds],
    )
    kinds = [kind for kind in steps_of_cloud("deployment") if kind != files.deployment]
    yield "storage tier", [context.option((*storage_path, "deployment"), kind) for kind in kinds]
    yield (
        "storage",
        [
            context.option((*storage_path, "storage"), medium)
            for medium in steps_of_cloud("medium")
            if medium != files.storage
        ],
    )


def _distance(current_value: int, value: int) -> int:
    return abs(value - current_value)


def _disk_loss(key: str, current_value: int, new_value: int) -> list[LostShare]:
    """Return the share that a disk loses, with its description; empty if it loses nothing."""
    return (
        [
            (
                Decimal(current_value - new_value) / current_value,
                f"{key} of the disk, {new_value} for {current_value}",
            )
        ]
        if new_value < current_value
        else []
    )
