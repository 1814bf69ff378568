"""The references between resources of different regions, which Compute Engine can't resolve."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, leaf
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.observing.cross_region import cross_region_references
from gpuinfra.clouds.observing.faults import Remark
from gpuinfra.model import Resource

_REGIONAL: Final[frozenset[str]] = frozenset(TABLES.table("types")["regional"])
"""Kinds whose resources, where they have a region or a zone, name others of the same one:
https://docs.cloud.google.com/compute/docs/regions-zones/global-regional-zonal-resources"""


def of_stack(machines: Resource, index: Index) -> Iterator[Remark]:
    """Yield the resources that refer to another region, among those of the machines."""
    return cross_region_references(
        machines, index, _region, through=frozenset({resource_types.TEMPLATE})
    )


def _region(resource: Resource) -> str | None:
    """Return the region that a resource names, or that of its zone; None otherwise."""
    if resource_types.canonical(resource.type) not in _REGIONAL:
        return None
    zone, region = resource.inputs.get("zone"), resource.inputs.get("region")
    if isinstance(region, str) and region:
        return leaf(region).lower()
    return leaf(zone).lower().rpartition("-")[0] if isinstance(zone, str) and zone else None
