"""Kubernetes clusters (GKE): the nodes they create, whether all are counted, the API server."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch.launch_settings import with_accelerators
from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.grants import grant_rows
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    flag,
    is_on,
    opposite,
    whole_number,
)
from gpuinfra.model import UNKNOWN, ControlPlane, Grant, Known, Resource, Unknown

AUTOPILOT: Final = "an Autopilot cluster is billed by its pods, and the price is unknown"
_OWN_POOLS: Final = (
    "its default node pools are not counted: declare each as a NodePool and set "
    "remove_default_node_pool"
)
_DEFAULT_POOL_REASON: Final = (
    "its default node pool, which is created before remove_default_node_pool deletes it, is not "
    "counted: leave machine_type and guest_accelerators out of node_config, or set an E2 "
    "type there"
)
_DEFAULT: Final = "e2-"
"""The series of the default machine type:
https://docs.cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes"""
_GENERAL: Final = re.compile(r"[cent]\d[a-z]*-[a-z0-9-]+")
"""Series of general purpose, which have no GPUs unless they are attached:
https://docs.cloud.google.com/compute/docs/general-purpose-machines"""
_PROVISIONS: Final = (
    "node auto-provisioning may create node pools beyond any declared maximum, and its limits "
    "state no machine types: set clusterAutoscaling.enabled to false, and declare each pool as a "
    "NodePool with a maximum"
)
"""https://docs.cloud.google.com/kubernetes-engine/docs/concepts/node-auto-provisioning"""
_PROVISIONS_BY_CLASS: Final = (
    "a default ComputeClass may create node pools beyond any declared maximum, also for pods that "
    "are not in this stack: set clusterAutoscaling.defaultComputeClassEnabled to false"
)
"""It needs no node auto-provisioning:
https://docs.cloud.google.com/kubernetes-engine/docs/concepts/about-compute-classes"""

_LEGACY_ABAC_FAULT: Final = "grants every pod of the cluster all rights in it (enableLegacyAbac)"
_OFF: Final = (None, False)


def is_autopilot(cluster: Resource) -> bool:
    """Return whether a cluster is, or may be, one that is billed by its pods."""
    return flag(cluster.inputs.get("enableAutopilot")) not in _OFF


def legacy_rights(cluster: Resource) -> tuple[Grant, ...]:
    """Return the grant that a cluster's legacy authorization is, if it is or may be on.

    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/hardening-your-cluster
    (that it gives all pods every right: not re-read: unverified)
    """
    legacy = flag(cluster.inputs.get("enableLegacyAbac"))
    if legacy in _OFF:
        return ()
    return grant_rows(
        "gcp", cluster, (UNKNOWN if legacy is UNKNOWN else _LEGACY_ABAC_FAULT,)
    ).grants


def default_pool(cluster: Resource) -> Resource | None:
    """Return the pool that a cluster keeps by its own inputs, in the form of a node pool.

    It has `initialNodeCount` nodes in each zone, as `nodeConfig` says or by default, and is
    not autoscaled:
    https://registry.terraform.io/providers/hashicorp/google/latest/docs/resources/container_cluster
    """
    inputs = cluster.inputs
    config, count = inputs.get("nodeConfig"), whole_number(inputs.get("initialNodeCount"))
    is_removed = flag(inputs.get("removeDefaultNodePool")) not in _OFF
    if inputs.get("nodePools") or is_removed or is_autopilot(cluster):
        return None
    if not isinstance(config, Mapping | None) or not isinstance(count, int):
        return None
    pool_inputs = {key: inputs.get(key) for key in ("location", "nodeConfig", "project")}
    return replace(
        cluster,
        type=resource_types.NODE_POOL,
        inputs={**pool_inputs, "cluster": UNKNOWN, "nodeCount": count},
        outputs={},
        relations={**cluster.relations, "cluster": (cluster.urn,)},
    )


