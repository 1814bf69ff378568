"""The costs besides machines: NAT, addresses, balancers, disks, buckets, file systems."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Final

from gpuinfra.clouds.billing import BucketUsage
from gpuinfra.clouds.gcp.disk import boot_disk
from gpuinfra.clouds.gcp.metered import bucket_items
from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.exposure.listeners import leads_to_attachment, listener_of
from gpuinfra.clouds.gcp.observe.index import Index, last_part
from gpuinfra.clouds.gcp.observe.launch import locations
from gpuinfra.clouds.gcp.observe.network import addresses
from gpuinfra.clouds.gcp.observe.storage.disk_faults import limit_faults
from gpuinfra.clouds.gcp.observe.storage.disks import ObservedDisk, disk_rows, disk_size
from gpuinfra.clouds.gcp.regions import REGIONS
from gpuinfra.clouds.gcp.tables import PRICES, TABLES
from gpuinfra.clouds.observing.created_keys import make_key_observer
from gpuinfra.clouds.observing.disk_resource_row import disk_row
from gpuinfra.clouds.observing.rows import service_item, unjudged_rows, unpriced_rows
from gpuinfra.clouds.observing.values import amount, as_list, at, flag, text, whole_number
from gpuinfra.model import (
    NOWHERE,
    UNKNOWN,
    Resource,
    Rows,
    Unknown,
    Usage,
)

_item: Final = partial(service_item, "gcp")
_ONE: Final = Decimal(1)
_DEFAULT_PORTS: Final = 64
"""Ports of a NAT that each machine gets, so that one address serves about a thousand:
https://docs.cloud.google.com/nat/docs/ports-and-addresses"""

_STORAGE_CLASSES: Final[Mapping[str, str]] = TABLES.table("items")["storage_classes"]
_MULTI_REGIONS: Final = frozenset({"us", "eu", "asia"})
"""https://docs.cloud.google.com/storage/docs/locations"""

_RULES: Final = "lb-forwarding-rules-first-5-hour"
PROXIES_REASON: Final = "its proxies are billed by the hour, and their price is unknown"
_PROXY_SCHEMES: Final = frozenset({"INTERNAL_MANAGED", "EXTERNAL_MANAGED"})
_FILESTORE: Final[Mapping[str, str]] = TABLES.table("items")["filestore_tiers"]
"""Standard and premium are the former names of the basic tiers:
https://docs.cloud.google.com/filestore/docs/service-tiers (2026-11-26, not re-read: unverified)"""
_RESERVATION_REASON: Final = (
    "it is billed from its creation on, used or not, as are its machines; machines of "
    "this stack that use it are counted separately"
)


