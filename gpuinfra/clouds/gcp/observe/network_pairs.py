"""The networks and subnets that are named together, though the one is not part of the other."""

from collections.abc import Iterator, Sequence
from typing import Any

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.locations import cluster_of
from gpuinfra.clouds.gcp.observe.networks import Vpc, interfaces_of, vpc_of
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import Resource, Unknown


def other_networks(
    machines: Resource, launches: Sequence[LaunchSources], index: Index
) -> Iterator[str]:
    """Yield the subnets of another network than the one that is named beside them.

    https://github.com/hashicorp/terraform-provider-google/issues/7895 (clusters; machines:
    *unverified*)
    """
    for launch in launches:
        yield from _of_interfaces(launch, index)
    cluster = cluster_of(machines, index) if machines.type == resource_types.NODE_POOL else None
    network = None if cluster is None else cluster.inputs.get("network")
    if cluster is not None and network is not None:
        subnets = index.targets(cluster, "subnetwork", resource_types.SUBNET)
        for subnet in subnets.certain if subnets.exact else ():
            yield from _pair(cluster, "network", network, subnet, index)


def _of_interfaces(launch: LaunchSources, index: Index) -> Iterator[str]:
    holder, _ = launch.stated("networkInterfaces")
    interfaces = interfaces_of(launch, index)
    if holder is None or isinstance(interfaces, Unknown):
        return
    for interface in interfaces:
        network = at(interface.nic, "network")
        if interface.sure and interface.subnet is not None and network is not None:
            yield from _pair(holder, "networkInterfaces", network, interface.subnet, index)


def _pair(
    holder: Resource, prop: str, network: Any, subnet: Resource, index: Index
) -> Iterator[str]:
    """Yield that a subnet is of another network; both networks are those of this stack."""
    named = vpc_of(holder, prop, network, index)
    own = vpc_of(subnet, "network", subnet.inputs.get("network"), index)
    if not isinstance(named, Vpc) or not isinstance(own, Vpc):
        return
    if named.resource is not None and own.resource is not None and named.key != own.key:
        yield f"the subnet {subnet.name} is in the network {own.name}, and {named.name} is named"
