"""Objects in Kubernetes clusters: pods, namespaces that create nodes, bindings and Services."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, Generic, TypeVar

from gpuinfra.clouds import machineless_types
from gpuinfra.clouds.observing import balanced_services, ingress_classes
from gpuinfra.clouds.observing.balanced_services import BalancedService
from gpuinfra.clouds.observing.cluster_of_objects import is_elsewhere
from gpuinfra.clouds.observing.cluster_services import clouds_of
from gpuinfra.clouds.observing.disk_claims import DiskClaim, has_claims, without_claims
from gpuinfra.clouds.observing.disk_resource_row import disk_row
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.rows import rows_without_machines, unjudged_rows
from gpuinfra.clouds.observing.values import all_of, any_of
from gpuinfra.model import NOWHERE, Item, Known, Resource, Rows, Unknown, combined_rows
from gpuinfra.records import record

_NODE_CREATION_REASON: Final = (
    "its label makes GKE start nodes for the pods of its namespace, which are not declared here"
)
_MAY_MAKE: Final = "it is not known yet whether a label makes GKE start nodes for its pods"
_Index = TypeVar("_Index", bound=Index)
_TargetPort = tuple[Known, Any, int | Unknown]


@record
class Clusters(Generic[_Index]):
    """The clusters of a cloud.

    Attributes:
        cloud: whose they are.
        kind: their type.
        counts_nodes: whether those of a stack have machines that count, none made for pods.
        firewalls: the type of the firewalls before their nodes.
        lets_anyone_in: whether one of them lets everyone in to a TCP port.
        disk_items: returns the price items of a claim's disks in a region.
        encryption: tells whether a claim's disks are encrypted; None where they always are.
        region_of: the region of a cluster.
        classes: whether a label of a namespace may make nodes in them.
        target_ports: the control ports of a target group that an object names.
        balancer_items: returns the price items of a Service's load balancer in a region.
        frontend_rows: returns the rows of other balancers made for an object; None without any.
    """

    cloud: str
    kind: str
    counts_nodes: Callable[[_Index], bool]
    firewalls: str
    lets_anyone_in: Callable[[Resource, int, _Index], Known]
    disk_items: Callable[[Resource, DiskClaim, str], Iterable[Item]]
    region_of: Callable[[Resource, _Index], str]
    classes: bool = False
    encryption: Callable[[Resource, DiskClaim, _Index], Known | None] = lambda *_: None
    target_ports: Callable[[Resource, _Index, Any], Iterable[_TargetPort]] = lambda *_: ()
    balancer_items: Callable[[Resource, BalancedService, str, _Index], Iterable[Item]] = (
        lambda *_: ()
    )
    frontend_rows: Callable[[Resource, _Index, str], Rows | None] = lambda *_: None


def rows_of(rows: Rows, resource: Resource, index: _Index, clusters: Clusters[_Index]) -> Rows:
    """Return the rows of an object in a cluster; `rows` are its rows without a cluster.

    A cluster that makes nodes by a namespace's label may be in another stack.
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/run-pods-default-compute-classes
    """
    from gpuinfra.clouds.observing import (  # noqa: PLC0415  (few have any)
        cluster_listeners,
        cluster_rights,
        cluster_services,
        disk_claims,
        node_ports,
        pods,
        routed_ports,
    )

    is_cluster_here = bool(index.of_kind(clusters.kind)) and not is_elsewhere(
        resource, index, clusters.kind
    )
    if is_cluster_here and resource.type in ingress_classes.INGRESSES:
        resource, rows = _with_class(resource, rows, index)
    makes = machineless_types.makes_nodes(resource.type, resource.inputs)
    if makes is True:
        return unjudged_rows(resource, _NODE_CREATION_REASON)
    if makes is not False and is_cluster_here and clusters.classes:
        return Rows(undecided=unjudged_rows(resource, _MAY_MAKE).not_judged)
    claims = has_claims(resource)
    pod = without_claims(resource) if claims else resource
    if pod is not resource:
        rows = rows_without_machines(pod, pod.type, is_known=False)
    if is_cluster_here:
        rows = pods.pod_rows(rows, pod, index, clusters.counts_nodes)
    region = _region_of(index, clusters)
    if is_cluster_here:
        rows = _with_balancers(rows, resource, index, clusters, region)
    if claims:
        rows = disk_claims.rows_of(
            rows,
            resource,
            index,
            clusters.cloud,
            lambda claim: clusters.disk_items(resource, claim, region),
        )
    rights = cluster_rights.bindings(resource, index, clusters.cloud, is_here=is_cluster_here)
    port_rows = cluster_services.open_ports(resource, index, clusters.cloud)
    lets_in = _lets_in(index, clusters)
    frontends = cluster_listeners.listeners(resource, index, clusters.cloud, lets_in)
    of_cloud = clusters.cloud, partial(clusters.target_ports, resource, index), lets_in
    routed = routed_ports.open_ports(resource, index, of_cloud)
    nodes = node_ports.open_ports(resource, index, clusters.cloud, _reaches(index, clusters))
    disks = _disks(resource, index, clusters) if claims else Rows()
    parts = (rights, port_rows, frontends, routed, nodes, disks)
    added_rows = tuple(rows for rows in parts if rows != Rows())
    return combined_rows((rows, *added_rows)) if added_rows else rows


def _with_class(ingress: Resource, rows: Rows, index: Index) -> tuple[Resource, Rows]:
    """Return an Ingress with the class that its cluster gives it, and its rows."""
    classed = ingress_classes.with_default_class(ingress, index)
    if ingress_classes.is_in_cluster(classed, index):
        return classed, Rows()
    if classed is not ingress:
        rows = rows_without_machines(classed, classed.type, is_known=False)
    return classed, rows


def _with_balancers(
    silent: Rows, resource: Resource, index: _Index, clusters: Clusters[_Index], region: str
) -> Rows:
    """Return the rows of the load balancers made for an object, else its rows without any."""
    is_place_known = region != NOWHERE and clouds_of(resource, index) == (clusters.cloud,)
    frontends = clusters.frontend_rows(resource, index, region) if is_place_known else None
    if frontends is not None:
        return frontends
    return balanced_services.rows_of(
        silent,
        resource,
        index,
        (clusters.cloud, region),
        lambda service: clusters.balancer_items(resource, service, region, index),
    )


def _disks(resource: Resource, index: _Index, clusters: Clusters[_Index]) -> Rows:
    """Return the row of the disks that the claims of an object make in a cloud."""
    from gpuinfra.clouds.observing import disk_claims  # noqa: PLC0415  (few have any)

    cloud = clusters.cloud
    claims = disk_claims.claims_of(resource, index, cloud)
    own_claims = (
        disk_claim
        for disk_claim in claims
        if isinstance(disk_claim, DiskClaim) and disk_claim.cloud == cloud
    )
    encryption_facts = [clusters.encryption(resource, claim, index) for claim in own_claims]
    facts = [fact for fact in encryption_facts if fact is not None]
    return Rows(disks=disk_row(cloud, resource, all_of(facts), ())) if facts else Rows()


def _lets_in(index: _Index, clusters: Clusters[_Index]) -> Callable[[Resource, Any, int], Known]:
    """Return what tells whether firewalls that an object's metadata names let everyone in."""

    def lets_anyone_in(holder: Resource, port_name: Any, port: int) -> Known:
        firewalls = index.targets(holder, "metadata", clusters.firewalls, port_name)
        return firewalls.any_target(
            lambda firewall: clusters.lets_anyone_in(firewall, port, index)
        )

    return lets_anyone_in


def _region_of(index: _Index, clusters: Clusters[_Index]) -> str:
    """Return the region of the clusters of a cloud; NOWHERE for none, and for several."""
    regions = {clusters.region_of(cluster, index) for cluster in index.of_kind(clusters.kind)}
    return next(iter(regions)) if len(regions) == 1 else NOWHERE


def _reaches(index: _Index, clusters: Clusters[_Index]) -> Callable[[int], Known]:
    """Return what tells whether a firewall of the stack lets everyone in to a port."""
    return lambda port: any_of(
        clusters.lets_anyone_in(firewall, port, index)
        for firewall in index.of_kind(clusters.firewalls)
    )
