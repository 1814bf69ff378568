"""The costs besides machines: gateways, addresses, load balancers, disks, file systems."""

from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.exposure.listeners import balancer_listener
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch import locations
from gpuinfra.clouds.azure.observe.storage.disk_faults import limit_faults
from gpuinfra.clouds.azure.observe.storage.disks import disk_items, disk_of
from gpuinfra.clouds.azure.regions import REGIONS
from gpuinfra.clouds.billing import GIB
from gpuinfra.clouds.observing.created_keys import make_key_observer
from gpuinfra.clouds.observing.disk_resource_row import disk_row
from gpuinfra.clouds.observing.rows import service_item, unjudged_rows, unpriced_rows
from gpuinfra.clouds.observing.values import amount, as_list, at, text, whole_number
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown, Usage

_ONE: Final = Decimal(1)
_FIRST_RULES: Final = 5
_ADDRESS_BITS: Final = 32
_GIB_IN_TIB: Final = 1024
_REGISTRY_TIERS: Final = ("basic", "standard", "premium")

_NOT_BILLED: Final = {None, "Disabled", "VirtualNetworkInherited"}
_DDOS: Final = "DDoS IP Protection, which is billed for each address"
"""https://learn.microsoft.com/azure/ddos-protection/ddos-protection-sku-comparison"""

_DOUBLE: Final = "a pool with double encryption"
"""https://learn.microsoft.com/azure/azure-netapp-files/double-encryption-at-rest: its cost is one
of its own on the pricing page"""


