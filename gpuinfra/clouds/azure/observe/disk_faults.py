"""The settings of machines' disks that Azure refuses, described with the fix."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.azure.disk import MAX_GIB
from gpuinfra.clouds.azure.observe.disks import KINDS, MeteredDisks, ObservedDisk, disks_of
from gpuinfra.clouds.azure.observe.launch_settings import Profile
from gpuinfra.model import UNKNOWN, Unknown

_OS_DISK: Final = "OS disk"
_METERED_LIMITS: Final = {
    "premiumv2_lrs": (65_536, 80_000, 1_200),
    "ultrassd_lrs": (65_536, 400_000, 10_000),
}
"""The most GiB, IOPS and MB/s of the disks that are paid by what is provisioned; data disks only:
https://learn.microsoft.com/azure/virtual-machines/disks-types"""

_TIERED_MAXIMUM_GIB: Final = 32_767
"""The most GiB of every other disk, by the same page."""


def disk_faults_of(profile: Profile) -> tuple[str, ...] | Unknown:
    """Return the refused settings; UNKNOWN where the disks are hidden."""
    disks = disks_of(profile)
    if isinstance(disks, Unknown):
        return UNKNOWN
    return tuple(dict.fromkeys(fault for disk in disks for fault in limit_faults(disk)))


def limit_faults(disk: ObservedDisk) -> Iterator[str]:
    """Yield a type, a size or a speed that a disk does not support."""
    name = disk.kind.lower() if isinstance(disk.kind, str) else ""
    kind = KINDS.get(name)
    if disk.name == _OS_DISK:
        yield from _above_limit_faults(disk, "GiB", disk.gib, MAX_GIB)
        if isinstance(kind, MeteredDisks):
            yield f"{disk.name}: machines can't start from a {disk.kind} disk: use Premium_LRS"
        return
    if kind is None:
        return
    most = _METERED_LIMITS.get(name)
    yield from _above_limit_faults(
        disk, "GiB", disk.gib, _TIERED_MAXIMUM_GIB if most is None else most[0]
    )
    if most is not None:
        yield from _above_limit_faults(disk, "IOPS", disk.iops, most[1])
        yield from _above_limit_faults(disk, "MB/s", disk.throughput, most[2])
    elif disk.iops is not None or disk.throughput is not None:
        yield (
            f"{disk.name}: the size of a {disk.kind} disk sets its IOPS and MB/s: "
            "remove diskIOPSReadWrite and diskMBpsReadWrite, or use PremiumV2_LRS"
        )


def _above_limit_faults(
    disk: ObservedDisk, unit: str, number: Decimal | Unknown | None, maximum: int
) -> Iterator[str]:
    if isinstance(number, Decimal) and number > maximum:
        yield f"{disk.name}: {number:,f} {unit} exceed its limit of {maximum:,}"
