"""Checks whether login from the internet reaches machines, through every security group."""

from collections.abc import Iterator
from typing import Any

from gpuinfra.clouds.azure.observe import arm_ids, resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.launch_settings import ObservedInterface, Reference
from gpuinfra.clouds.azure.observe.network import traffic
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown


def login_open(interfaces: tuple[ObservedInterface, ...] | Unknown, index: Index) -> Known:
    """Return whether anyone on the internet may try to log in through one of the interfaces."""
    if isinstance(interfaces, Unknown):
        return UNKNOWN
    return any_of(_login_passes_groups(interface, index) for interface in interfaces)


def open_ports(
    interfaces: tuple[ObservedInterface, ...] | Unknown, index: Index
) -> tuple[str, ...]:
    """Return descriptions of the open ports, by the security groups that open them."""
    groups = {group.urn: group for group in firewalls_of(interfaces, index)}
    return tuple(
        port_text for group in groups.values() for port_text in traffic.open_ports(group, index)
    )


def firewalls_of(
    interfaces: tuple[ObservedInterface, ...] | Unknown, index: Index
) -> Iterator[Resource]:
    """Yield the network security groups of this stack that traffic to interfaces may pass."""
    for interface in () if isinstance(interfaces, Unknown) else interfaces:
        for guard in (interface.firewall, *_guards(interface, index)):
            if guard.value is not None:
                targets = guard.targets(index, resource_types.FIREWALL)
                yield from (*targets.certain, *targets.possible)


def _guards(interface: ObservedInterface, index: Index) -> Iterator[Reference]:
    """Yield the security groups of the subnets that an interface is in."""
    for reference in interface.subnets:
        if reference.value is not None:
            subnets = reference.targets(index, resource_types.SUBNET)
            yield from (_guard(resource) for resource in (*subnets.certain, *subnets.possible))
            yield from _inline(reference, index)


def _login_passes_groups(interface: ObservedInterface, index: Index) -> Known:
    """Return whether login passes both groups, the subnet's and the interface's, if any.

    https://learn.microsoft.com/azure/virtual-network/network-security-group-how-it-works
    """
    interface_firewall = _firewall(interface.firewall, index)
    subnets = [_subnet(subnet, index) for subnet in interface.subnets]
    layers = [layer for layer in (interface_firewall, *subnets) if layer is not None]
    return all_of(layers) if layers else _is_login_open(interface, index)


def _firewall(reference: Reference, index: Index) -> Known | None:
    """Return whether a network security group allows login; None where none is named."""
    if reference.value is None:
        return None
    targets = reference.targets(index, resource_types.FIREWALL)
    return targets.any_target(lambda firewall: traffic.login_open(firewall, index))


def _subnet(reference: Reference, index: Index) -> Known | None:
    if reference.value is None:
        return UNKNOWN
    targets = reference.targets(index, resource_types.SUBNET)
    if targets.exact and targets.certain:
        layers = [_firewall(_guard(subnet), index) for subnet in targets.certain]
        return next((layer for layer in layers if layer is not None), None)
    inline = list(_inline(reference, index))
    if not inline:
        return UNKNOWN
    inline_firewalls = {_firewall(group, index) for group in inline}
    return inline_firewalls.pop() if len(inline_firewalls) == 1 else UNKNOWN


def _guard(subnet: Resource) -> Reference:
    value = at(subnet.inputs.get("networkSecurityGroup"), "id")
    return Reference(subnet, "networkSecurityGroup", value)


def _inline(reference: Reference, index: Index) -> Iterator[Reference]:
    """Yield the security groups of subnets that are declared inside their network."""
    read = arm_ids.parse_arm_id(reference.value) if isinstance(reference.value, str) else None
    if read is not None and len(read.names) > 1:
        ids = [arm_ids.parent_id(str(reference.value))]
        networks = index.targets(reference.holder, reference.prop, resource_types.NETWORK, ids)
    else:
        networks = reference.targets(index, resource_types.NETWORK)
    if len(networks.certain) != 1:
        return
    network = networks.certain[0]
    for subnet in as_list(network.inputs.get("subnets")):
        name = text(at(subnet, "name"))
        if read is not None and isinstance(name, str) and name.lower() != read.names[-1]:  # pyright: ignore[reportGeneralTypeIssues]
            continue
        yield Reference(network, "subnets", at(subnet, "networkSecurityGroup", "id"))


def _is_login_open(interface: ObservedInterface, index: Index) -> Known:
    """Return whether login is open without any group, as for a basic public address.

    https://learn.microsoft.com/azure/virtual-network/ip-services/public-ip-addresses#sku
    """
    if interface.public is not True:
        return interface.public
    return any_of(_basic(interface, address, index) for address in interface.addresses)


def _basic(interface: ObservedInterface, address: Any, index: Index) -> Known:
    inline = at(address, "publicIPAddressConfiguration")
    if inline is not None:
        return _sku_is_basic(at(inline, "sku"))
    value = at(address, "publicIPAddress", "id")
    if value is None:
        return False
    targets = interface.reference("ipConfigurations", value).targets(index, resource_types.ADDRESS)
    return targets.any_target(lambda resource: _sku_is_basic(resource.inputs.get("sku")))


def _sku_is_basic(sku: Any) -> Known:
    """Return whether a SKU is basic; UNKNOWN without a name, which once meant basic."""
    name = text(at(sku, "name"))
    return name.lower() == "basic" if isinstance(name, str) else UNKNOWN
