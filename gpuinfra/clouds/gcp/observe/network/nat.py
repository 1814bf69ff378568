"""The machines whose outbound traffic goes through a Cloud NAT of the stack."""

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch.locations import same_region
from gpuinfra.clouds.gcp.observe.network.networks import (
    ObservedInterface,
    Vpc,
    interfaces_of,
    resources_on,
)
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import any_of, as_list, at, equals
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown


def uses_nat(launch: LaunchSources, region: str, index: Index) -> bool:
    """Return whether a machine may use a NAT of this stack, for which it is billed.

    Each machine is billed, at a gateway's own rate; where it is not known yet, it counts:
    https://cloud.google.com/nat/pricing
    """
    if not index.of_kind(resource_types.NAT):
        return False
    interfaces = interfaces_of(launch, index)
    if isinstance(interfaces, Unknown):
        return True
    return (
        any_of(_is_served_by_nat(interface, region, index) for interface in interfaces)
        is not False
    )


def _is_served_by_nat(interface: ObservedInterface, region: str, index: Index) -> Known:
    if isinstance(interface.vpc, Unknown):
        return UNKNOWN
    return any_of(serves(nat, interface) for nat in gateways_of(interface.vpc, region, index))


def gateways_of(vpc: Vpc, region: str, index: Index) -> tuple[Resource, ...]:
    """Return the NATs of a network's routers that may be in a region."""
    return tuple(
        nat
        for router in resources_on(vpc, resource_types.ROUTER, index).certain
        if same_region(router, region) is not False
        for nat in index.referrers(router, resource_types.NAT, "router").certain
    )


def serves(nat: Resource, interface: ObservedInterface) -> Known:
    """Return whether a NAT serves an interface: all of its network, or the listed subnets."""
    listing = equals(nat.inputs.get("sourceSubnetworkIpRangesToNat"), "LIST_OF_SUBNETWORKS")
    if listing is not True or interface.subnet is None:
        return True if listing is False else UNKNOWN
    subnet_names = [at(subnet, "name") for subnet in as_list(nat.inputs.get("subnetworks"))]
    calls = {interface.subnet.urn, *_subnet_names(interface.subnet)}
    if UNKNOWN in subnet_names:
        return UNKNOWN
    return any(name in calls for name in subnet_names)


def _subnet_names(subnet: Resource) -> tuple[str, ...]:
    values = (
        subnet.inputs.get("name"),
        *(subnet.outputs.get(k) for k in ("id", "selfLink", "name")),
    )
    return tuple(value for value in values if isinstance(value, str))
