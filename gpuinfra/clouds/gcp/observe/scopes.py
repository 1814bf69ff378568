"""The scope in which a name is unique: a zone, a region, or a whole project.

A name in a zone says nothing of its namesake in another zone, or in the region: their ids are
`projects/P/zones/Z/instanceGroupManagers/N` and `projects/P/regions/R/instanceGroupManagers/N`.
https://docs.cloud.google.com/compute/docs/regions-zones/global-regional-zonal-resources
"""

from itertools import pairwise
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.regions import REGIONS
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.model import UNKNOWN, Known, Resource

_GLOBAL: Final = "global"
_PLACES: Final = ("zones", "regions", "locations")
_COMPUTED_NAMES: Final = ("selfLink", "id")
_REGIONAL: Final = "gcp:compute/region"
"""How the tokens of regional twins begin."""

_ZONAL_TYPES: Final[frozenset[str]] = frozenset(TABLES.table("types")["by_zone"])
_REGIONAL_TYPES: Final[frozenset[str]] = frozenset(TABLES.table("types")["by_region"])
_LOCATION_TYPES: Final = frozenset({resource_types.CLUSTER, resource_types.NODE_POOL})
_PROJECT_TYPES: Final[frozenset[str]] = frozenset(TABLES.table("types")["by_project"])
"""Those that have a regional twin; one of no other kind can be taken for it."""

_EXACT: Final = frozenset({resource_types.GROUP, resource_types.DISK, resource_types.CLUSTER})
"""Kinds with zonal and regional resources: a bare name means one of the referrer's own place."""


def place_in(reference: str) -> str | None:
    """Return the zone, region or location that a path names, or `global`; None for a bare name."""
    parts = reference.partition("?")[0].split("/")
    for key, value in pairwise(parts):
        if key in _PLACES:
            return value.lower()
        if key == _GLOBAL:
            return _GLOBAL
    return None


def place_of(resource: Resource) -> str | None:
    """Return the zone or region of a resource's name, or `global`; None if not known."""
    for key in _COMPUTED_NAMES:
        path = resource.outputs.get(key)
        if isinstance(path, str) and (zone_or_region := place_in(path)):
            return zone_or_region
    scope = _scope(resource.type)
    if scope is None or scope == _GLOBAL:
        return scope
    place = resource.inputs.get(scope, resource.outputs.get(scope))
    if place is None and scope == "region":
        place = resource.region
    return place.rpartition("/")[2].lower() if isinstance(place, str) and place else None


def is_within(resource: Resource, other: Resource, name: str) -> Known:
    """Return whether a name that `resource` uses may mean `other`, by their places."""
    scope = _scope(other.type)
    if scope is None or name in (other.outputs.get(key) for key in _COMPUTED_NAMES):
        return True
    other_place, stated = place_of(other), place_in(name)
    if stated is not None:
        return UNKNOWN if other_place is None else other_place == stated
    if _GLOBAL in (other_place, place_of(resource)):
        return True
    if resource_types.canonical(other.type) in _EXACT and _scope(resource.type) not in (
        None,
        scope,
    ):
        return False
    return _is_found(resource, other)


def _is_found(resource: Resource, scope: Resource) -> Known:
    """Return whether a bare name is looked up in a resource's own zone or region."""
    own_place, scope_place = place_of(resource), place_of(scope)
    if own_place == scope_place:
        return True  # Two that name no zone have that of their provider.
    if own_place is None or scope_place is None:
        is_zonal = _scope(scope.type) == _scope(resource.type) == "zone"
        return UNKNOWN if is_zonal else True
    region, other = (
        REGIONS.of_resource({"location": zone_or_region})
        for zone_or_region in (own_place, scope_place)
    )
    is_exact_type = resource_types.canonical(scope.type) in _EXACT
    return not is_exact_type and region == other and region in (own_place, scope_place)


def _scope(token: str) -> str | None:
    """Return the input that scopes a type's names; None where it is not known."""
    if token.startswith(_REGIONAL) or token in _REGIONAL_TYPES:
        return "region"
    if token in _ZONAL_TYPES:
        return "zone"
    if token in _LOCATION_TYPES:
        return "location"
    return _GLOBAL if token in _PROJECT_TYPES else None
