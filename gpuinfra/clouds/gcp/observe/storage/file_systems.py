"""The file systems of Google Cloud: Managed Lustre, Parallelstore and Filestore."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.label_keys import own_label_keys
from gpuinfra.clouds.gcp.observe.launch import locations
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.file_system_machines import EVERYWHERE, GroupsByPlace
from gpuinfra.clouds.observing.values import as_list, at, text, whole_number
from gpuinfra.model import UNKNOWN, FileSystem, Resource, Unknown

_TIERS: Final = (125, 250, 500, 1000)
_SMALLEST, _LARGEST = 9_000, 7_632_000
"""MB/s per TiB, and GiB, of Managed Lustre:
https://docs.cloud.google.com/managed-lustre/docs/create-instance"""

_GIB_IN_TIB: Final = 1024


def files_of(resource: Resource, index: Index) -> FileSystem:
    """Return the row of a file system, without machines; Google encrypts all of them.

    https://docs.cloud.google.com/docs/security/encryption/default-encryption
    """
    inputs, kind = resource.inputs, resource_types.FILE_SYSTEMS[resource.type]
    file_shares = as_list(inputs.get("fileShares"))
    capacity = at(file_shares[0], "capacityGb") if file_shares else inputs.get("capacityGib")
    size = whole_number(capacity)
    return FileSystem(
        name=resource.name,
        subject=resource.urn,
        cloud="gcp",
        kind=kind,
        region=locations.region_of(resource, index),
        size_gib=size,
        throughput_mbs=_throughput(resource, size) if kind == "lustre" else None,
        encrypted=True,
        faults=rule_faults(
            "shared-storage-settings", _faults(resource, size) if kind == "lustre" else ()
        ),
        labels=own_label_keys(resource),
    )


def with_machines(
    files: FileSystem, resource: Resource, groups: GroupsByPlace, _: Index
) -> FileSystem:
    """Return a file system with the machines that use it; a regional one is in every zone."""
    zones = locations.zones_of(resource)
    zone_or_region = text(resource.inputs.get("location"))
    is_regional = isinstance(zone_or_region, str) and not zones
    return groups.with_only_group(files, EVERYWHERE if is_regional else zones)


def _throughput(resource: Resource, size: int | Unknown | None) -> Decimal | Unknown | None:
    """Return the MB/s of a file system: its rate per TiB times its size."""
    throughput_per_tib = whole_number(resource.inputs.get("perUnitStorageThroughput"))
    if throughput_per_tib is None or size is None:
        return None
    if isinstance(throughput_per_tib, Unknown) or isinstance(size, Unknown):
        return UNKNOWN
    return Decimal(throughput_per_tib) * size / _GIB_IN_TIB


def _faults(resource: Resource, size: int | Unknown | None) -> Iterator[str]:
    throughput_per_tib = whole_number(resource.inputs.get("perUnitStorageThroughput"))
    if isinstance(throughput_per_tib, int) and throughput_per_tib not in _TIERS:
        allowed = ", ".join(map(str, _TIERS))
        yield f"per_unit_storage_throughput: {throughput_per_tib}; allowed: {allowed}"
    if isinstance(size, int) and not _SMALLEST <= size <= _LARGEST:
        yield f"capacity_gib: {size:,} is not between {_SMALLEST:,} and {_LARGEST:,}"
