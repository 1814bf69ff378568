"""The regions and zones in which Azure can't start the declared machines."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.launch_settings import ObservedInterface, Profile
from gpuinfra.clouds.azure.observe.network import cross_region, network_paths
from gpuinfra.clouds.azure.observe.network.security_groups import security_groups_of
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import Resource, Unknown

_BESIDE: Final = (
    ("proximityPlacementGroup", resource_types.PROXIMITY),
    ("availabilitySet", resource_types.AVAILABILITY),
)
"""What a machine or a scale set is put in: https://learn.microsoft.com/azure/virtual-machines/co-location"""
_OF_NODES: Final = (
    ("vnetSubnetID", resource_types.SUBNET),
    ("podSubnetID", resource_types.SUBNET),
    ("nodePublicIPPrefixID", resource_types.ADDRESSES),
    ("proximityPlacementGroupID", resource_types.PROXIMITY),
    ("capacityReservationGroupID", resource_types.RESERVATION_GROUP),
)
"""The inputs of a node pool that name resources of its region."""
_POOLS: Final = "agentPoolProfiles"


def start_place_faults(
    profile: Profile, interfaces: tuple[ObservedInterface, ...] | Unknown, index: Index
) -> Iterator[str]:
    """Yield the interfaces, subnets and security groups of another region than the machines'."""
    for interface in () if isinstance(interfaces, Unknown) else interfaces:
        remarks = (
            *_standing_alone(interface),
            *network_paths.subnets_of(interface, index),
            *(security_groups_of(interface, index) or ()),
        )
        yield from cross_region.other_region_references(profile.resource, remarks, index)
    resource = profile.resource
    for prop, kind in _BESIDE:
        group = index.targets(resource, prop, kind, at(resource.inputs.get(prop), "id"))
        yield from cross_region.other_region_references(resource, group.certain, index)


def of_pool(holder: Resource, spec: Any, index: Index) -> Iterator[str]:
    """Yield what a node pool names of another region than its cluster, for example a subnet.

    https://github.com/rancher/rancher/issues/33517

    Args:
        holder: a pool, or the cluster that declares it.
        spec: the settings of the pool.
        index: the index that has the resources.
    """
    is_node_pool = resource_types.canonical(holder.type) == resource_types.POOL
    for key, kind in _OF_NODES:
        if at(spec, key) is not None:
            pools = index.targets(holder, key if is_node_pool else _POOLS, kind, at(spec, key))
            yield from cross_region.other_region_references(holder, pools.certain, index)


def _standing_alone(interface: ObservedInterface) -> Iterator[Resource]:
    if resource_types.canonical(interface.holder.type) == resource_types.INTERFACE:
        yield interface.holder
