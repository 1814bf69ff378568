"""The GKE functions for judging Kubernetes objects.

Node counts, firewalls, disk and load balancer costs.
"""

from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.clusters.gke_clusters import counts_nodes
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch import locations
from gpuinfra.clouds.gcp.observe.network import firewalls
from gpuinfra.clouds.gcp.observe.storage.claimed_disks import claimed_items
from gpuinfra.clouds.observing.balanced_services import BalancedService
from gpuinfra.clouds.observing.cluster_objects import Clusters
from gpuinfra.clouds.observing.rows import service_item, unjudged_rows
from gpuinfra.clouds.observing.values import all_of
from gpuinfra.model import UNKNOWN, Item, Known, Resource, Rows


def _lets_anyone_in(firewall: Resource, port: int, index: Index) -> Known:
    """Return whether a firewall lets everyone in to a TCP port; unknown if another may deny it."""
    is_open = all_of(
        (
            firewalls.is_in_force(firewall, "INGRESS"),
            firewalls.applies_to_all(firewall, "INGRESS"),
            firewalls.allows(firewall, port),
        )
    )
    is_denied = any(
        firewalls.overrides(denying_firewall, firewall, port) is not False
        for denying_firewall in index.of_kind(resource_types.FIREWALL)
        if firewalls.rules_of(denying_firewall, "denies")
    )
    return UNKNOWN if is_denied and is_open is True else is_open


def _balancer_items(
    resource: Resource, service: BalancedService, region: str, _: Index
) -> tuple[Item, ...]:
    """Return a forwarding rule for each protocol and address family, and the data processed.

    https://docs.cloud.google.com/kubernetes-engine/docs/concepts/service-load-balancer
    """
    return _rule_items(resource, service.protocols, region)


def _frontend_rows(resource: Resource, index: Index, region: str) -> Rows | None:
    """Return the rows of the balancer of an Ingress or a Gateway; None without one."""
    from gpuinfra.clouds.gcp.observe.clusters import gke_balancers  # noqa: PLC0415  (few)
    from gpuinfra.clouds.gcp.observe.costs import service_costs  # noqa: PLC0415  (few)

    balancer = gke_balancers.balancer_of(resource, index)
    if balancer is None:
        return None
    if not balancer.rules:
        return Rows()
    reason = service_costs.PROXIES_REASON if balancer.by_proxies else ""
    rows = unjudged_rows(resource, reason) if reason else Rows()
    return replace(rows, items=_rule_items(resource, balancer.rules, region))


def _rule_items(resource: Resource, rules: int, region: str) -> tuple[Item, ...]:
    kind, hour, data = "load balancer", "lb-forwarding-rules-first-5-hour", "lb-data-processed"
    return (
        service_item("gcp", resource, kind, hour, "hour", Decimal(rules), region),
        service_item("gcp", resource, kind, data, "GB", None, region),
    )


OF_STACK: Final = Clusters[Index](
    cloud="gcp",
    kind=resource_types.CLUSTER,
    counts_nodes=counts_nodes,
    firewalls=resource_types.FIREWALL,
    lets_anyone_in=_lets_anyone_in,
    disk_items=claimed_items,
    region_of=locations.region_of,
    classes=True,
    balancer_items=_balancer_items,
    frontend_rows=_frontend_rows,
)
