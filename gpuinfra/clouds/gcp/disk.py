"""The disks of machines: their limits, the boot disk, and what each machine type takes."""

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.billing import gib
from gpuinfra.clouds.gcp.machines import machine as known_machine
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import Machine
from gpuinfra.records import record

Number = Decimal | int
_GIB_PER_TIB: Final = 1024
_VCPUS: Final = re.compile(r"[a-z0-9]+-[a-z]+-(\d+)(?:-\d+(?:-ext)?)?")
_LOCAL_GIB: Final = 375
_OWN_LOCAL: Final = ("lssd", "metal")


@record
class DiskType:
    """A disk type and its limits: GiB, operations and MiB per second; None is unknown.

    The `included` figures cost nothing further. Where a `most` is None, a disk takes no such
    figure of its own, as its speed comes with its size. `iops_per_mib` are the fewest and the
    most operations for each MiB/s.
    """

    type: str
    smallest: int
    largest: int
    included_iops: int | None = None
    least_iops: int | None = None
    least_iops_per_gib: int | None = None
    most_iops: int | None = None
    most_iops_per_gib: int | None = None
    included_throughput: int | None = None
    least_throughput: int | None = None
    most_throughput: int | None = None
    most_throughput_per_tib: int | None = None
    iops_per_mib: tuple[int, int] | None = None
    boots: bool = True

    def iops_range(self, gib: Number | None) -> tuple[int, int] | None:
        """Return the fewest and most operations of a disk of this size; None if it takes none."""
        if self.most_iops is None:
            return None
        least, most = self.least_iops or 0, self.most_iops
        if gib is not None and self.most_iops_per_gib is not None:
            most = min(most, int(gib * self.most_iops_per_gib))
            least = max(least, int(gib * (self.least_iops_per_gib or 0)))
        return min(least, most), most

    def throughput_range(self, gib: Number | None, iops: Number | None) -> tuple[int, int] | None:
        """Return the least and most MiB/s of a disk; None if it takes none."""
        if self.most_throughput is None:
            return None
        least, most = self.least_throughput or 0, self.most_throughput
        if gib is not None and self.most_throughput_per_tib is not None:
            most = min(most, int(gib * self.most_throughput_per_tib / _GIB_PER_TIB))
        if iops is not None and self.iops_per_mib is not None:
            fewest, many = self.iops_per_mib
            least, most = max(least, math.ceil(iops / many)), min(most, int(iops / fewest))
        return min(least, most), most


def boot_disk(machine: Machine | None = None) -> DiskType:
    """Return the boot disk of a machine; without a machine, that of most machines."""
    name = "" if machine is None else machine.type
    rows = [row for row in TABLES.rows("disks") if name.startswith(row["series"])]
    type_ = max(rows, key=lambda row: len(row["series"]))["disk"]
    return _disks()[type_]


def limits_of(type_: str) -> DiskType | None:
    """Return a disk type and its limits; None for one that the table lacks."""
    return _disks().get(type_)


def disk_faults(
    size: int, iops: int | None, throughput: int | None, machine: Machine | None = None
) -> Iterator[KeyFault]:
    """Yield the settings that the machine's boot disk would refuse."""
    disk = boot_disk(machine)
    volume = gib(size)
    if not disk.smallest <= volume <= disk.largest:
        yield KeyFault(
            key=("disk", "size"),
            message=f"a {disk.type} disk can't have {volume:,} GiB",
            allowed=f"{disk.smallest}GiB to {disk.largest // 1024}TiB",
        )
    yield from _figure("iops", "IOPS", iops, disk.iops_range(volume), disk)
    throughput_range = disk.throughput_range(volume, iops)
    yield from _figure("throughput", "MiB/s", throughput, throughput_range, disk)


