"""The label keys of a group's machines, a bucket or a file system."""

from collections.abc import Sequence
from typing import Any

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.labels import Keys, common, joined, keys_of, of_resource
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import UNKNOWN, Resource, Unknown


def of_machines(resource: Resource, launches: Sequence[LaunchSources], index: Index) -> Keys:
    """Return the label keys that every machine of a group gets.

    The nodes of a pool have the labels of their cluster, too:
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/creating-managing-labels
    """
    if resource.type == resource_types.NODE_POOL:
        config = resource.inputs.get("nodeConfig")
        return joined((keys_of(at(config, "resourceLabels")), _of_cluster(resource, index)))
    own: Keys = frozenset()
    if resource_types.canonical(resource.type) == resource_types.GROUP:
        own = keys_of(at(resource.inputs.get("allInstancesConfig"), "labels"))
    return joined((own, common([_of_launch(launch) for launch in launches])))


def of_one(resource: Resource) -> Keys:
    """Return the keys of a resource's own labels."""
    return of_resource(resource, "labels", "effectiveLabels")


def of_nodes(pool: Resource, index: Index) -> Any:
    """Return the labels of a pool's nodes with values, including those of its cluster."""
    targets = index.targets(pool, "cluster", resource_types.CLUSTER)
    above = targets.certain[0].inputs.get("resourceLabels") if targets.certain else UNKNOWN
    own = at(pool.inputs.get("nodeConfig"), "resourceLabels")
    if isinstance(above, Unknown) or isinstance(own, Unknown):
        return UNKNOWN
    return {**(above or {}), **(own or {})}


def _of_launch(launch: LaunchSources) -> Keys:
    """Return the labels of a template, or of an instance, which override its template's."""
    if launch.hidden:
        return UNKNOWN
    return of_one(launch.layers[0]) if launch.layers else frozenset()


def _of_cluster(resource: Resource, index: Index) -> Keys:
    targets = index.targets(resource, "cluster", resource_types.CLUSTER)
    if not targets.exact or len(targets.certain) != 1:
        return UNKNOWN
    return of_resource(targets.certain[0], "resourceLabels", "effectiveLabels")
