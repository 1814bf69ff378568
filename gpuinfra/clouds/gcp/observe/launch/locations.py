"""The region and the zones of a resource, from its own inputs or its subnets'."""

import re
from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, last_part
from gpuinfra.clouds.observing.values import any_of, as_list, at, equals, text
from gpuinfra.model import NOWHERE, UNKNOWN, Known, Resource, Unknown

_ZONE: Final = re.compile(r"[a-z]+(?:-[a-z]+)+\d+-[a-z0-9]+")
_REGION: Final = re.compile(r"[a-z]+(?:-[a-z]+)+\d+")
_MANY_ZONES: Final = ("distributionPolicyZones", "nodeLocations")
_PLACE_INPUTS: Final = ("zone", "region", "location")
_ZONAL: Final = frozenset(
    {
        *(resource_types.INSTANCE, resource_types.INSTANCE_FROM_TEMPLATE, resource_types.GROUP),
        *(resource_types.AUTOSCALER, resource_types.RESIZE, resource_types.RESERVATION),
        *(resource_types.FUTURE_RESERVATION, resource_types.DISK),
    }
)
"""The types with a zone of their own, or else their provider's: pulumi-gcp 10.2.0."""
_PARENT_INPUTS: Final = {resource_types.NODE_POOL: ("cluster", resource_types.CLUSTER)}
"""The types that share the location of the resource that an input names."""
_PATH: Final = re.compile(r"(?:.*/)?(?:locations|regions|zones)/(?P<place>[^/]+)/.+")
_ANY_SINGLE_ZONE: Final = "ANY_SINGLE_ZONE"
"""A target shape that puts all machines of a regional group into one zone:
https://docs.cloud.google.com/compute/docs/instance-groups/regional-mig-distribution-shape"""


def region_of(resource: Resource, index: Index) -> str:
    """Return the region of a resource; NOWHERE if no input states it."""
    stated = (
        *_place_in_parent(resource),
        *(resource.inputs.get(key) for key in _PLACE_INPUTS),
        *_stated_zones(resource),
        zone_of(resource),
        *(resource.outputs.get(key) for key in _PLACE_INPUTS),
        *_parent_or_provider_places(resource, index),
    )
    subnets = index.targets(
        resource, "networkInterfaces", resource_types.SUBNET, _subnet_values(resource)
    )
    inherited = (subnet.inputs.get("region") for subnet in subnets.certain)
    return next(filter(None, map(_region, (*stated, *inherited))), NOWHERE)


def bucket_region(resource: Resource) -> str:
    """Return the location of a bucket: a region, or a multi-region (`us`, `nam4`)."""
    bucket_place = text(resource.inputs.get("location")) or text(resource.outputs.get("location"))
    return bucket_place.lower() if isinstance(bucket_place, str) else NOWHERE


def cluster_of(pool: Resource, index: Index) -> Resource | None:
    """Return the cluster of a pool, where it is in this stack."""
    return index.targets(pool, "cluster", resource_types.CLUSTER).only


def pool_place(pool: Resource, cluster: Resource | None) -> Any:
    """Return the zone or region that a pool is in, as it, its cluster or the provider states it.

    https://github.com/hashicorp/terraform-provider-google google/tpgresource/regional_utils.go
    (GetLocation), where a provider's region counts for none
    """
    shared = None if cluster is None else cluster.inputs.get("location")
    stated = [*_place_in_parent(pool), pool.inputs.get("location"), shared]
    if all(zone_or_region is None for zone_or_region in stated):
        names_cluster = isinstance(pool.inputs.get("cluster"), str)
        return cluster.zone if cluster is not None else pool.zone if names_cluster else None
    return next(
        (zone_or_region for zone_or_region in stated if isinstance(zone_or_region, str)), None
    )


def _place_in_parent(resource: Resource) -> Iterator[str]:
    """Return the place in the full name of a resource's parent, which precedes its own.

    https://github.com/hashicorp/terraform-provider-google resource_container_node_pool.go
    (extractNodePoolInformation)
    """
    prop, _ = _PARENT_INPUTS.get(resource.type, ("", ""))
    zone_or_region = resource.inputs.get(prop)
    path = _PATH.fullmatch(zone_or_region) if isinstance(zone_or_region, str) else None
    if path is not None:
        yield path["place"]


def _parent_or_provider_places(resource: Resource, index: Index) -> Iterator[str | None]:
    """Yield the possible locations of a resource without one: its parent's or its provider's.

    A bare name of what is in no place of the stack is looked for where the provider says; what
    comes from another stack may be anywhere.
    """
    if resource.type not in _PARENT_INPUTS:
        yield resource.zone if resource.type == resource_types.CLUSTER else None
        yield resource.region
        return
    prop, kind = _PARENT_INPUTS[resource.type]
    parents = index.targets(resource, prop, kind)
    yield from (region_of(parent, index) for parent in parents.certain)
    if isinstance(resource.inputs.get(prop), str):
        yield from (resource.zone, resource.region)
        yield from (region_of(parent, index) for parent in parents.namesakes)


