"""What a Kubernetes cluster (AKS) costs besides its machines: control plane, way out."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.azure.observe import places
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.clouds.observing.values import amount, at, text
from gpuinfra.model import UNKNOWN, Item, Resource, Unknown
from gpuinfra.records import record

_ONE: Final = Decimal(1)

CONTROL: Final = {"Standard": "aks-cluster-standard-hour", "Premium": "aks-cluster-premium-hour"}
"""What a control plane costs besides those that are free, by its tier:
https://learn.microsoft.com/azure/aks/free-standard-pricing-tiers"""


@record(kw_only=False)
class _Way:
    """A way out that a cluster makes: its price items, and where its addresses are counted."""

    hour: str
    data: str
    addresses: tuple[str, ...]


_WAYS: Final = {
    "loadBalancer": _Way(
        "lb-standard-first-5-rules-hour",
        "lb-standard-data",
        ("loadBalancerProfile", "managedOutboundIPs", "count"),
    ),
    "managedNATGateway": _Way(
        "nat-gateway-hour",
        "nat-gateway-data",
        ("natGatewayProfile", "managedOutboundIPProfile", "count"),
    ),
}
"""https://learn.microsoft.com/azure/aks/egress-outboundtype"""

_DEFAULT_WAY: Final = "loadBalancer"


def tier_of(resource: Resource) -> str | Unknown:
    """Return the tier of a cluster's control plane."""
    return text(at(resource.inputs.get("sku"), "tier")) or "Free"


def control_items(resource: Resource, index: Index) -> Iterator[Item]:
    """Yield what a control plane costs that is not free."""
    tier = tier_of(resource)
    item = CONTROL.get(tier) if isinstance(tier, str) else None
    if item is not None:
        region = places.region_of(resource, index)
        yield service_item("azure", resource, "control plane", item, "hour", _ONE, region)


def way_out(resource: Resource, index: Index) -> Iterator[Item]:
    """Yield the load balancer or gateway, with its addresses, that a cluster makes for itself."""
    network = resource.inputs.get("networkProfile")
    named = text(at(network, "outboundType")) or _DEFAULT_WAY
    way = _WAYS[_DEFAULT_WAY] if isinstance(named, Unknown) else _WAYS.get(named)
    if way is None:
        return
    region = places.region_of(resource, index)
    addresses = amount(at(network, *way.addresses))
    counts: tuple[Decimal | Unknown, ...] = (_ONE, _ONE if addresses is None else addresses)
    if isinstance(named, Unknown):
        counts = (UNKNOWN, UNKNOWN)
    address = "public-ip-standard-static-hour"
    yield service_item("azure", resource, "NAT gateway", way.hour, "hour", counts[0], region)
    yield service_item("azure", resource, "NAT gateway", way.data, "GB", None, region)
    yield service_item("azure", resource, "address", address, "hour", counts[1], region)