def nat_gateway(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the price items of a NAT gateway: hours, and data of unknown amount."""
    name = text(at(resource.inputs.get("sku"), "name"))
    if name not in {None, "Standard"}:
        return unpriced_rows(resource, f"a NAT gateway of tier {name}")
    region = locations.region_of(resource, index)
    return Rows(
        items=(
            service_item(
                "azure", resource, "NAT gateway", "nat-gateway-hour", "hour", _ONE, region
            ),
            service_item("azure", resource, "NAT gateway", "nat-gateway-data", "GB", None, region),
        )
    )


def address(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the hours of a public address; one from a prefix is billed with the prefix.

    Basic addresses, of which no more are made, count as standard ones: those were the dearer.
    https://azure.microsoft.com/pricing/details/ip-addresses/
    """
    if resource.inputs.get("publicIPPrefix") is not None:
        return Rows()
    tier = text(at(resource.inputs.get("sku"), "tier"))
    item = "public-ip-global-static-hour" if tier == "Global" else "public-ip-standard-static-hour"
    region = locations.region_of(resource, index)
    count = UNKNOWN if isinstance(tier, Unknown) else _ONE
    items = (service_item("azure", resource, "address", item, "hour", count, region),)
    ddos = resource.inputs.get("ddosSettings")
    plan = at(ddos, "ddosProtectionPlan")
    has_plan = bool(plan) and not isinstance(plan, Unknown)
    if text(at(ddos, "protectionMode")) in _NOT_BILLED or has_plan:
        return Rows(items=items)
    return replace(unpriced_rows(resource, _DDOS), items=items)


def addresses(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the hours of a prefix, for each address in it."""
    length = whole_number(resource.inputs.get("prefixLength"))
    count: Decimal | Unknown = UNKNOWN
    if isinstance(length, int) and length <= _ADDRESS_BITS:
        count = Decimal(2 ** (_ADDRESS_BITS - length))
    region = locations.region_of(resource, index)
    item = "public-ip-prefix-hour"
    return Rows(items=(service_item("azure", resource, "address", item, "hour", count, region),))


def load_balancer(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a standard load balancer's hours by its rules, and the price of its data.

    Rules count from the first to the fifth as one; NAT rules, and a balancer without rules, cost
    nothing by the hour: https://azure.microsoft.com/pricing/details/load-balancer/
    """
    name = text(at(resource.inputs.get("sku"), "name"))
    tier = text(at(resource.inputs.get("sku"), "tier"))
    if name != "Standard" or tier not in {None, "Regional"}:
        spelled = "not known yet" if UNKNOWN in (name, tier) else f"{name or 'Basic'} {tier or ''}"
        description = f"a load balancer of tier {spelled.strip()}"
        return replace(
            unpriced_rows(resource, description), listeners=balancer_listener(resource, index)
        )
    region = locations.region_of(resource, index)
    hours, rule_hours = _rule_hours(resource)
    kind, item = "load balancer", "lb-standard-first-5-rules-hour"
    rows = [
        service_item("azure", resource, kind, item, "hour", hours, region),
        service_item("azure", resource, kind, "lb-standard-data", "GB", None, region),
    ]
    if rule_hours:
        item = "lb-standard-extra-rule-hour"
        rows.append(service_item("azure", resource, kind, item, "hour", rule_hours, region))
    return Rows(
        items=tuple(row for row in rows if row.quantity != 0),
        listeners=balancer_listener(resource, index),
    )


def _rule_hours(resource: Resource) -> tuple[Decimal | Unknown, Decimal]:
    rule_lists = [resource.inputs.get(key) for key in ("loadBalancingRules", "outboundRules")]
    if UNKNOWN in rule_lists:
        return UNKNOWN, Decimal(0)
    count = sum(len(as_list(rules)) for rules in rule_lists)
    return Decimal(min(count, 1)), Decimal(max(0, count - _FIRST_RULES))


def endpoint(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a private endpoint's hours and the price of its data."""
    region = locations.region_of(resource, index)
    data = "private-endpoint-data-first-1pb"
    return Rows(
        items=(
            service_item(
                "azure", resource, "network", "private-endpoint-hour", "hour", _ONE, region
            ),
            service_item("azure", resource, "network", data, "GB", None, region),
        )
    )


def disk(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a standalone managed disk, attached or not; Azure encrypts every one.

    https://learn.microsoft.com/azure/virtual-machines/disk-encryption
    """
    region, volume = locations.region_of(resource, index), disk_of(resource)
    zones = locations.zones_of(resource.inputs.get("zones"), region)
    zone_faults = tuple(REGIONS.unknown_zone_faults(zones, region))
    return Rows(
        items=disk_items((volume,), resource.urn, region=region),
        disks=disk_row(
            "azure",
            resource,
            encrypted=True,
            faults=limit_faults((volume,), *zone_faults),
        ),
    )


def lustre(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a managed Lustre file system's capacity, in GiB."""
    name = text(at(resource.inputs.get("sku"), "name"))
    tier = resource_types.LUSTRE_TIER.fullmatch(name) if isinstance(name, str) else None
    if tier is None:
        return unpriced_rows(resource, f"a Lustre file system of tier {name}")
    size = amount(resource.inputs.get("storageCapacityTiB"))
    gib = UNKNOWN if size is None or isinstance(size, Unknown) else size * _GIB_IN_TIB
    region = locations.region_of(resource, index)
    item = f"managed-lustre-{tier.group(1)}"
    row = service_item("azure", resource, "file system", item, "GB-month", gib, region)
    return Rows(items=(row,))


def netapp_pool(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the capacity of a pool of NetApp Files, in GiB."""
    level = text(resource.inputs.get("serviceLevel"))
    if not isinstance(level, str):
        return unjudged_rows(resource, "its service level, which determines its price, is unknown")
    if text(resource.inputs.get("encryptionType")) not in {None, "Single"}:
        return unpriced_rows(resource, _DOUBLE)
    size = amount(resource.inputs.get("size"))
    gib = UNKNOWN if size is None or isinstance(size, Unknown) else size / GIB
    item, region = f"netapp-files-{level.lower()}", locations.region_of(resource, index)
    row = service_item("azure", resource, "file system", item, "GB-month", gib, region)
    return Rows(items=(row,))


def workspace(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the price of a log workspace's ingestion, where it is billed by the GB."""
    sku = text(at(resource.inputs.get("sku"), "name"))
    if sku not in {None, "PerGB2018"}:
        return unpriced_rows(resource, f"a log workspace of tier {sku}")
    region, item = locations.region_of(resource, index), "log-analytics-ingest"
    return Rows(items=(service_item("azure", resource, "logs", item, "GB", None, region),))


def registry(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the days of an image registry, by its tier.

    https://learn.microsoft.com/azure/container-registry/container-registry-skus
    """
    tier = text(at(resource.inputs.get("sku"), "name"))
    if not isinstance(tier, str) or tier.lower() not in _REGISTRY_TIERS:
        return unjudged_rows(resource, "the price of its tier is unknown")
    return _images_of(resource, tier.lower(), index)


def replication(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the days of a registry's copy in another region, billed as a premium one.

    https://learn.microsoft.com/azure/container-registry/container-registry-geo-replication
    """
    return _images_of(resource, "premium", index)


def _images_of(resource: Resource, tier: str, index: Index) -> Rows:
    region, item = locations.region_of(resource, index), f"acr-{tier}-day"
    return Rows(items=(service_item("azure", resource, "images", item, "day", _ONE, region),))


_END_INPUTS: Final = ("endDate", "endDateRelative")
app_password: Final = make_key_observer("azure", "a password of an application", _END_INPUTS)
principal_password: Final = make_key_observer(
    "azure", "a password of a service principal", _END_INPUTS
)
"""https://learn.microsoft.com/entra/identity-platform/security-best-practices-for-app-registration"""
