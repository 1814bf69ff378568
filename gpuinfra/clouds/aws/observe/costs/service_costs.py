"""The costs besides machines: NAT gateways, addresses, load balancers, endpoints, buckets."""

from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.metered import bucket_items
from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.rights import access_lists
from gpuinfra.clouds.billing import BucketUsage
from gpuinfra.clouds.observing.created_keys import make_key_observer
from gpuinfra.clouds.observing.rows import service_item, unpriced_rows
from gpuinfra.clouds.observing.values import amount, as_list, at, flag, text, whole_number
from gpuinfra.model import UNKNOWN, Item, Resource, Rows, Unknown, Usage
from gpuinfra.records import record

_YEAR: Final = 366
_ONE: Final = Decimal(1)
_BALANCERS: Final = {
    "application": ("alb-hour", "alb-lcu"),
    "network": ("nlb-hour", "nlb-lcu"),
    "classic": ("clb-hour", "clb-data"),
}
"""https://aws.amazon.com/elasticloadbalancing/pricing/"""

_ENDPOINTS: Final = {
    "Interface": ("vpc-interface-endpoint-hour", "vpc-interface-endpoint-data-first-1pb"),
    "GatewayLoadBalancer": ("gwlb-endpoint-hour", "gwlb-endpoint-data"),
}
"""https://aws.amazon.com/privatelink/pricing/"""