def uncounted_node_reasons(cluster: Resource) -> Iterator[str]:
    """Yield why not all nodes of a cluster are counted, where some are not."""
    inputs = cluster.inputs
    if inputs.get("nodePools") or flag(inputs.get("removeDefaultNodePool")) is not True:
        if default_pool(cluster) is None:
            yield _OWN_POOLS
    elif _begins_with_more(cluster):
        yield _DEFAULT_POOL_REASON
    if flag(at(inputs.get("clusterAutoscaling"), "enabled")) not in _OFF:
        yield _PROVISIONS
    if flag(at(inputs.get("clusterAutoscaling"), "defaultComputeClassEnabled")) not in _OFF:
        yield _PROVISIONS_BY_CLASS


def _begins_with_more(cluster: Resource) -> bool:
    """Return whether a new cluster starts with nodes that cost much for some minutes.

    https://github.com/hashicorp/terraform-provider-google resource_container_cluster.go creates
    it with `initialNodeCount` nodes of `nodeConfig`, waits, then deletes the default pool.
    """
    config = cluster.inputs.get("nodeConfig")
    if isinstance(cluster.outputs.get("id"), str) or config is None:
        return False
    kind = with_accelerators(
        at(config, "machineType") or _DEFAULT, at(config, "guestAccelerators")
    )
    if isinstance(kind, str) and kind.startswith(_DEFAULT):
        return "+" in kind
    begins_with_several = whole_number(cluster.inputs.get("initialNodeCount")) not in (None, 0, 1)
    return begins_with_several or not isinstance(kind, str) or not _GENERAL.fullmatch(kind)


def counts_nodes(index: Index) -> bool:
    """Return whether the clusters have counted pools, and none that are made for pods."""
    clusters = index.of_kind(resource_types.CLUSTER)
    makes = any(
        is_autopilot(cluster) or any(uncounted_node_reasons(cluster)) for cluster in clusters
    )
    pools = index.of_kind(resource_types.NODE_POOL) or any(map(default_pool, clusters))
    return bool(clusters) and bool(pools) and not makes


def control_plane(resource: Resource) -> ControlPlane:
    """Return the API server of a cluster; by default it has a public address for everyone.

    Where external traffic is allowed, its name in the DNS is reached from the internet, too, and
    no authorized network filters it:
    https://docs.cloud.google.com/kubernetes-engine/docs/concepts/network-isolation
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/authorized-networks
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/hardening-your-cluster
    (*unverified*: the pages were not read again)
    """
    inputs = resource.inputs
    endpoints = inputs.get("controlPlaneEndpointsConfig")
    addresses = flag(at(endpoints, "ipEndpointsConfig", "enabled"))
    private = is_on(at(inputs.get("privateClusterConfig"), "enablePrivateEndpoint"))
    by_address = all_of(
        (
            True if addresses is None else addresses,
            opposite(private),
            _admits_everyone(inputs.get("masterAuthorizedNetworksConfig")),
        )
    )
    by_name = is_on(at(endpoints, "dnsEndpointConfig", "allowExternalTraffic"))
    issued = at(inputs.get("masterAuth"), "clientCertificateConfig", "issueClientCertificate")
    return ControlPlane(
        name=resource.name,
        subject=resource.urn,
        cloud="gcp",
        open=any_of((by_address, by_name)),
        local_accounts=is_on(issued),
    )


def _admits_everyone(networks: Any) -> Known:
    """Return whether authorized networks are the whole internet; without any, nothing filters.

    Anyone may rent an address of Google Cloud, all of which the networks may include:
    https://docs.cloud.google.com/kubernetes-engine/docs/reference/rest/v1/MasterAuthorizedNetworksConfig
    (as the SDKs say it: "accessible via Google Compute Engine Public IP addresses")
    """
    if networks is None:
        return True
    blocks = at(networks, "cidrBlocks")
    if isinstance(blocks, Unknown):
        return UNKNOWN
    listed = reaches_world(at(block, "cidrBlock") for block in as_list(blocks))
    return any_of((listed, is_on(at(networks, "gcpPublicCidrsAccessEnabled"))))