def _figure(
    key: str,
    unit: str,
    chosen_value: int | None,
    value_range: tuple[int, int] | None,
    disk: DiskType,
) -> Iterator[KeyFault]:
    if chosen_value is None:
        return
    if value_range is None:
        yield KeyFault(
            key=("disk", key),
            message=f"the boot disk of this machine is {disk.type}, which does not support {key}",
            allowed=f"remove it: its {key} depends on its size",
        )
    elif not value_range[0] <= chosen_value <= value_range[1]:
        yield KeyFault(
            key=("disk", key),
            message=f"a {disk.type} disk does not support {chosen_value:,} {unit}",
            allowed=f"{value_range[0]:,} to {value_range[1]:,}",
        )


def unknown_type_fault(kind: str) -> str:
    """Return why there is no disk type of this name."""
    return f"there is no disk type {kind}: use one of {', '.join(_disks())}"


@cache
def _disks() -> dict[str, DiskType]:
    limits: dict[str, dict[str, Any]] = TABLES.table("disks")["limits"]
    return {name: _disk_type(name, row) for name, row in limits.items()}


def _disk_type(name: str, row: dict[str, Any]) -> DiskType:
    pair = row.get("iops_per_mib")
    limits: dict[str, Any] = {**row, "iops_per_mib": pair and tuple(pair)}
    return DiskType(type=name, **limits)


def disk_type_fault(machine_type: str, kind: str) -> Iterator[str]:
    """Yield why a machine type does not take disks of a type; nothing where it may."""
    row = _row(machine_type)
    if row is None or limits_of(kind) is None or kind in row["unverified"]:
        return
    if kind not in row["supported"]:
        supported = ", ".join(row["supported"])
        yield f"{machine_type} does not support {kind} disks: use one of {supported}"
        return
    least = TABLES.table("machine_disks")["least_vcpus"].get(kind, {}).get(row["series"])
    vcpus = _vcpus(machine_type)
    if least is not None and vcpus is not None and vcpus < least:
        yield (
            f"{machine_type} does not support {kind} disks: it has {vcpus} vCPUs, and its series "
            f"requires {least} for them"
        )


def takes(machine_type: str, kind: str) -> bool | None:
    """Return whether a machine type takes disks of a type; None where that is unknown."""
    row = _row(machine_type)
    if row is None or kind in row["unverified"]:
        return None
    return kind in row["supported"]


def local_ssd_fault(machine_type: str, count: int) -> Iterator[str]:
    """Yield why a machine type does not take this number of local SSDs."""
    counts = _local_ssds(machine_type)
    if counts is None or count == 0 or count in counts:
        return
    if not counts:
        yield f"{machine_type} does not support local SSDs, but {count} declared: remove them"
        return
    allowed = ", ".join(str(number) for number in counts)
    yield f"{machine_type} does not support {count} local SSDs: attach {allowed}, or none"


def _local_ssds(machine_type: str) -> tuple[int, ...] | None:
    """Return the allowed numbers of local SSDs; None where they are unknown."""
    if machine_type.endswith(_OWN_LOCAL):
        return None
    known = known_machine(machine_type)
    if known is not None and known.local_storage_gb:
        return (int(known.local_storage_gb / _LOCAL_GIB),)
    vcpus = _vcpus(machine_type)
    series = machine_type.partition("-")[0]
    rows = (
        (least, tuple(counts))
        for name, least, counts in TABLES.table("machine_disks")["local_ssds"]
        if name == series and vcpus is not None and vcpus >= least
    )
    return max(rows, default=(0, None))[1]


def _vcpus(machine_type: str) -> int | None:
    known = known_machine(machine_type)
    if known is not None:
        return known.vcpu
    match = _VCPUS.fullmatch(machine_type.partition("+")[0])
    return int(match[1]) if match else None


@cache
def _row(machine_type: str) -> dict[str, Any] | None:
    """Return what the table says of the machine type's series; None where it lacks it."""
    family = machine_type.partition("-")[0]
    with_gpus = f"{family}+" if "+" in machine_type else family
    fits = (
        row
        for row in TABLES.rows("machine_disks")
        if machine_type.startswith(f"{row['series']}-") or row["series"] == with_gpus
    )
    return max(fits, key=lambda row: len(row["series"]), default=None)
