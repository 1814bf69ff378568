"""The references between resources of different regions, which machines can't use."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch import locations
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.cross_region import cross_region_references
from gpuinfra.clouds.observing.fault_texts import Remark
from gpuinfra.model import NOWHERE, Resource

_LOCAL: Final[frozenset[str]] = frozenset(TABLES.table("types")["regional"])
"""Types whose resources name others of their own region, "InvalidResourceReference" elsewhere:
https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-invalid-resource-reference
"""

_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")


def other_region_remarks(machines: Resource, index: Index) -> Iterator[Remark]:
    """Yield the machines' related resources that refer to another region."""
    return cross_region_references(machines, index, lambda resource: region_of(resource, index))


def other_region_references(
    machines: Resource, referenced: Iterable[Resource], index: Index
) -> Iterator[str]:
    """Yield those of the regional resources that machines name which are of another region."""
    home = _place_of(machines, index)
    for resource in referenced:
        own_place = _place_of(resource, index)
        if None not in (home, own_place) and home != own_place:
            noun = _CAPITAL.sub(" ", resource.type.rpartition(":")[2]).lower()
            yield f"the {noun} {resource.name} is in {own_place}, the machines are in {home}"


def region_of(resource: Resource, index: Index) -> str | None:
    """Return the region of a local resource; for a subnet, that of its network."""
    is_local_type = resource_types.canonical(resource.type) in _LOCAL
    return _place_of(resource, index) if is_local_type else None


def _place_of(resource: Resource, index: Index) -> str | None:
    placed_resource = resource
    if resource_types.canonical(resource.type) == resource_types.SUBNET:
        networks = index.targets(resource, "virtualNetworkName", resource_types.NETWORK)
        if not networks.certain:
            return None
        placed_resource = networks.certain[0]
    region = locations.region_of(placed_resource, index)
    return None if region == NOWHERE else region
