"""Standalone file systems and volumes: FSx, EFS, EBS."""

from decimal import Decimal

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.storage.disk_rows import (
    volume_encrypted,
    volume_faults,
    volume_rows,
)
from gpuinfra.clouds.observing.disk_resource_row import disk_row
from gpuinfra.clouds.observing.rows import service_item, unpriced_rows
from gpuinfra.clouds.observing.values import amount, at, text
from gpuinfra.model import UNKNOWN, Item, Resource, Rows, Unknown, Usage

Quantity = Decimal | Unknown | None


def open_zfs(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a ZFS file system's storage and throughput in one zone, and IOPS above the included.

    Three IOPS come with each GiB: https://aws.amazon.com/fsx/openzfs/pricing/
    """
    inputs = resource.inputs
    kind = text(inputs.get("deploymentType"))
    if not isinstance(kind, str) or not kind.startswith("SINGLE_AZ"):
        return unpriced_rows(resource, f"FSx for OpenZFS {kind}")
    if (text(inputs.get("storageType")) or "SSD") != "SSD":
        return unpriced_rows(resource, "its storage type")
    size, speed = (
        _stated_number(inputs, "storageCapacity"),
        _stated_number(inputs, "throughputCapacity"),
    )
    rows = [
        _row(resource, index, "fsx-openzfs-ssd-storage", "GB-month", size),
        _row(resource, index, "fsx-openzfs-throughput", "MBps-month", speed),
    ]
    iops = amount(at(inputs.get("diskIopsConfiguration"), "iops"))
    if isinstance(iops, Decimal) and isinstance(size, Decimal):
        iops = max(Decimal(0), iops - 3 * size)
    if iops is not None and iops != 0:
        rows.append(_row(resource, index, "fsx-openzfs-ssd-iops", "IOPS-month", iops))
    if amount(inputs.get("automaticBackupRetentionDays")):
        rows.append(_row(resource, index, "fsx-openzfs-backup", "GB-month", None))
    return Rows(items=tuple(rows))


def efs_file_system(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the price of an EFS file system's content, and its provisioned throughput.

    Throughput comes with content too. The amount of content is not known, so all throughput that
    is provisioned counts.
    """
    inputs = resource.inputs
    zone = "onezone" if inputs.get("availabilityZoneName") is not None else "standard"
    rows = [_row(resource, index, f"efs-{zone}-storage", "GB-month", None)]
    if inputs.get("lifecyclePolicies"):
        rows.append(_row(resource, index, f"efs-{zone}-ia-storage", "GB-month", None))
        rows.append(_row(resource, index, "efs-ia-access", "GB", None))
    mode = text(inputs.get("throughputMode")) or "bursting"
    if mode == "provisioned":
        speed = _stated_number(inputs, "provisionedThroughputInMibps")
        rows.append(_row(resource, index, "efs-provisioned-throughput", "MBps-month", speed))
    elif mode != "bursting":
        items = ("efs-elastic-throughput-read", "efs-elastic-throughput-write")
        rows += [_row(resource, index, item, "GB", None) for item in items]
    return Rows(items=tuple(rows))


def volume(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the rows of a standalone EBS volume, attached or not."""
    return Rows(
        items=tuple(
            _row(resource, index, item, unit, quantity, "disk")
            for item, unit, quantity in volume_rows(resource.inputs)
        ),
        disks=disk_row(
            "aws", resource, volume_encrypted(resource, index), volume_faults(resource.inputs)
        ),
    )


def snapshot(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the price item of a snapshot; its size is unknown."""
    if text(resource.inputs.get("storageTier")) not in {None, "standard"}:
        return unpriced_rows(resource, "the snapshot archive tier")
    return Rows(items=(_row(resource, index, "ebs-snapshot", "GB-month", None, "disk"),))


def _stated_number(inputs: object, key: str) -> Decimal | Unknown:
    """Return a number that the price depends on; UNKNOWN where it is not stated."""
    number = amount(at(inputs, key))
    return UNKNOWN if number is None else number


def _row(
    resource: Resource,
    index: Index,
    item: str,
    unit: str,
    quantity: Quantity,
    kind: str = "file system",
) -> Item:
    region = locations.region_of(resource, index)
    return service_item("aws", resource, kind, item, unit, quantity, region)
