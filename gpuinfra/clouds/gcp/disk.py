"""A machine's boot disk: its type by machine, its price items and its limits."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from gpuinfra.clouds.billing import gib
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import Machine
from gpuinfra.records import record


@record
class DiskType:
    """A disk type and its limits: GiB, operations and MiB per second.

    The `included` figures cost nothing further; they and the `most` are None where a disk takes
    no figures of its own, as its speed comes with its size.
    """

    type: str
    smallest: int
    largest: int
    included_iops: int | None
    most_iops: int | None
    included_throughput: int | None
    most_throughput: int | None


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
    yield from _figure("iops", "IOPS", iops, (disk.included_iops, disk.most_iops), disk)
    bounds = (disk.included_throughput, disk.most_throughput)
    yield from _figure("throughput", "MiB/s", throughput, bounds, disk)


def _figure(
    key: str, unit: str, chosen: int | None, bounds: tuple[int | None, int | None], disk: DiskType
) -> Iterator[KeyFault]:
    least, most = bounds
    if chosen is None:
        return
    if least is None or most is None:
        yield KeyFault(
            key=("disk", key),
            message=f"the boot disk of this machine is {disk.type}, which does not support {key}",
            allowed=f"remove it: its {key} depends on its size",
        )
    elif not least <= chosen <= most:
        yield KeyFault(
            key=("disk", key),
            message=f"a {disk.type} disk does not support {chosen:,} {unit}",
            allowed=f"{least:,} to {most:,}",
        )


@cache
def _disks() -> dict[str, DiskType]:
    limits: dict[str, dict[str, Any]] = TABLES.table("disks")["limits"]
    return {name: DiskType(type=name, **row) for name, row in limits.items()}
