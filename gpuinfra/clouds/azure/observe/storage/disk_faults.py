"""The settings of machines' disks that Azure refuses, described with the fix."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.azure.disk import MAX_GIB
from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.launch_settings import Profile
from gpuinfra.clouds.azure.observe.storage.disks import KINDS, MeteredDisks, ObservedDisk, disks_of
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.values import as_list, at, text
from gpuinfra.model import UNKNOWN, Unknown

_OS_DISK: Final = "OS disk"
_UNITS: Final = {"gib": "GiB", "iops": "IOPS", "mbps": "MB/s"}
_TIERED_MAXIMUM_GIB: Final = 32_767
"""The most GiB of every other disk:
https://learn.microsoft.com/azure/virtual-machines/disks-types"""


def disk_faults_of(profile: Profile, index: Index) -> tuple[str, ...] | Unknown:
    """Return the refused settings; UNKNOWN where the disks are hidden."""
    disks = disks_of(profile)
    if isinstance(disks, Unknown):
        return UNKNOWN
    return limit_faults(disks, *_caching_faults(profile, index))


def _caching_faults(profile: Profile, index: Index) -> Iterator[str]:
    """Yield the data disks that a machine is to cache though no machine caches their type."""
    for number, spec in enumerate(as_list(profile.get("storageProfile", "dataDisks"))):
        caching = text(at(spec, "caching"))
        kinds = set(_kinds(spec, profile, index))
        if not isinstance(caching, str) or caching.lower() == "none" or not kinds:
            continue
        if all(kind.lower() in TABLES.table("disks")["uncached"] for kind in kinds):
            yield (
                f"data disk {number}: machines cache no {' or '.join(sorted(kinds))} disk: "
                "set caching to None"
            )


def _kinds(spec: Any, profile: Profile, index: Index) -> Iterator[str]:
    """Yield the types that a data disk may have: its own, or those of the disks that it names."""
    stated = at(spec, "managedDisk", "storageAccountType")
    kinds = [stated]
    if stated is None and (disk_id := at(spec, "managedDisk", "id")) is not None:
        reference = replace(profile.reference("storageProfile"), value=disk_id)
        targets = reference.targets(index, resource_types.DISK).certain
        kinds = [at(disk.inputs.get("sku"), "name") for disk in targets]
    yield from (kind for kind in kinds if isinstance(kind, str))


def limit_faults(disks: Sequence[ObservedDisk], *others: str) -> tuple[str, ...] | Unknown:
    """Return what disks do not support, and other faults of theirs.

    UNKNOWN where there are none, and no source tells whether Azure takes a speed.
    """
    faults = (*dict.fromkeys(fault for disk in disks for fault in _limit_faults(disk)), *others)
    return faults or (UNKNOWN if any(map(_is_below_included_speed, disks)) else ())


def _is_below_included_speed(disk: ObservedDisk) -> bool:
    """Return whether a disk has less than its kind includes, where its minimum is unknown."""
    name = disk.kind.lower() if isinstance(disk.kind, str) else ""
    kind, limits = KINDS.get(name), TABLES.table("disks")["metered_limits"].get(name)
    if not isinstance(kind, MeteredDisks) or limits is None:
        return False
    speeds = {"iops": (disk.iops, kind.iops), "mbps": (disk.throughput, kind.throughput)}
    return any(
        limits[f"least_{key}"] is None and isinstance(speed, Decimal) and speed < included
        for key, (speed, included) in speeds.items()
    )


def _limit_faults(disk: ObservedDisk) -> Iterator[str]:
    """Yield a type, a size or a speed that a disk does not support."""
    name = disk.kind.lower() if isinstance(disk.kind, str) else ""
    kind = KINDS.get(name)
    if kind is None and name:
        types = ", ".join(TABLES.table("disks")["types"])
        yield f"{disk.name}: there is no disk type {disk.kind}: use one of {types}"
    if disk.name == _OS_DISK:
        yield from _above_limit_faults(disk, "GiB", disk.gib, MAX_GIB)
        if isinstance(kind, MeteredDisks):
            yield f"{disk.name}: machines can't start from a {disk.kind} disk: use Premium_LRS"
        return
    if kind is None:
        return
    most = TABLES.table("disks")["metered_limits"].get(name)
    if most is not None:
        yield from _metered_faults(disk, most)
        return
    yield from _above_limit_faults(disk, "GiB", disk.gib, _TIERED_MAXIMUM_GIB)
    if disk.iops is not None or disk.throughput is not None:
        yield (
            f"{disk.name}: the size of a {disk.kind} disk sets its IOPS and MB/s: "
            "remove diskIOPSReadWrite and diskMBpsReadWrite, or use PremiumV2_LRS"
        )


def _metered_faults(disk: ObservedDisk, most: Mapping[str, Any]) -> Iterator[str]:
    """Yield a size or a speed of a disk that is paid by what is provisioned; `most` its limits."""
    figures = {"gib": disk.gib, "iops": disk.iops, "mbps": disk.throughput}
    for key, number in figures.items():
        least = most[f"least_{key}"]
        if least is not None and isinstance(number, Decimal) and number < least:
            yield f"{disk.name}: {number:,f} {_UNITS[key]} are below its minimum of {least:,}"
    yield from _above_limit_faults(disk, "GiB", disk.gib, most["gib"])
    iops, throughput = most["iops"], most["mbps"]
    if isinstance(disk.gib, Decimal):
        iops = min(iops, max(most["free_iops"], int(disk.gib * most["iops_per_gib"])))
    yield from _above_limit_faults(disk, "IOPS", disk.iops, iops)
    disk_iops = disk.iops if disk.iops is not None else most["free_iops"] or UNKNOWN
    if not isinstance(disk_iops, Unknown):
        throughput = min(throughput, int(disk_iops / most["iops_per_mbps"]))
    yield from _above_limit_faults(disk, "MB/s", disk.throughput, throughput)


def _above_limit_faults(
    disk: ObservedDisk, unit: str, number: Decimal | Unknown | None, maximum: int
) -> Iterator[str]:
    if isinstance(number, Decimal) and number > maximum:
        yield f"{disk.name}: {number:,f} {unit} exceed its limit of {maximum:,}"
