"""The label keys of a group's machines, a bucket or a file system."""

from collections.abc import Sequence
from typing import Any

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.label_keys import (
    Keys,
    common_keys,
    keys_of,
    resource_keys,
    union_of_keys,
)
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import UNKNOWN, Resource, Unknown


def machine_label_keys(
    resource: Resource, launches: Sequence[LaunchSources], index: Index
) -> Keys:
    """Return the label keys that every machine of a group gets.

    The nodes of a pool have the labels of their cluster, too:
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/creating-managing-labels
    """
    if resource.type == resource_types.NODE_POOL:
        config = resource.inputs.get("nodeConfig")
        return union_of_keys(
            (keys_of(at(config, "resourceLabels")), _cluster_label_keys(resource, index))
        )
    own_keys: Keys = frozenset()
    if resource_types.canonical(resource.type) == resource_types.GROUP:
        own_keys = keys_of(at(resource.inputs.get("allInstancesConfig"), "labels"))
    return union_of_keys(
        (own_keys, common_keys([_launch_label_keys(launch) for launch in launches]))
    )


def own_label_keys(resource: Resource) -> Keys:
    """Return the keys of a resource's own labels."""
    return resource_keys(resource, "labels", "effectiveLabels")


def node_labels(pool: Resource, index: Index) -> Any:
    """Return the labels of a pool's nodes with values, including those of its cluster."""
    targets = index.targets(pool, "cluster", resource_types.CLUSTER)
    cluster_labels = (
        targets.certain[0].inputs.get("resourceLabels") if targets.certain else UNKNOWN
    )
    node_config_labels = at(pool.inputs.get("nodeConfig"), "resourceLabels")
    if isinstance(cluster_labels, Unknown) or isinstance(node_config_labels, Unknown):
        return UNKNOWN
    return {**(cluster_labels or {}), **(node_config_labels or {})}


def _launch_label_keys(launch: LaunchSources) -> Keys:
    """Return the labels of a template, or of an instance, which override its template's."""
    if launch.hidden:
        return UNKNOWN
    return own_label_keys(launch.layers[0]) if launch.layers else frozenset()


def _cluster_label_keys(resource: Resource, index: Index) -> Keys:
    cluster = index.targets(resource, "cluster", resource_types.CLUSTER).only
    return (
        UNKNOWN if cluster is None else resource_keys(cluster, "resourceLabels", "effectiveLabels")
    )
