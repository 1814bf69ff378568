"""The network security groups around machines, and what they allow on one port."""

from collections.abc import Iterator, Sequence

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.launch_settings import ObservedInterface
from gpuinfra.clouds.azure.observe.network import traffic
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import all_of, at
from gpuinfra.model import Known, Resource


def security_groups_of(interface: ObservedInterface, index: Index) -> tuple[Resource, ...] | None:
    """Return the groups that an interface's traffic passes; None where one may be hidden.

    https://learn.microsoft.com/azure/virtual-network/network-security-group-how-it-works
    """
    resources: list[Resource] = []
    for targets in _groups_of_interface(interface, index):
        if not targets.exact:
            return None
        resources += targets.certain
    return tuple({resource.urn: resource for resource in resources}.values())


def _groups_of_interface(interface: ObservedInterface, index: Index) -> Iterator[Targets]:
    interface_firewall = interface.firewall
    if interface_firewall.value is not None:
        yield interface_firewall.targets(index, resource_types.FIREWALL)
    for reference in interface.subnets:
        if reference.value is None:
            continue
        subnets = reference.targets(index, resource_types.SUBNET)
        yield Targets(complete=subnets.exact)
        for subnet in subnets.certain:
            value = at(subnet.inputs.get("networkSecurityGroup"), "id")
            if value is not None:
                yield index.targets(
                    subnet, "networkSecurityGroup", resource_types.FIREWALL, [value]
                )


def allow(security_groups: Sequence[Resource], tcp_path: traffic.TcpPath, index: Index) -> Known:
    """Return whether every group allows a path; True without any group."""
    return all_of(traffic.allows_path(group, tcp_path, index) for group in security_groups)