def zone_of(resource: Resource) -> Any:
    """Return the zone of a zonal resource: its own, else its provider's.

    https://github.com/hashicorp/terraform-provider-google google/tpgresource/regional_utils.go
    (GetZone)
    """
    zone = resource.inputs.get("zone")
    if zone is not None or resource.type not in _ZONAL:
        return zone
    return resource.zone or resource.outputs.get("zone")


def zones_of(resource: Resource) -> tuple[str, ...]:
    """Return the known zones, sorted."""
    values = (zone_of(resource), resource.inputs.get("location"), *_stated_zones(resource))
    return tuple(sorted({zone for value in values if (zone := zone_name(value)) is not None}))


def machine_zones(resource: Resource, index: Index) -> tuple[str, ...]:
    """Return the zones of machines, sorted; empty for nodes where one is not known."""
    if resource.type != resource_types.NODE_POOL:
        return zones_of(resource)
    node_places = _node_places(resource, index)
    zones = () if isinstance(node_places, Unknown) else tuple(map(zone_name, node_places))
    known_zones = {zone for zone in zones if zone is not None}
    return () if None in zones else tuple(sorted(known_zones))


def _node_places(pool: Resource, index: Index) -> tuple[Any, ...] | Unknown:
    """Return the zones of a pool's nodes; its region where Google chooses the zones there.

    The `nodeLocations` of a node pool replace those of its cluster, and the cluster's count beside
    the zone of a zonal one:
    https://github.com/hashicorp/terraform-provider-google website/docs/r/container_node_pool.html
    """
    cluster = cluster_of(pool, index)
    locations = pool.inputs.get("nodeLocations")
    if isinstance(locations, Unknown) or as_list(locations):
        return locations if isinstance(locations, Unknown) else tuple(as_list(locations))
    shared = None if cluster is None else cluster.inputs.get("nodeLocations")
    zone_or_region = pool_place(pool, cluster)
    if isinstance(shared, Unknown):
        return shared
    is_zonal = zone_name(zone_or_region) is not None or not as_list(shared)
    return (*as_list(shared), *((zone_or_region,) if is_zonal else ()))


def zone_name(value: Any) -> str | None:
    """Return a zone's name from its name or its link; None for anything else."""
    name = last_part(value) if isinstance(value, str) else ""
    return name if _ZONE.fullmatch(name) else None


def one_zone(resource: Resource, index: Index) -> Known:
    """Return whether all machines are in one zone; a regional group spreads by default."""
    inputs = resource.inputs
    if resource.type == resource_types.NODE_POOL:
        return _same_zone(_node_places(resource, index))
    zones = inputs.get("distributionPolicyZones")
    if isinstance(zones, Unknown) or len(as_list(zones)) == 1:
        return UNKNOWN if isinstance(zones, Unknown) else True
    if resource.type == resource_types.REGION_GROUP:
        return equals(inputs.get("distributionPolicyTargetShape"), _ANY_SINGLE_ZONE)
    return True


def _same_zone(node_places: tuple[Any, ...] | Unknown) -> Known:
    """Return whether nodes are in one zone; a region means several."""
    if isinstance(node_places, Unknown) or node_places == (None,):
        return UNKNOWN
    zones = {
        zone_name(zone_or_region)
        for zone_or_region in node_places
        if not isinstance(zone_or_region, Unknown)
    }
    if None in zones or len(zones) > 1:
        return False
    return True if len(node_places) == 1 or UNKNOWN not in node_places else UNKNOWN


def _stated_zones(resource: Resource) -> tuple[Any, ...]:
    return tuple(zone for key in _MANY_ZONES for zone in as_list(resource.inputs.get(key)))


def _subnet_values(resource: Resource) -> list[Any]:
    nics = as_list(resource.inputs.get("networkInterfaces"))
    return [value for nic in nics if (value := at(nic, "subnetwork")) is not None]


def _region(value: Any) -> str | None:
    """Return the region of a place; an AI zone counts as its own region (us-central1-ai1a).

    https://docs.cloud.google.com/compute/docs/regions-zones/ai-zones
    """
    name = last_part(value).lower() if isinstance(value, str) else ""
    if _ZONE.fullmatch(name):
        region, _, letter = name.rpartition("-")
        return region if len(letter) == 1 else name
    return name if _REGION.fullmatch(name) else None


def same_region(resource: Resource, region: str) -> Known:
    """Return whether a regional resource is in a region; UNKNOWN where it names none."""
    resource_region = resource.inputs.get("region") or resource.region
    own_region = _region(resource_region)
    return any_of((UNKNOWN if own_region is None else own_region == region,))
