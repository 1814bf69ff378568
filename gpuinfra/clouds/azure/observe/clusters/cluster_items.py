"""The costs of a Kubernetes cluster (AKS) besides machines: control plane, outbound path."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch import locations
from gpuinfra.clouds.observing.balanced_services import BalancedService
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.clouds.observing.served_objects import ServedObject
from gpuinfra.clouds.observing.values import amount, as_list, at, is_on, text
from gpuinfra.model import UNKNOWN, Item, Known, Resource, Rows, Unknown
from gpuinfra.records import record

_ONE: Final = Decimal(1)

CONTROL: Final = {"Standard": "aks-cluster-standard-hour", "Premium": "aks-cluster-premium-hour"}
"""What a control plane costs besides those that are free, by its tier:
https://learn.microsoft.com/azure/aks/free-standard-pricing-tiers"""


@record(kw_only=False)
class _OutboundPath:
    """An outbound path that a cluster creates: its price items, and its address counts' inputs."""

    hour: str
    data: str
    addresses: tuple[tuple[str, ...], ...]


_OUTBOUND_TYPES: Final = {
    "loadBalancer": _OutboundPath(
        "lb-standard-first-5-rules-hour",
        "lb-standard-data",
        (
            ("loadBalancerProfile", "managedOutboundIPs", "count"),
            ("loadBalancerProfile", "managedOutboundIPs", "countIPv6"),
        ),
    ),
    "managedNATGateway": _OutboundPath(
        "nat-gateway-hour",
        "nat-gateway-data",
        (
            ("natGatewayProfile", "managedOutboundIPProfile", "count"),
            ("natGatewayProfile", "managedOutboundIPProfile", "countIPv6"),
        ),
    ),
}
"""https://learn.microsoft.com/azure/aks/egress-outboundtype"""

_CONTROLLER_TYPE: Final = "defaultIngressControllerType"
_NO_CONTROLLER: Final = "None"
_DEFAULT_OUTBOUND_TYPE: Final = "loadBalancer"


def tier_of(resource: Resource) -> str | Unknown:
    """Return the tier of a cluster's control plane."""
    return text(at(resource.inputs.get("sku"), "tier")) or "Free"


def control_items(resource: Resource, index: Index) -> Iterator[Item]:
    """Yield the costs of a control plane that is not free."""
    tier = tier_of(resource)
    item = CONTROL.get(tier) if isinstance(tier, str) else None
    if item is not None:
        region = locations.region_of(resource, index)
        yield service_item("azure", resource, "control plane", item, "hour", _ONE, region)


def outbound_items(resource: Resource, index: Index) -> Iterator[Item]:
    """Yield the load balancer or gateway that a cluster creates for itself, with addresses."""
    network = resource.inputs.get("networkProfile")
    outbound_type = text(at(network, "outboundType")) or _DEFAULT_OUTBOUND_TYPE
    outbound_path = (
        _OUTBOUND_TYPES[_DEFAULT_OUTBOUND_TYPE]
        if isinstance(outbound_type, Unknown)
        else _OUTBOUND_TYPES.get(outbound_type)
    )
    if outbound_path is None:
        return
    region = locations.region_of(resource, index)
    counts: tuple[Decimal | Unknown, ...] = (_ONE, _addresses(network, outbound_path))
    if isinstance(outbound_type, Unknown):
        counts = (UNKNOWN, UNKNOWN)
    address = "public-ip-standard-static-hour"
    yield service_item(
        "azure", resource, "NAT gateway", outbound_path.hour, "hour", counts[0], region
    )
    yield service_item("azure", resource, "NAT gateway", outbound_path.data, "GB", None, region)
    yield service_item("azure", resource, "address", address, "hour", counts[1], region)


