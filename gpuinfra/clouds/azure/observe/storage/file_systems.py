"""The file systems of Azure: Managed Lustre, and the capacity pools of NetApp Files."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch import locations
from gpuinfra.clouds.azure.observe.tag_keys import own_tag_keys
from gpuinfra.clouds.billing import GIB
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.file_system_machines import GroupsByPlace
from gpuinfra.clouds.observing.values import amount, as_list, at, text
from gpuinfra.model import NOWHERE, UNKNOWN, FileSystem, Resource, Unknown

_LEVELS: Final = {"standard": 16, "premium": 64, "ultra": 128}
"""MiB/s for each TiB of a pool:
https://learn.microsoft.com/azure/azure-netapp-files/azure-netapp-files-service-levels"""

_GIB_IN_TIB: Final = 1024
_MIB_IN_MB: Final = Decimal(2**20) / 10**6


def files_of(resource: Resource, index: Index) -> FileSystem:
    """Return the row of a file system, without machines; Azure encrypts both types at rest.

    https://learn.microsoft.com/azure/azure-managed-lustre/amlfs-overview#encryption
    """
    kind = resource_types.FILE_SYSTEMS[resource_types.canonical(resource.type)]
    size = _size(resource, kind)
    return FileSystem(
        name=resource.name,
        subject=resource.urn,
        cloud="azure",
        kind=kind,
        region=locations.region_of(resource, index),
        size_gib=int(size) if isinstance(size, Decimal) else size,
        throughput_mbs=_throughput(resource, kind, size),
        encrypted=True,
        faults=rule_faults("shared-storage-settings", _faults(resource)),
        labels=own_tag_keys(resource),
    )


def with_machines(
    files: FileSystem, resource: Resource, groups: GroupsByPlace, _: Index
) -> FileSystem:
    """Return a file system with the machines that use it."""
    zones = locations.zones_of(resource.inputs.get("zones"), files.region or NOWHERE)
    return groups.with_only_group(files, zones)


def _size(resource: Resource, kind: str) -> Decimal | Unknown | None:
    """Return its capacity in GiB."""
    stated_size = amount(resource.inputs.get("storageCapacityTiB" if kind == "lustre" else "size"))
    if stated_size is None or isinstance(stated_size, Unknown):
        return stated_size
    return stated_size * _GIB_IN_TIB if kind == "lustre" else stated_size / GIB


def _throughput(
    resource: Resource, kind: str, size: Decimal | Unknown | None
) -> Decimal | Unknown | None:
    """Return the MB/s of a file system: the rate per TiB of its tier or level, times its size."""
    throughput_per_tib = _tier(resource) if kind == "lustre" else _level(resource)
    if throughput_per_tib is None or size is None:
        return None
    if isinstance(throughput_per_tib, Unknown) or isinstance(size, Unknown):
        return UNKNOWN
    return throughput_per_tib * size / _GIB_IN_TIB


def _tier(resource: Resource) -> Decimal | Unknown | None:
    name = text(at(resource.inputs.get("sku"), "name"))
    match = resource_types.LUSTRE_TIER.fullmatch(name) if isinstance(name, str) else None
    if match is not None:
        return Decimal(match[1])
    return UNKNOWN if isinstance(name, Unknown) else None


def _level(resource: Resource) -> Decimal | Unknown | None:
    level = text(resource.inputs.get("serviceLevel"))
    if isinstance(level, Unknown):
        return UNKNOWN
    speed = _LEVELS.get((level or "").lower())
    return None if speed is None else speed * _MIB_IN_MB


def _faults(resource: Resource) -> Iterator[str]:
    """Yield more than one zone; a file system for Lustre is in one (Z7)."""
    zones = as_list(resource.inputs.get("zones"))
    if len(zones) > 1:
        yield f"zones: {len(zones)} are named; it is in one"
