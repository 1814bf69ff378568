"""The number of nodes that a GKE pool may have, in all of its zones."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch.locations import cluster_of, pool_place, zone_name
from gpuinfra.clouds.gcp.regions import REGIONS
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.observing.fault_texts import all_faults, size_faults
from gpuinfra.clouds.observing.values import as_list, at, largest, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown

_DEFAULT_ZONES: Final = 3
"""Zones of a regional cluster that names none:
https://docs.cloud.google.com/kubernetes-engine/docs/concepts/regional-clusters"""

_BOTH: Final = (
    "numbers of nodes per zone (minNodeCount, maxNodeCount) beside those of all zones "
    "(totalMinNodeCount, totalMaxNodeCount): state one pair"
)
"""https://github.com/hashicorp/terraform-provider-google container_node_pool, autoscaling"""


def sizes_of(resource: Resource, index: Index) -> tuple[int | Unknown, int | Unknown]:
    """Return the fewest and the most nodes of a pool; most counts of GKE are per zone.

    The provider sets `nodeCount` at each update, and a pool begins with `initialNodeCount`,
    whatever the autoscaler's bounds are.
    """
    fewest, zones = _zones(resource, index)
    scaling = resource.inputs.get("autoscaling")
    if scaling is None:
        node_count = resource.inputs.get("nodeCount", resource.inputs.get("initialNodeCount"))
        count = whole_number(node_count)
        return _times(count, fewest), _times(count, zones)
    whole_pool_counts = [
        whole_number(at(scaling, f"total{kind}NodeCount")) for kind in ("Min", "Max")
    ]
    per_zone_counts = [whole_number(at(scaling, f"{kind}NodeCount")) for kind in ("min", "max")]
    least, most = (
        _times(per_zone, zone_count) if whole_pool is None else whole_pool
        for whole_pool, per_zone, zone_count in zip(
            whole_pool_counts, per_zone_counts, (fewest, zones), strict=True
        )
    )
    stated = [
        _times(whole_number(resource.inputs.get(key)), zones)
        for key in ("nodeCount", "initialNodeCount")
        if resource.inputs.get(key) is not None
    ]
    least = 0 if at(scaling, "minNodeCount") is None and whole_pool_counts[0] is None else least
    return least, largest((most, *stated))


def impossible_sizes(resource: Resource) -> tuple[str, ...] | Unknown:
    """Return the numbers of nodes of a pool that GKE refuses, per zone or in all."""
    scaling = resource.inputs.get("autoscaling")
    pairs = (("minNodeCount", "maxNodeCount"), ("totalMinNodeCount", "totalMaxNodeCount"))
    has_bounds = [any(at(scaling, key) not in (None, 0) for key in pair) for pair in pairs]
    return all_faults(
        *(size_faults(*(whole_number(at(scaling, key)) for key in pair)) for pair in pairs),
        (_BOTH,) if all(has_bounds) else (),
        tuple(_too_many(resource)),
    )


def _too_many(pool: Resource) -> Iterator[str]:
    """Yield the numbers of nodes in each zone beyond those of a GKE pool."""
    (most,) = (row["most"] for row in TABLES.rows("pool_limits"))
    node_counts = {key: pool.inputs.get(key) for key in ("nodeCount", "initialNodeCount")}
    scaling = at(pool.inputs.get("autoscaling"), "maxNodeCount")
    for key, value in {**node_counts, "maxNodeCount": scaling}.items():
        count = whole_number(value)
        if isinstance(count, int) and count > most:
            yield f"{key} is {count:,}: GKE supports up to {most:,} nodes of a pool in each zone"


def _zones(resource: Resource, index: Index) -> tuple[int | Unknown, int | Unknown]:
    """Return the fewest and the most zones of a pool: its own, else its cluster's.

    A cluster that is not seen may name any zones of its region.
    https://docs.cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters
    """
    node_locations, cluster = resource.inputs.get("nodeLocations"), cluster_of(resource, index)
    if isinstance(node_locations, Unknown):
        return UNKNOWN, UNKNOWN
    if as_list(node_locations):
        return len(as_list(node_locations)), len(as_list(node_locations))
    zone_or_region = pool_place(resource, cluster)
    if cluster is not None:
        zones = _zones_of_cluster(resource, cluster, zone_or_region)
        return zones, zones
    region = (
        REGIONS.of_resource({"location": zone_or_region})
        if isinstance(zone_or_region, str)
        else None
    )
    most = len(REGIONS.zones(region)) if isinstance(region, str) else 0
    return (1, most) if most else (UNKNOWN, UNKNOWN)


def _zones_of_cluster(resource: Resource, cluster: Resource, zone_or_region: Any) -> int | Unknown:
    cluster_zones = cluster.inputs.get("nodeLocations")
    is_known = isinstance(zone_or_region, str) or (
        zone_or_region is None and _is_zonal(resource, cluster)
    )
    if isinstance(cluster_zones, Unknown) or not is_known:
        return UNKNOWN
    if zone_or_region is None or zone_name(zone_or_region) is not None:
        return 1 + len(as_list(cluster_zones))
    return len(as_list(cluster_zones)) or _DEFAULT_ZONES


def _is_zonal(resource: Resource, cluster: Resource) -> bool:
    """Return whether neither a pool nor its cluster states a location.

    It is then in the zone that the provider names: the provider takes no region for a cluster, and
    refuses one without a zone.
    https://github.com/hashicorp/terraform-provider-google google/tpgresource/regional_utils.go
    (GetLocation)
    """
    return all(holder.inputs.get("location") is None for holder in (resource, cluster))


def _times(count: int | Unknown | None, zones: int | Unknown) -> int | Unknown:
    if count is None or isinstance(count, Unknown) or isinstance(zones, Unknown):
        return 0 if count == 0 else UNKNOWN
    return count * zones