def balancer_items(
    resource: Resource, service: BalancedService, region: str, _: Index
) -> Iterator[Item]:
    """Yield the hours of a load balancer for a Service, of its rules and of its addresses.

    Services share a balancer and its first five rules, which others may fill: each pays for the
    balancer here, and for every rule as one beyond the first five.
    https://learn.microsoft.com/azure/aks/load-balancer-standard
    """
    hours = {
        "lb-standard-first-5-rules-hour": 1,
        "lb-standard-extra-rule-hour": service.ports,
        "public-ip-standard-static-hour": 0 if service.public is False else service.families,
    }
    for item, count in hours.items():
        if count:
            kind = "address" if item.startswith("public") else "load balancer"
            yield service_item("azure", resource, kind, item, "hour", Decimal(count), region)
    yield service_item("azure", resource, "load balancer", "lb-standard-data", "GB", None, region)


def routing_items(cluster: Resource, index: Index) -> Iterator[Item]:
    """Yield the balancer of the controller that application routing makes by itself.

    https://learn.microsoft.com/azure/aks/app-routing-nginx-configuration (2026-08-21)
    """
    if is_on(at(cluster.inputs.get("ingressProfile"), "webAppRouting", "enabled")) is not True:
        return
    from gpuinfra.clouds.observing import aks_ingresses  # noqa: PLC0415  (few have any)

    kind = text(at(cluster.inputs["ingressProfile"], "webAppRouting", "nginx", _CONTROLLER_TYPE))
    if kind != _NO_CONTROLLER:
        service = _nginx_service(aks_ingresses.own_is_public(cluster, index))
        yield from balancer_items(cluster, service, locations.region_of(cluster, index), index)


def frontend_rows(resource: Resource, index: Index, region: str) -> Rows | None:
    """Return the balancer of a further controller of application routing; None for others.

    An Ingress without a class has none where no cluster has a controller.
    """
    from gpuinfra.clouds.observing import aks_ingresses  # noqa: PLC0415  (few have any)

    if aks_ingresses.has_no_controller(resource, index):
        return Rows()
    if resource.type != aks_ingresses.CONTROLLERS:
        return None
    if at(resource.inputs, "metadata", "name") == aks_ingresses.OWN_CONTROLLER:
        return Rows()
    service = _nginx_service(aks_ingresses.is_public(resource))
    return Rows(items=tuple(balancer_items(resource, service, region, index)))


def _nginx_service(public: Known) -> BalancedService:
    """Return the Service of a controller of NGINX: HTTP and HTTPS, by one address."""
    none = ServedObject(spec={}, annotations={})
    return BalancedService(ports=2, protocols=1, public=public, families=1, served=none)


def _addresses(network: Any, outbound_path: _OutboundPath) -> Decimal | Unknown:
    """Return the outbound addresses that AKS creates, one of each family unless stated.

    https://learn.microsoft.com/azure/aks/configure-dual-stack
    """
    families = as_list(at(network, "ipFamilies"))
    fourth, sixth = (amount(at(network, *path)) for path in outbound_path.addresses)
    if sixth is None:
        sixth = UNKNOWN if UNKNOWN in families else Decimal("IPv6" in families)
    if isinstance(fourth, Unknown) or isinstance(sixth, Unknown):
        return UNKNOWN
    return (_ONE if fourth is None else fourth) + sixth


def private_endpoint(resource: Resource, index: Index) -> Iterator[Item]:
    """Yield the private endpoint of a private cluster, which leads to its control plane.

    That it is billed as any other endpoint was not read (unverified):
    https://learn.microsoft.com/azure/aks/private-clusters
    """
    access = resource.inputs.get("apiServerAccessProfile")
    private, is_public_name = (
        is_on(at(access, key)) for key in ("enablePrivateCluster", "enableVnetIntegration")
    )
    if private is False or is_public_name is True:
        return
    region = locations.region_of(resource, index)
    hours = _ONE if private is True and is_public_name is False else UNKNOWN
    yield service_item(
        "azure", resource, "network", "private-endpoint-hour", "hour", hours, region
    )
