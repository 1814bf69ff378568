"""The references between resources of different regions, which Compute Engine can't resolve."""

import re
from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, last_part
from gpuinfra.clouds.gcp.observe.launch import locations
from gpuinfra.clouds.gcp.observe.network.networks import interfaces_of
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.observing.cross_region import cross_region_references
from gpuinfra.clouds.observing.fault_texts import Remark
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import NOWHERE, Resource, Unknown

_REGIONAL: Final[frozenset[str]] = frozenset(TABLES.table("types")["regional"])
"""Kinds whose resources, where they have a region or a zone, name others of the same one:
https://docs.cloud.google.com/compute/docs/regions-zones/global-regional-zonal-resources"""

_SUBNET: Final = re.compile(r"(?:.*/)?regions/([^/]+)/subnetworks/([^/]+)")


def far_subnets(machines: Resource, launch: LaunchSources, index: Index) -> Iterator[str]:
    """Yield the subnets of another region, in which Google makes no machine of this one.

    An AI zone is one of its region, however it is priced:
    https://docs.cloud.google.com/compute/docs/regions-zones/ai-zones
    """
    machine_region = locations.region_of(machines, index)
    for subnet_region, name in (*_of_interfaces(launch, index), *_of_cluster(machines, index)):
        is_near = machine_region in {subnet_region, NOWHERE} or machine_region.startswith(
            f"{subnet_region}-"
        )
        if subnet_region and not is_near:
            yield f"the subnet {name} is in {subnet_region}, the machines are in {machine_region}"


def _of_interfaces(launch: LaunchSources, index: Index) -> Iterator[tuple[str, str]]:
    interfaces = interfaces_of(launch, index)
    for interface in () if isinstance(interfaces, Unknown) else interfaces:
        yield _place_of(interface.subnet, at(interface.nic, "subnetwork"))


def _of_cluster(machines: Resource, index: Index) -> Iterator[tuple[str, str]]:
    """Yield the region and the name of the subnet that the cluster of nodes names."""
    is_node_pool = machines.type == resource_types.NODE_POOL
    cluster = locations.cluster_of(machines, index) if is_node_pool else None
    if cluster is not None:
        subnets = index.targets(cluster, "subnetwork", resource_types.SUBNET)
        known = subnets.certain[0] if subnets.exact and subnets.certain else None
        yield _place_of(known, cluster.inputs.get("subnetwork"))


def _place_of(subnet: Resource | None, name: Any) -> tuple[str, str]:
    """Return the region and the name of a subnet, of this stack or elsewhere; empty if unknown."""
    if subnet is not None:
        region = subnet.inputs.get("region") or subnet.region
        return last_part(region) if isinstance(region, str) else "", subnet.name
    match = _SUBNET.fullmatch(name) if isinstance(name, str) else None
    return (match[1], match[2]) if match else ("", "")


def other_region_remarks(machines: Resource, index: Index) -> Iterator[Remark]:
    """Yield the machines' related resources that refer to another region."""
    return cross_region_references(
        machines, index, _region, through=frozenset({resource_types.TEMPLATE})
    )


def _region(resource: Resource) -> str | None:
    """Return a resource's stated region, or the region of its zone; None without either."""
    if resource_types.canonical(resource.type) not in _REGIONAL:
        return None
    zone, region = locations.zone_of(resource), resource.inputs.get("region")
    if isinstance(region, str) and region:
        return last_part(region).lower()
    return last_part(zone).lower().rpartition("-")[0] if isinstance(zone, str) and zone else None
