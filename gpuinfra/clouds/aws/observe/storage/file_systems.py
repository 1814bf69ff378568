"""File systems of AWS other than Lustre: EFS and FSx for OpenZFS."""

from decimal import Decimal
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.tag_keys import resource_tag_keys
from gpuinfra.clouds.observing.file_system_machines import EVERYWHERE, GroupsByPlace
from gpuinfra.clouds.observing.values import amount, flag, text, whole_number
from gpuinfra.model import UNKNOWN, FileSystem, Resource, Unknown

_MIB: Final = Decimal(2**20)
_BYTES_PER_MB: Final = Decimal(10**6)


def files_of(resource: Resource, index: Index) -> FileSystem:
    """Return the row of a file system, without the machines that use it.

    FSx encrypts always, EFS where configured:
    https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/encryption-rest.html
    """
    inputs, kind = (
        resource.inputs,
        resource_types.FILE_SYSTEMS[resource_types.canonical(resource.type)],
    )
    encrypted = flag(inputs.get("encrypted"))
    return FileSystem(
        name=resource.name,
        subject=resource.urn,
        cloud="aws",
        kind=kind,
        region=locations.region_of(resource, index),
        size_gib=whole_number(inputs.get("storageCapacity")),
        throughput_mbs=_provisioned_throughput(resource, kind),
        encrypted=True if kind == "openzfs" else (False if encrypted is None else encrypted),
        labels=resource_tag_keys(resource),
    )


def with_machines(
    files: FileSystem, resource: Resource, groups: GroupsByPlace, index: Index
) -> FileSystem:
    """Return a file system with the machines that use it.

    EFS is in every zone of its region unless it names one.
    """
    if files.kind == "openzfs":
        return groups.with_only_group(files, locations.zones_of(resource, index))
    zone = text(resource.inputs.get("availabilityZoneName"))
    if zone is None:
        return groups.with_only_group(files, EVERYWHERE)
    return groups.with_only_group(files, (zone,) if isinstance(zone, str) else ())


def _provisioned_throughput(resource: Resource, kind: str) -> Decimal | Unknown | None:
    """Return the provisioned MB/s of 10^6 bytes; EFS without a number scales with its size."""
    key = "throughputCapacity" if kind == "openzfs" else "provisionedThroughputInMibps"
    speed = amount(resource.inputs.get(key))
    if isinstance(speed, Unknown):
        return UNKNOWN
    return speed if speed is None or kind == "openzfs" else speed * _MIB / _BYTES_PER_MB
