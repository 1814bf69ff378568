"""The outbound path of a subnet: its route table, a gateway, and endpoints of services."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.network import traffic
from gpuinfra.clouds.observing.fault_texts import Remark, blocked
from gpuinfra.clouds.observing.values import any_of, as_list, at, flag
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.units import format_count

_ROUTE: Final = "aws:ec2/route:Route"
_TABLE: Final = "aws:ec2/routeTable:RouteTable"
_ASSOCIATION: Final = "aws:ec2/routeTableAssociation:RouteTableAssociation"
_INTERNET: Final = "aws:ec2/internetGateway:InternetGateway"
_MAIN_TABLE_TYPES: Final = (
    "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation",
    "aws:ec2/defaultRouteTable:DefaultRouteTable",
)
_LINK: Final = "aws:ec2/vpcEndpointRouteTableAssociation:VpcEndpointRouteTableAssociation"
_GATEWAY_ATTACHMENT: Final = "aws:ec2/internetGatewayAttachment:InternetGatewayAttachment"
_WORLD: Final = "0.0.0.0/0"
_WORLD_6: Final = "::/0"
_HTTPS: Final = 443


def route_remarks(subnet: Resource, index: Index, *, public: Known) -> Iterator[Remark]:
    """Yield which parts of a subnet's route to the internet are open, and which are not.

    It yields nothing where the network, or its route table, is outside of the stack.
    """
    network = index.targets(subnet, "vpcId", resource_types.NETWORK).only
    if subnet.inputs.get("vpcId") is None:
        yield blocked(
            f"the subnet {subnet.name} names no network", f"set vpcId of the subnet {subnet.name}"
        )
    if network is None or index.memo(_has_hidden_routes, lambda: _has_hidden_routes(index)):
        return
    table = _table_of(subnet, index)
    out = list(_default(subnet, network, index, public=public))
    yield from out
    endpoints = list(_endpoints(network, index))
    yield from endpoints
    has_good_route = any(good for good, _ in out)
    direct = table is not None and _s3_of(network, table, index)
    if direct:
        yield True, "S3 through its gateway endpoint"
    elif has_good_route and _routes_through_nat(table, index):
        yield blocked(
            f"the subnet {subnet.name} reaches S3 through the NAT gateway, which is billed "
            "by the byte",
            f"add a gateway endpoint for S3 to the route table of {subnet.name}",
        )
    elif not has_good_route:
        yield blocked(
            f"the subnet {subnet.name} has no route to S3",
            f"add a gateway endpoint for S3 to the route table of {subnet.name}",
        )
    if not has_good_route and not out and not any(good for good, _ in endpoints):
        yield blocked(
            f"the subnet {subnet.name} has no route out and no endpoints",
            f"route the subnet {subnet.name} to a NAT gateway, or add endpoints to its network",
        )


def leads_in_by_ipv6(subnet: Resource, index: Index) -> Known:
    """Return whether the internet reaches a subnet by IPv6; an egress-only gateway doesn't count.

    A subnet without a table of its own has that of its network, which leads nowhere by itself.
    """
    table = _table_of(subnet, index)
    if table is None:
        return (
            UNKNOWN if index.memo(_has_hidden_routes, lambda: _has_hidden_routes(index)) else False
        )
    gateways = [
        at(route, "gatewayId")
        for _, prop, route in _routes(table, index)
        if at(route, "ipv6CidrBlock" if prop else "destinationIpv6CidrBlock")
        in (_WORLD_6, UNKNOWN)
    ]
    return any(gateway is not None for gateway in gateways)


def _has_hidden_routes(index: Index) -> bool:
    """Return whether there are routes of which the table is not known."""
    if any(index.of_kind(kind) for kind in _MAIN_TABLE_TYPES):
        return True
    for kind, prop in ((_ROUTE, "routeTableId"), (_ASSOCIATION, "routeTableId")):
        named_resources = [
            resource for resource in index.of_kind(kind) if resource.inputs.get(prop) is not None
        ]
        if not all(index.targets(resource, prop, _TABLE).exact for resource in named_resources):
            return True
    return False


def _table_of(subnet: Resource, index: Index) -> Resource | None:
    """Return the route table of a subnet; None for the main one of its network."""
    for resource in index.referrers(subnet, _ASSOCIATION, "subnetId").certain:
        if resource.inputs.get("routeTableId") is not None:
            resources = index.targets(resource, "routeTableId", _TABLE).certain
            return resources[0] if resources else None
    return None


def _routes(table: Resource, index: Index) -> Iterator[tuple[Resource, str, Any]]:
    """Yield the routes of a table, each with its resource and input."""
    for resource in index.referrers(table, _ROUTE, "routeTableId").certain:
        yield resource, "", resource.inputs
    for resource in as_list(table.inputs.get("routes")):
        yield table, "routes", resource


def _default(
    subnet: Resource,
    network: Resource,
    index: Index,
    *,
    public: Known,
    visited: frozenset[str] = frozenset(),
) -> Iterator[Remark]:
    """Yield the facts of a subnet's default routes; `visited` are the NAT gateways before it."""
    table = _table_of(subnet, index)
    for holder, prop, route in () if table is None else _routes(table, index):
        destination = at(route, "destinationCidrBlock" if not prop else "cidrBlock")
        if destination not in (_WORLD, UNKNOWN):
            continue
        nat = at(route, "natGatewayId")
        gateway = at(route, "gatewayId")
        if nat is not None:
            stated_gateway = (prop or "natGatewayId", nat)
            yield from _through_nat(holder, stated_gateway, network, index, visited)
        elif gateway is not None:
            yield from _through_gateway(
                subnet, holder, (prop or "gatewayId", gateway), network, index, public=public
            )
        elif len([value for value in route.values() if value is not None]) > len(
            _ROUTE_KEYS_WITHOUT_TARGET & set(route)
        ):
            yield True, "a route out"
        else:
            yield blocked(
                f"the route {holder.name} names no target",
                f"set natGatewayId or gatewayId of the route {holder.name}",
            )


