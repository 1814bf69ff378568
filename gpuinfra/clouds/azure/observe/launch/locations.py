"""The region and the zones of a resource, from its own inputs or its resource group's."""

from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.regions import REGIONS
from gpuinfra.clouds.observing.values import as_list, at, text
from gpuinfra.model import NOWHERE, UNKNOWN, Known, Resource, Unknown

_PARENT_INPUTS: Final = {resource_types.POOL: ("resourceName", resource_types.CLUSTER)}
"""The types without a location, with the input that names the resource whose location they
share."""


def region_of(resource: Resource, index: Index) -> str:
    """Return a resource's region in the tables' spelling; NOWHERE if no input states it.

    A resource without a location has that of its provider or resource group. The
    provider fills that in, so that an unknown location that comes from nothing is the group's.

    A resource in an edge zone has none of the region's prices:
    https://learn.microsoft.com/azure/extended-zones/overview
    """
    part = _PARENT_INPUTS.get(resource_types.canonical(resource.type))
    if part is not None:
        return _region_of_parent(resource, *part, index)
    edge = at(resource.inputs.get("extendedLocation"), "name")
    if edge is not None:
        return edge if isinstance(edge, str) else NOWHERE
    location = resource.inputs.get("location")
    sources = (
        index.related_resources(resource, "location") if isinstance(location, Unknown) else ()
    )
    inherits = location is None or (isinstance(location, Unknown) and not sources)
    group = index.group_of(resource) if inherits else None
    candidates = (
        location,
        resource.outputs.get("location"),
        *(source.inputs.get("location") for source in sources),
        None if isinstance(location, Unknown) else resource.region,
        None if group is None else group.inputs.get("location"),
        None if group is None else group.region,
    )
    for value in candidates:
        if isinstance(value, str) and value:
            return REGIONS.table_spelling(value)
    return NOWHERE


def _region_of_parent(resource: Resource, prop: str, kind: str, index: Index) -> str:
    """Return the region of a resource's parent, which may differ from its resource group's.

    https://learn.microsoft.com/azure/azure-resource-manager/management/overview#resource-groups
    """
    parents = index.targets(resource, prop, kind)
    regions = {
        region_of(parent_resource, index)
        for parent_resource in (*parents.certain, *parents.namesakes)
    }
    return regions.pop() if len(regions) == 1 else NOWHERE


def zones_of(zones: Any, region: str) -> tuple[str, ...]:
    """Return the full names of the known zones, sorted: eastus-1 for the zone 1."""
    if region == NOWHERE:
        return ()
    numbers = {zone for zone in as_list(zones) if isinstance(zone, str) and zone}
    return tuple(f"{region}-{number}" for number in sorted(numbers))


def one_zone(zones: Any, *, together: Known) -> Known:
    """Return whether machines are in one zone.

    Args:
        zones: as a scale set names them.
        together: whether they are in one placement group, which never spans zones; that counts
            where no zone is named, since nothing else keeps the machines of a region in one.
    """
    if isinstance(zones, Unknown):
        return UNKNOWN
    zone_names = [text(zone) or UNKNOWN for zone in as_list(zones)]
    if not zone_names:
        return together
    known_zones = {zone for zone in zone_names if isinstance(zone, str)}
    if len(known_zones) > 1:
        return False
    return True if len(zone_names) == 1 or UNKNOWN not in zone_names else UNKNOWN
