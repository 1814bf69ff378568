"""The settings of machines' disks that Google Cloud refuses, described with the fix."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from gpuinfra.clouds.gcp.disk import boot_disk, limits_of
from gpuinfra.clouds.gcp.observe.disks import ObservedDisk, disks_of
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.model import UNKNOWN, Machine, Unknown


def disk_faults_of(
    launches: Sequence[LaunchSources], machines: Sequence[Machine]
) -> tuple[str, ...] | Unknown:
    """Return the refused settings; UNKNOWN where the disks are hidden."""
    faults: dict[str, None] = {}
    hidden = False
    for launch in launches:
        disks = disks_of(launch)
        if isinstance(disks, Unknown):
            hidden = True
            continue
        for disk in disks:
            faults |= dict.fromkeys((*limit_faults(disk), *_kinds(disk, machines)))
    return UNKNOWN if hidden and not faults else tuple(faults)


def _kinds(disk: ObservedDisk, machines: Sequence[Machine]) -> Iterator[str]:
    """Yield a persistent boot disk on a machine that does not start from such disks."""
    if not disk.boot or not isinstance(disk.kind, str) or not disk.kind.startswith("pd-"):
        return
    for machine in machines:
        boot_type = boot_disk(machine).type
        if not boot_type.startswith("pd-"):
            yield f"{machine.type} does not start from a {disk.kind} disk: use {boot_type}"


def limit_faults(disk: ObservedDisk) -> Iterator[str]:
    """Yield a size or a speed beyond its type's limits, where the table has them."""
    kind = limits_of(disk.kind) if isinstance(disk.kind, str) else None
    if kind is None:
        return
    yield from _performance_faults(disk, "GiB", disk.size, kind.smallest, kind.largest)
    yield from _performance_faults(disk, "IOPS", disk.iops, kind.included_iops, kind.most_iops)
    yield from _performance_faults(
        disk, "MiB/s", disk.throughput, kind.included_throughput, kind.most_throughput
    )


def _performance_faults(
    disk: ObservedDisk,
    unit: str,
    number: Decimal | Unknown | None,
    minimum: int | None,
    maximum: int | None,
) -> Iterator[str]:
    if not isinstance(number, Decimal):
        return
    if minimum is None or maximum is None:
        yield f"{disk.name}: the {unit} of a {disk.kind} disk can't be set: remove them"
    elif not minimum <= number <= maximum:
        yield (
            f"{disk.name}: a {disk.kind} disk does not support {number:,f} {unit}: "
            f"{minimum:,} to {maximum:,}"
        )