_ROUTE_KEYS_WITHOUT_TARGET: Final = {"destinationCidrBlock", "cidrBlock", "routeTableId", "region"}


def _through_nat(
    holder: Resource,
    stated_gateway: tuple[str, Any],
    network: Resource,
    index: Index,
    visited: frozenset[str],
) -> Iterator[Remark]:
    targets = index.targets(holder, stated_gateway[0], resource_types.NAT, stated_gateway[1])
    if not targets.exact:
        yield True, "a NAT gateway"
        return
    for gateway in targets.certain:
        if gateway.urn in visited:
            yield blocked(
                f"the routes of the NAT gateway {gateway.name} lead back to it",
                f"put the NAT gateway {gateway.name} into a subnet with an internet gateway",
            )
            continue
        is_private = gateway.inputs.get("connectivityType") == "private"
        if not is_private and gateway.inputs.get("allocationId") is None:
            yield blocked(
                f"the NAT gateway {gateway.name} has no address",
                f"set allocationId of the NAT gateway {gateway.name} to an Elastic IP",
            )
        subnets = index.targets(gateway, "subnetId", resource_types.SUBNET)
        if gateway.inputs.get("subnetId") is None:
            yield blocked(
                f"the NAT gateway {gateway.name} is in no subnet",
                f"set subnetId of the NAT gateway {gateway.name} to a public subnet",
            )
        for subnet in subnets.certain:
            further = visited | {gateway.urn}
            nat_routes = list(_default(subnet, network, index, public=UNKNOWN, visited=further))
            if not any(good for good, _ in nat_routes):
                yield blocked(
                    f"the subnet of the NAT gateway {gateway.name} has no route out",
                    f"route the subnet of the NAT gateway {gateway.name} to an internet gateway",
                )
            yield from (fact for fact in nat_routes if not fact[0])
        yield True, f"a NAT gateway in {', '.join(resource.name for resource in subnets.certain)}"


