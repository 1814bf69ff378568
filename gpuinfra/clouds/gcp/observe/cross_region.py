"""The references between resources of different regions, which Compute Engine can't resolve."""

import re
from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.gcp.observe import locations, resource_types
from gpuinfra.clouds.gcp.observe.index import Index, leaf
from gpuinfra.clouds.gcp.observe.networks import ObservedInterface, interfaces_of
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.observing.cross_region import cross_region_references
from gpuinfra.clouds.observing.faults import Remark
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
    home = locations.region_of(machines, index)
    interfaces = interfaces_of(launch, index)
    for interface in () if isinstance(interfaces, Unknown) else interfaces:
        place, name = _subnet_of(interface)
        here = home in {place, NOWHERE} or home.startswith(f"{place}-")
        if place and not here:
            yield f"the subnet {name} is in {place}, the machines are in {home}"


def _subnet_of(interface: ObservedInterface) -> tuple[str, str]:
    """Return the region and the name of an interface's subnet, of this stack or elsewhere."""
    subnet, written = interface.subnet, at(interface.nic, "subnetwork")
    if subnet is not None:
        region = subnet.inputs.get("region") or subnet.region
        return leaf(region) if isinstance(region, str) else "", subnet.name
    match = _SUBNET.fullmatch(written) if isinstance(written, str) else None
    return (match[1], match[2]) if match else ("", "")


def of_stack(machines: Resource, index: Index) -> Iterator[Remark]:
    """Yield the resources that refer to another region, among those of the machines."""
    return cross_region_references(
        machines, index, _region, through=frozenset({resource_types.TEMPLATE})
    )


def _region(resource: Resource) -> str | None:
    """Return the region that a resource names, or that of its zone; None otherwise."""
    if resource_types.canonical(resource.type) not in _REGIONAL:
        return None
    zone, region = locations.zone_of(resource), resource.inputs.get("region")
    if isinstance(region, str) and region:
        return leaf(region).lower()
    return leaf(zone).lower().rpartition("-")[0] if isinstance(zone, str) and zone else None
