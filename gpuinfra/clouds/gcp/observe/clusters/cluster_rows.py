"""The rows of a GKE cluster: its hours, its default pool, and what is not counted of it."""

from dataclasses import replace
from decimal import Decimal

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.clusters import gke_clusters
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch import locations
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.model import NotJudged, Resource, Rows, Usage, combined_rows


def cluster(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return a GKE cluster's hours and default pool; other pools inside are named, not counted."""
    rights = gke_clusters.legacy_rights(resource)
    planes = (gke_clusters.control_plane(resource),)
    if gke_clusters.is_autopilot(resource):
        autopilot = _machines_of(resource, gke_clusters.AUTOPILOT)
        return replace(autopilot, grants=rights, control_planes=planes)
    hours = service_item(
        "gcp",
        resource,
        "cluster",
        "gke-cluster-hour",
        "hour",
        Decimal(1),
        locations.region_of(resource, index),
    )
    reason = "; ".join(gke_clusters.uncounted_node_reasons(resource))
    missing = _machines_of(resource, reason) if reason else Rows()
    cluster_rows = replace(missing, items=(hours,), grants=rights, control_planes=planes)
    pool = gke_clusters.default_pool(resource)
    if pool is None:
        return cluster_rows
    from gpuinfra.clouds.gcp.observe.machines.groups import group_rows  # noqa: PLC0415  (few keep it)

    return combined_rows([cluster_rows, group_rows(pool, index, usage)])


def _machines_of(cluster: Resource, reason: str) -> Rows:
    """Return a cluster's uncounted machines as a node pool's, wherever they are declared.

    Who leaves the control plane of a cluster out of the caps leaves out none of its machines.
    """
    missing = NotJudged(subject=cluster.urn, type=resource_types.NODE_POOL, reason=reason)
    return Rows(not_judged=(missing,))