def nat_gateway(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the price items of a NAT gateway: hours, and data of unknown amount."""
    region, hours = locations.region_of(resource, index), _gateway_zones(resource)
    return Rows(
        items=(
            service_item(
                "aws", resource, "NAT gateway", "nat-gateway-hour", "hour", hours, region
            ),
            service_item("aws", resource, "NAT gateway", "nat-gateway-data", "GB", None, region),
        )
    )


def _gateway_zones(gateway: Resource) -> Decimal | Unknown:
    """Return in how many zones a NAT gateway is paid: those that a regional one names.

    Without any, it comes to each zone where machines are:
    https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateways-regional.html
    (the hours by zone: 2026-11-27, not re-read: unverified)
    """
    if text(gateway.inputs.get("availabilityMode")) in {None, "zonal"}:
        return _ONE
    zones = gateway.inputs.get("availabilityZoneAddresses")
    are_zones_known = (
        not isinstance(zones, Unknown) and UNKNOWN not in as_list(zones) and len(as_list(zones))
    )
    return Decimal(are_zones_known) if are_zones_known else UNKNOWN


def address(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the hours of a public IPv4 address, in use or idle."""
    region = locations.region_of(resource, index)
    row = service_item("aws", resource, "address", "public-ipv4-hour", "hour", _ONE, region)
    return Rows(items=(row,))


@record
class Balancer:
    """A load balancer.

    Attributes:
        kind: of a key of `_BALANCERS`.
        reserved: the capacity units that are paid whether they are used or not.
        addresses: its public addresses; None where their number is not stated.
    """

    kind: str
    reserved: Decimal | Unknown | None
    addresses: Decimal | Unknown | None


def balancer_items(resource: Resource, balancer: Balancer, region: str) -> tuple[Item, ...]:
    """Return a load balancer's hours, what it handles, and its public addresses."""
    hour, handled = _BALANCERS[balancer.kind]
    unit = "GB" if handled.endswith("data") else "LCU-hour"
    quantities: list[tuple[str, str, Decimal | Unknown | None]] = [
        (hour, "hour", _ONE),
        (handled, unit, None),
    ]
    if balancer.reserved is not None:
        quantities.append((handled, unit, balancer.reserved))
    rows = [
        service_item("aws", resource, "load balancer", item, per, quantity, region)
        for item, per, quantity in quantities
    ]
    if balancer.addresses != 0:
        address = "public-ipv4-hour"
        rows.append(
            service_item("aws", resource, "address", address, "hour", balancer.addresses, region)
        )
    return tuple(rows)


def load_balancer(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a load balancer's hours, its public addresses and its capacity units' price."""
    kind = resource.inputs.get("loadBalancerType", "application")
    if not isinstance(kind, str) or kind not in _BALANCERS:
        return unpriced_rows(resource, f"a load balancer of type {kind}")
    balancer = Balancer(
        kind=kind,
        reserved=amount(at(resource.inputs.get("minimumLoadBalancerCapacity"), "capacityUnits")),
        addresses=_balancer_addresses(resource, index),
    )
    return Rows(items=balancer_items(resource, balancer, locations.region_of(resource, index)))


def classic_items(resource: Resource, index: Index) -> tuple[Item, ...]:
    """Return the price items of a classic load balancer, in its subnets or in zones."""
    zones = as_list(resource.inputs.get("availabilityZones"))
    is_in_vpc = resource.inputs.get("subnets") is not None
    addresses = _balancer_addresses(resource, index)
    if zones and not is_in_vpc and addresses is None:
        addresses = UNKNOWN if UNKNOWN in zones else Decimal(len(zones))
    balancer = Balancer(kind="classic", reserved=None, addresses=addresses)
    return balancer_items(resource, balancer, locations.region_of(resource, index))


def _balancer_addresses(resource: Resource, index: Index) -> Decimal | Unknown | None:
    """Return the public addresses of a balancer: one in each subnet if it is internet-facing."""
    internal = flag(resource.inputs.get("internal"))
    if internal is True:
        return Decimal(0)
    if isinstance(internal, Unknown):
        return UNKNOWN
    mappings = as_list(resource.inputs.get("subnetMappings"))
    assigned_count = sum(at(mapping, "allocationId") is None for mapping in mappings)
    if mappings:
        return Decimal(assigned_count)
    count = _count(resource, "subnets", index)
    return None if count is None else count


def _count(resource: Resource, prop: str, index: Index) -> Decimal | Unknown | None:
    value = resource.inputs.get(prop)
    if value is None:
        return None
    if not isinstance(value, Unknown):
        return Decimal(len(as_list(value)))
    subnets = index.targets(resource, prop, resource_types.SUBNET)
    return Decimal(len(subnets.certain)) if subnets.exact else UNKNOWN


def endpoint(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return an endpoint's hours per zone and its data's price; a gateway endpoint is free."""
    kind = resource.inputs.get("vpcEndpointType", "Gateway")
    if kind == "Gateway":
        return Rows()
    names = _ENDPOINTS.get(kind) if isinstance(kind, str) else None
    if names is None:
        return unpriced_rows(resource, f"an endpoint of type {kind}")
    region = locations.region_of(resource, index)
    quantity = _zones(resource, index)
    hour, data = names
    return Rows(
        items=(
            service_item("aws", resource, "network", hour, "hour", quantity, region),
            service_item("aws", resource, "network", data, "GB", None, region),
        )
    )


def _zones(endpoint: Resource, index: Index) -> Decimal | Unknown:
    """Return the number of an endpoint's zones: the named ones and those added to it."""
    zones = _count(endpoint, "subnetIds", index)
    if isinstance(zones, Unknown):
        return zones
    configured = len(as_list(endpoint.inputs.get("subnetConfigurations")))
    added = index.referrers(endpoint, resource_types.ENDPOINT_SUBNET, "vpcEndpointId")
    zone_count = Decimal(configured) if zones is None else zones
    return max(_ONE, zone_count + len(added.certain)) if added.complete else UNKNOWN


def attachment(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the hours of a network's attachment to a transit gateway, and its data's price."""
    region, hour = locations.region_of(resource, index), "transit-gateway-attachment-hour"
    return Rows(
        items=(
            service_item("aws", resource, "network", hour, "hour", _ONE, region),
            service_item("aws", resource, "network", "transit-gateway-data", "GB", None, region),
        )
    )


def bucket(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return a bucket's storage, where its size is stated, and the prices of its requests."""
    region = locations.region_of(resource, index)
    bucket_usage = BucketUsage.from_user_usage(resource.name, usage)
    rows = bucket_items(resource.name, resource.urn, region, bucket_usage)
    items = tuple(replace(row, resource=resource.urn) for row in rows)
    return Rows(items=items, grants=access_lists.bucket_acl_grants(resource))


def parameter(resource: Resource, _: Index, __: Usage) -> Rows:
    """Return no rows for a standard parameter; an advanced one has no price in the tables.

    https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-advanced-parameters.html
    """
    tier = text(resource.inputs.get("tier"))
    if tier in {None, "Standard"}:
        return Rows()
    tier_reason = "not known yet" if isinstance(tier, Unknown) else tier
    return unpriced_rows(resource, f"a parameter of tier {tier_reason}")


access_key: Final = make_key_observer("aws", "an access key of an IAM user")
login: Final = make_key_observer("aws", "a console password of an IAM user")
ssh_key: Final = make_key_observer("aws", "an SSH key of an IAM user")
certificate: Final = make_key_observer("aws", "a signing certificate of an IAM user")
_service_login: Final = make_key_observer("aws", "a password of an IAM user for one service")
"""https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html"""


def service_login(resource: Resource, *_: Any) -> Rows:
    """Return the password of a user for one service, unless it expires within a year.

    https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateServiceSpecificCredential.html
    """
    days = whole_number(resource.inputs.get("credentialAgeDays"))
    ends_within_year = isinstance(days, Unknown) or (days is not None and days <= _YEAR)
    return Rows() if ends_within_year else _service_login(resource)