def nat(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the price items of a NAT: data of unknown amount, and its addresses.

    The machines behind it pay for its hours (see `groups`).
    """
    region = locations.region_of(resource, index)
    rows = [_item(resource, "NAT gateway", "cloud-nat-data", "GB", None, region)]
    option = text(resource.inputs.get("natIpAllocateOption")) or (
        "MANUAL_ONLY" if resource.inputs.get("natIps") else "AUTO_ONLY"
    )
    if option != "MANUAL_ONLY":
        counts = (_ONE,) if _needs_one(resource) else (_ONE, None)
        rows += [
            _item(resource, "address", addresses.IN_USE_ITEM, "hour", count, region)
            for count in counts
        ]
    return Rows(items=tuple(rows))


def _needs_one(resource: Resource) -> bool:
    """Return whether one address serves all machines, as with the default ports."""
    ports = whole_number(resource.inputs.get("minPortsPerVm"))
    dynamic = flag(resource.inputs.get("enableDynamicPortAllocation"))
    are_few_ports = ports is None or (isinstance(ports, int) and ports <= _DEFAULT_PORTS)
    return are_few_ports and not dynamic


def address(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the hours of a public address in use; an internal one is free."""
    purpose = text(resource.inputs.get("purpose"))
    if text(resource.inputs.get("addressType")) == "INTERNAL" or isinstance(purpose, str):
        return Rows()
    region = _region_or_dearest(resource, index, addresses.UNUSED_ITEM)
    row = _item(resource, "address", addresses.IN_USE_ITEM, "hour", _ONE, region)
    return Rows(items=(row,))


def load_balancer(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a forwarding rule's hours and the price of the data it processes."""
    if leads_to_attachment(resource, index):
        return unpriced_rows(resource, "a Private Service Connect endpoint")
    scheme = text(resource.inputs.get("loadBalancingScheme")) or "EXTERNAL"
    if scheme == "INTERNAL_SELF_MANAGED":
        return unpriced_rows(resource, "a service mesh's forwarding rule")
    region = _region_or_dearest(resource, index, _RULES)
    items = (
        _item(resource, "load balancer", _RULES, "hour", _ONE, region),
        _item(resource, "load balancer", "lb-data-processed", "GB", None, region),
    )
    listeners = tuple(listener_of(resource, index))
    is_global = resource.type == resource_types.GLOBAL_FORWARDING
    proxied = _PROXY_SCHEMES - {"EXTERNAL_MANAGED"} if is_global else _PROXY_SCHEMES
    if isinstance(scheme, Unknown) or scheme in proxied:
        return replace(unjudged_rows(resource, PROXIES_REASON), items=items, listeners=listeners)
    return Rows(items=items, listeners=listeners)


def disk(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the rows of a standalone disk; Google encrypts every one.

    https://docs.cloud.google.com/compute/docs/disks/disk-encryption
    """
    inputs, region = resource.inputs, locations.region_of(resource, index)
    kind = text(inputs.get("type"))
    volume = ObservedDisk(
        "disk",
        last_part(kind) if isinstance(kind, str) else kind,
        disk_size(inputs.get("size"), inputs, inputs.get("image")),
        amount(inputs.get("provisionedIops")),
        amount(inputs.get("provisionedThroughput")),
        regional=resource.type == resource_types.REGION_DISK,
    )
    if inputs.get("storagePool") is not None:
        return unjudged_rows(resource, "it is in a storage pool, whose price is unknown")
    rows = disk_rows(volume, boot_disk().type)
    return Rows(
        items=tuple(
            replace(_item(resource, "disk", item, unit, quantity, region), quantity_hint=unstated)
            for item, unit, quantity, unstated in rows
        ),
        disks=disk_row(
            "gcp",
            resource,
            encrypted=True,
            faults=(
                *limit_faults(volume),
                *REGIONS.unknown_zone_faults(locations.zones_of(resource), region),
            ),
        ),
    )


def bucket(resource: Resource, _: Index, usage: Usage) -> Rows:
    """Return a bucket's storage, where its size is stated, and the prices of its requests."""
    bucket_place = locations.bucket_region(resource)
    bucket_usage = BucketUsage.from_user_usage(resource.name, usage)
    rows = bucket_items(resource.name, resource.urn, bucket_place, bucket_usage)
    kind = text(resource.inputs.get("storageClass")) or "STANDARD"
    storage = _STORAGE_CLASSES.get(kind) if isinstance(kind, str) else None
    if storage is None:
        return unjudged_rows(resource, "the price of its storage class is unknown")
    if bucket_place in _MULTI_REGIONS:
        storage = storage.replace("gcs-", "gcs-multi-region-", 1)
    return Rows(
        items=tuple(
            replace(
                row,
                item=storage if row.item == "gcs-standard-storage" else row.item,
                resource=resource.urn,
            )
            for row in rows
        )
    )


def future_reservation(resource: Resource, _: Index, __: Usage) -> Rows:
    """Return a future reservation as not judged, since its price is unknown."""
    return unjudged_rows(resource, _RESERVATION_REASON)


def lustre(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a Managed Lustre file system's storage, by its throughput."""
    speed = text(resource.inputs.get("perUnitStorageThroughput"))
    if not isinstance(speed, str):
        return unjudged_rows(resource, "its throughput, which determines its price, is unknown")
    size = _capacity(resource.inputs.get("capacityGib"))
    return _file_system(resource, f"managed-lustre-{speed}", size, index)


def parallelstore(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a Parallelstore file system's storage, by its kind."""
    kind = text(resource.inputs.get("deploymentType"))
    if kind not in {"SCRATCH", "PERSISTENT"}:
        return unjudged_rows(
            resource, "its deployment type, which determines its price, is unknown"
        )
    size = _capacity(resource.inputs.get("capacityGib"))
    return _file_system(resource, f"parallelstore-{str(kind).lower()}", size, index)


def filestore(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a Filestore share's storage, where a table has its tier."""
    tier = text(resource.inputs.get("tier"))
    item = _FILESTORE.get(tier) if isinstance(tier, str) else None
    if item is None:
        return unjudged_rows(resource, "the price of its tier is unknown")
    if resource.inputs.get("performanceConfig") not in (None, {}):
        return unjudged_rows(resource, "the price of its provisioned IOPS is unknown")
    file_shares = as_list(resource.inputs.get("fileShares"))
    size = _capacity(at(file_shares[0], "capacityGb") if file_shares else UNKNOWN)
    return _file_system(resource, item, size, index)


def _capacity(value: object) -> Decimal | Unknown:
    size = amount(value)
    return UNKNOWN if size is None else size


def _file_system(resource: Resource, item: str, size: Decimal | Unknown, index: Index) -> Rows:
    region = locations.region_of(resource, index)
    return Rows(items=(_item(resource, "file system", item, "GB-month", size, region),))


def _region_or_dearest(resource: Resource, index: Index, item: str) -> str:
    """Return a resource's region; for a global one, the region with the highest price.

    The tables have no price of what is global, which is at most as dear as in a region.
    """
    region = locations.region_of(resource, index)
    if region != NOWHERE or resource.type not in resource_types.GLOBAL:
        return region
    return max(PRICES.rows_in_all_regions(item), key=lambda price: price.per_unit).region


account_key: Final = make_key_observer("gcp", "a key of a service account")
hmac_key: Final = make_key_observer("gcp", "an HMAC key of a service account")
api_key: Final = make_key_observer("gcp", "an API key")
"""https://docs.cloud.google.com/iam/docs/best-practices-for-managing-service-account-keys"""
