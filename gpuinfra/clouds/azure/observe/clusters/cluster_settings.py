"""Settings of an AKS cluster that start machines or are billed by the hour, and its API server."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.clusters.cluster_items import balancer_items, frontend_rows
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch import locations
from gpuinfra.clouds.azure.observe.storage.claimed_disks import claimed_items
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.cluster_objects import Clusters
from gpuinfra.clouds.observing.free_cases import is_harmless
from gpuinfra.clouds.observing.values import all_of, as_list, at, equals, is_on, opposite, text
from gpuinfra.model import ControlPlane, Known, Resource
from gpuinfra.records import record


@record(kw_only=False)
class UnpricedSetting:
    """A setting of a cluster or a pool that no table prices, and whether it starts machines."""

    why: str
    machines: bool


def unpriced_cluster_settings(resource: Resource) -> Iterator[UnpricedSetting]:
    """Yield the settings of a cluster that no table prices."""
    addons = resource.inputs.get("addonProfiles")
    if not isinstance(addons, Mapping):
        yield from _unpriced_settings(resource.inputs, "cluster")
        return
    folded = {str(key).casefold(): profile for key, profile in addons.items()}
    yield from _unpriced_settings({**resource.inputs, "addonProfiles": folded}, "cluster")
    known_addons = TABLES.table("cluster_settings")["addons"].split()
    for name, profile in folded.items():
        if name not in known_addons and is_on(at(profile, "enabled")) is not False:
            yield UnpricedSetting(
                f"the add-on {name} is in no table, and may start machines", True
            )


def unpriced_pool_settings(spec: Any) -> Iterator[UnpricedSetting]:
    """Yield the settings of a pool that no table prices."""
    return _unpriced_settings(spec, "pool")


def counts_nodes(index: Index) -> bool:
    """Return whether the clusters have counted pools, and none that are made for pods."""
    clusters = index.of_kind(resource_types.CLUSTER)
    has_inline_pools = any(
        as_list(cluster.inputs.get("agentPoolProfiles")) for cluster in clusters
    )
    makes = any(
        setting.machines for cluster in clusters for setting in unpriced_cluster_settings(cluster)
    )
    return (has_inline_pools or bool(index.of_kind(resource_types.POOL))) and not makes


def _lets_anyone_in(firewall: Resource, port: int, index: Index) -> Known:
    from gpuinfra.clouds.azure.observe.network import traffic  # noqa: PLC0415  (few have such a Service)

    return traffic.lets_anyone_in(firewall, port, index)


STACK_CLUSTERS: Final = Clusters[Index](
    cloud="azure",
    kind=resource_types.CLUSTER,
    counts_nodes=counts_nodes,
    firewalls=resource_types.FIREWALL,
    lets_anyone_in=_lets_anyone_in,
    disk_items=claimed_items,
    region_of=locations.region_of,
    balancer_items=balancer_items,
    frontend_rows=frontend_rows,
)


def _unpriced_settings(inputs: Any, holder: str) -> Iterator[UnpricedSetting]:
    for row in TABLES.rows("cluster_settings"):
        if row["of"] == holder and not is_harmless(inputs, row["unless"]):
            yield UnpricedSetting(row["why"], row["counts_as"] == "machines")


def control_plane(resource: Resource) -> ControlPlane:
    """Return the API server of a cluster: public, for everyone and local accounts, by default.

    https://learn.microsoft.com/azure/aks/api-server-authorized-ip-ranges
    https://learn.microsoft.com/azure/aks/manage-local-accounts-managed-azure-ad
    """
    inputs = resource.inputs
    profile = inputs.get("apiServerAccessProfile")
    closed = equals(text(inputs.get("publicNetworkAccess")), "Disabled")
    public = opposite(is_on(at(profile, "enablePrivateCluster")))
    ranges = at(profile, "authorizedIPRanges")
    admitted = as_list(ranges)
    everyone: Known = reaches_world(admitted) if admitted else True
    return ControlPlane(
        name=resource.name,
        subject=resource.urn,
        cloud="azure",
        open=all_of((opposite(closed), public, everyone)),
        local_accounts=opposite(is_on(inputs.get("disableLocalAccounts"))),
    )
