"""The settings of machines' disks that Google Cloud refuses, described with the fix."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from gpuinfra.clouds.gcp.disk import (
    disk_type_fault,
    limits_of,
    local_ssd_fault,
    unknown_type_fault,
)
from gpuinfra.clouds.gcp.observe.storage.disks import LOCAL, ObservedDisk, disks_of
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.model import UNKNOWN, Unknown


def disk_faults_of(
    launches: Sequence[LaunchSources], machine_types: Sequence[str]
) -> tuple[str, ...] | Unknown:
    """Return the refused settings; UNKNOWN where the disks are hidden."""
    faults: dict[str, None] = {}
    has_hidden_disks = False
    for launch in launches:
        disks = disks_of(launch)
        if isinstance(disks, Unknown):
            has_hidden_disks = True
            continue
        for disk in disks:
            faults |= dict.fromkeys((*limit_faults(disk), *_boot_faults(disk)))
        for machine_type in machine_types:
            faults |= dict.fromkeys(_machine_faults(machine_type, disks))
    return UNKNOWN if has_hidden_disks and not faults else tuple(faults)


def _machine_faults(machine_type: str, disks: Sequence[ObservedDisk]) -> Iterator[str]:
    """Yield the disk types, and the number of local disks, that a machine type does not take."""
    for disk in disks:
        if isinstance(disk.kind, str) and disk.kind != LOCAL:
            yield from disk_type_fault(machine_type, disk.kind)
    yield from local_ssd_fault(machine_type, sum(disk.kind == LOCAL for disk in disks))


def _boot_faults(disk: ObservedDisk) -> Iterator[str]:
    """Yield a boot disk of a type that no machine starts from."""
    kind = limits_of(disk.kind) if disk.boot and isinstance(disk.kind, str) else None
    if kind is not None and not kind.boots:
        yield f"{disk.name}: machines can't start from a {disk.kind} disk: use hyperdisk-balanced"


def limit_faults(disk: ObservedDisk) -> Iterator[str]:
    """Yield a size or a speed beyond its type's limits, where the table has them."""
    kind = limits_of(disk.kind) if isinstance(disk.kind, str) else None
    if kind is None:
        if isinstance(disk.kind, str) and disk.kind != LOCAL:
            yield f"{disk.name}: {unknown_type_fault(disk.kind)}"
        return
    size, iops = (None if isinstance(n, Unknown) else n for n in (disk.size, disk.iops))
    yield from _limit_faults(disk, "GiB", size, (kind.smallest, kind.largest))
    of_size = "" if size is None else f" of {size:,f} GiB"
    yield from _limit_faults(disk, "IOPS", iops, kind.iops_range(size), of_size)
    with_iops = of_size if iops is None else f"{of_size} with {iops:,f} IOPS"
    yield from _limit_faults(
        disk, "MiB/s", disk.throughput, kind.throughput_range(size, iops), with_iops
    )


def _limit_faults(
    disk: ObservedDisk,
    unit: str,
    number: Decimal | Unknown | None,
    value_range: tuple[int, int] | None,
    described: str = "",
) -> Iterator[str]:
    if not isinstance(number, Decimal):
        return
    if value_range is None:
        yield f"{disk.name}: the {unit} of a {disk.kind} disk can't be set: remove them"
    elif not value_range[0] <= number <= value_range[1]:
        yield (
            f"{disk.name}: a {disk.kind} disk{described} does not support {number:,f} {unit}: "
            f"{value_range[0]:,} to {value_range[1]:,}"
        )
