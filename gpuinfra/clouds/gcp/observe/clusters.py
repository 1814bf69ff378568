"""Clusters of Kubernetes (GKE): what they make by themselves, and whether all nodes count."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.gcp.observe import kinds
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.values import at, flag
from gpuinfra.model import Resource

AUTOPILOT: Final = "an Autopilot cluster is billed by its pods, and the price is unknown"
_OWN_POOLS: Final = (
    "its default node pools are not counted: declare each as a NodePool and set "
    "remove_default_node_pool"
)
_PROVISIONS: Final = "node auto-provisioning may create node pools beyond any declared maximum"
"""https://docs.cloud.google.com/kubernetes-engine/docs/concepts/node-auto-provisioning"""

_OFF: Final = (None, False)


def is_autopilot(cluster: Resource) -> bool:
    """Say whether a cluster is, or may be, one that is billed by its pods."""
    return flag(cluster.inputs.get("enableAutopilot")) not in _OFF


def uncounted(cluster: Resource) -> Iterator[str]:
    """Yield why not all nodes of a cluster are counted, where there are any besides."""
    inputs = cluster.inputs
    if inputs.get("nodePools") or flag(inputs.get("removeDefaultNodePool")) is not True:
        yield _OWN_POOLS
    if flag(at(inputs.get("clusterAutoscaling"), "enabled")) not in _OFF:
        yield _PROVISIONS


def counts_nodes(index: Index) -> bool:
    """Say whether the clusters have pools that count, and none that are made for pods.

    A default ComputeClass may make pools without node auto-provisioning:
    https://docs.cloud.google.com/kubernetes-engine/docs/concepts/about-compute-classes
    """
    clusters = index.of(kinds.CLUSTER)
    makes = any(
        is_autopilot(cluster)
        or any(uncounted(cluster))
        or flag(at(cluster.inputs.get("clusterAutoscaling"), "defaultComputeClassEnabled"))
        not in _OFF
        for cluster in clusters
    )
    return bool(clusters) and bool(index.of(kinds.NODE_POOL)) and not makes