def _through_gateway(
    subnet: Resource,
    holder: Resource,
    stated_gateway: tuple[str, Any],
    network: Resource,
    index: Index,
    *,
    public: Known,
) -> Iterator[Remark]:
    targets = index.targets(holder, stated_gateway[0], _INTERNET, stated_gateway[1])
    if public is False:
        yield blocked(
            f"the subnet {subnet.name} routes to an internet gateway, which requires a "
            "public address",
            f"route the subnet {subnet.name} to a NAT gateway",
        )
        return
    for gateway in targets.certain:
        gateway_vpcs = index.targets(gateway, "vpcId", resource_types.NETWORK)
        is_of_network = any(resource.urn == network.urn for resource in gateway_vpcs.certain)
        if gateway_vpcs.exact and not is_of_network and not index.of_kind(_GATEWAY_ATTACHMENT):
            yield blocked(
                f"the internet gateway {gateway.name} is not attached to {network.name}",
                f"set vpcId of the internet gateway {gateway.name} to {network.name}",
            )
            return
    yield True, "an internet gateway"


def has_no_gateway(network: Resource, index: Index) -> bool:
    """Return whether a network of the stack has no internet gateway of it."""
    gateways = index.referrers(network, _INTERNET, "vpcId")
    return gateways.complete and not gateways.certain and not index.of_kind(_GATEWAY_ATTACHMENT)


def _routes_through_nat(table: Resource | None, index: Index) -> bool:
    routes = () if table is None else _routes(table, index)
    return any(at(route, "natGatewayId") is not None for _, _, route in routes)


def _network_endpoints(network: Resource, index: Index) -> Iterator[tuple[str, Resource]]:
    for resource in index.referrers(network, resource_types.ENDPOINT, "vpcId").certain:
        service = resource.inputs.get("serviceName")
        if isinstance(service, str):
            yield service, resource


def _s3_of(network: Resource, table: Resource, index: Index) -> bool:
    """Return whether S3 is, or may be, reached without a gateway that bills its traffic."""
    for service, resource in _network_endpoints(network, index):
        if not service.endswith(".s3"):
            continue
        if resource.inputs.get("vpcEndpointType") == "Interface":
            return True
        tables = index.targets(resource, "routeTableIds", _TABLE)
        linked = index.referrers(table, _LINK, "routeTableId")
        if not tables.exact or not linked.complete or linked.certain:
            return True
        if table.urn in {linked_table.urn for linked_table in tables.certain}:
            return True
    return False


def _endpoints(network: Resource, index: Index) -> Iterator[Remark]:
    """Yield the services reached inside a network, by HTTPS and under their own names."""
    all_have_names = True
    for service, resource in _network_endpoints(network, index):
        if resource.inputs.get("vpcEndpointType") != "Interface":
            continue
        short = service.rpartition(f"{resource.inputs.get('region') or ''}.")[2]
        groups = index.targets(resource, "securityGroupIds", resource_types.SECURITY_GROUP)
        opens_https = groups.any_target(lambda group: traffic.port_open(group, _HTTPS, index))
        private = flag(resource.inputs.get("privateDnsEnabled"))
        if groups.exact and groups.certain and opens_https is False:
            yield blocked(
                f"the endpoint of {short} allows no inbound HTTPS",
                f"allow inbound TCP 443 in the security group of the endpoint of {short}",
            )
        elif resource.inputs.get("subnetIds") is None:
            yield blocked(
                f"the endpoint of {short} is in no subnet",
                f"set subnetIds of the endpoint of {short}",
            )
        else:
            count = len(as_list(resource.inputs.get("subnetIds")))
            yield True, f"{short} inside of the network ({format_count(count, 'subnet')})"
        all_have_names = all_have_names and private is not True
        if private is not True and not isinstance(private, Unknown):
            yield blocked(
                f"the endpoint of {short} has no private DNS name",
                f"set privateDnsEnabled: true on the endpoint of {short}",
            )
    dns = [flag(network.inputs.get(key)) for key in ("enableDnsSupport", "enableDnsHostnames")]
    if not all_have_names and any_of((dns[0] is False, dns[1] in (False, None))) is True:
        yield blocked(
            f"the network {network.name} does not resolve private DNS names of endpoints",
            f"set enableDnsSupport and enableDnsHostnames of {network.name} to true",
        )
