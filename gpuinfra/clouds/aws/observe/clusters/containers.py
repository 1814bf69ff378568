"""Container clusters: EKS control planes, and the resources that start machines for ECS."""

import re
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.exposure import forwarded_ports
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.network import traffic
from gpuinfra.clouds.aws.observe.storage.claimed_disks import claimed_items, encryption
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing import cluster_objects
from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.balanced_services import BalancedService
from gpuinfra.clouds.observing.rows import service_item, unjudged_rows
from gpuinfra.clouds.observing.values import all_of, as_list, at, flag, text
from gpuinfra.model import (
    UNKNOWN,
    ControlPlane,
    Item,
    Resource,
    Rows,
    Unknown,
    Usage,
    combined_rows,
)
from gpuinfra.today import today

_FARGATE_PROFILE: Final = "aws:eks/fargateProfile:FargateProfile"
_NEVER: Final = "9999-12-31"
_ANYWHERE: Final = "0.0.0.0/0"
_AUTO_MODE: Final = "Auto Mode may start machines in it that are not declared here"
_STANDARD: Final = "standard"
_VERSION: Final = re.compile(r"\d+\.\d+")
_TIER: Final = "the hourly price of its control plane (tier {}) is unknown"
"""https://docs.aws.amazon.com/eks/latest/userguide/eks-provisioned-control-plane.html"""
_NO_GROUP: Final = "it starts machines for its tasks, in a group that is not declared here"
_FARGATE: Final = "its tasks may run on Fargate, and their size is not known"
_NOT_ON_FARGATE: Final = ("bridge", "host", "none")
_OWN_MACHINES: Final = {"EC2", "EXTERNAL"}


def eks_cluster(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the hours of a control plane; nodes have their own rows, except in Auto Mode.

    https://aws.amazon.com/eks/pricing/
    """
    region = locations.region_of(resource, index)
    hours = service_item(
        "aws", resource, "cluster", "eks-cluster-hour", "hour", Decimal(1), region
    )
    items = (hours, *_extended_support_items(resource, region))
    auto = flag(at(resource.inputs.get("computeConfig"), "enabled"))
    tier = text(at(resource.inputs.get("controlPlaneScalingConfig"), "tier"))
    reasons = [] if auto in {None, False} else [_AUTO_MODE]
    if tier not in {None, _STANDARD}:
        tier_reason = "not known yet" if isinstance(tier, Unknown) else tier
        reasons.append(_TIER.format(tier_reason))
    rows = unjudged_rows(resource, "; ".join(reasons)) if reasons else Rows()
    return replace(rows, items=items, control_planes=(_control_plane(resource),))


def _control_plane(resource: Resource) -> ControlPlane:
    """Return the API server of a cluster, which is public and open to everyone by default.

    https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html
    """
    network = resource.inputs.get("vpcConfig")
    public = flag(at(network, "endpointPublicAccess"))
    ranges = at(network, "publicAccessCidrs")
    admitted = as_list(ranges) or (_ANYWHERE,)
    return ControlPlane(
        name=resource.name,
        subject=resource.urn,
        cloud="aws",
        open=all_of((True if public is None else public, reaches_world(admitted))),
    )


def rows_on_nodes(silent: Rows, resource: Resource, index: Index) -> Rows:
    """Return the rows of an object in a cluster; pods cost nothing where all nodes have rows."""
    return cluster_objects.rows_of(silent, resource, index, _STACK_CLUSTERS)


def _counts_nodes(index: Index) -> bool:
    """Return whether the clusters have machines with rows, and none that are made for pods."""
    makes = [
        flag(at(cluster.inputs.get("computeConfig"), "enabled")) not in {None, False}
        for cluster in index.of_kind(resource_types.EKS_CLUSTER)
    ]
    nodes = (*index.of_kind(resource_types.NODE_GROUP), *index.of_kind(resource_types.GROUP))
    return bool(nodes) and not any(makes) and not index.of_kind(_FARGATE_PROFILE)


def _service_items(
    resource: Resource, service: BalancedService, region: str, index: Index
) -> Iterable[Item]:
    from gpuinfra.clouds.aws.observe.clusters import cluster_balancers  # noqa: PLC0415  (few have any)

    return cluster_balancers.service_items(resource, service, region, index)


def _frontend_rows(resource: Resource, index: Index, region: str) -> Rows | None:
    from gpuinfra.clouds.aws.observe.clusters import cluster_balancers  # noqa: PLC0415  (few have any)

    items = cluster_balancers.frontend_items(resource, index, region)
    return None if items is None else Rows(items=items)


_STACK_CLUSTERS: Final = cluster_objects.Clusters[Index](
    cloud="aws",
    kind=resource_types.EKS_CLUSTER,
    counts_nodes=_counts_nodes,
    firewalls=resource_types.SECURITY_GROUP,
    lets_anyone_in=traffic.lets_anyone_in,
    target_ports=forwarded_ports.named_group_ports,
    disk_items=claimed_items,
    balancer_items=_service_items,
    frontend_rows=_frontend_rows,
    encryption=encryption,
    region_of=locations.region_of,
)


def _extended_support_items(resource: Resource, region: str) -> tuple[Item, ...]:
    """Return the price of extended support, which applies unless the cluster is upgraded in time.

    Its hours count where the version is past standard support today; else they are not known.
    https://docs.aws.amazon.com/eks/latest/userguide/view-upgrade-policy.html
    """
    if text(at(resource.inputs.get("upgradePolicy"), "supportType")) == "STANDARD":
        return ()
    item = "eks-cluster-extended-support-hour"
    hours = Decimal(1) if _is_past_standard_support(resource) else None
    return (service_item("aws", resource, "cluster", item, "hour", hours, region),)


def _is_past_standard_support(cluster: Resource) -> bool:
    """Return whether the version of a cluster is known to be past standard support.

    A version before those of the table is: where even its extended support is over, EKS upgrades
    it to a later one, which is past its standard support, too.
    https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html
    """
    version = text(cluster.inputs.get("version"))
    ends = {row["version"]: row["standard_until"] for row in TABLES.rows("eks_versions")}
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        return False
    is_older_than_listed = _parts(version) < min(map(_parts, ends))
    return is_older_than_listed or today().isoformat() > ends.get(version, _NEVER)


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def capacity_provider(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return no rows for a provider of a group in this stack, which counts at its maximum."""
    prop = "autoScalingGroupProvider"
    arn = at(resource.inputs.get(prop), "autoScalingGroupArn")
    group = (
        index.targets(resource, prop, resource_types.GROUP, arn).certain if arn is not None else ()
    )
    return Rows() if group else unjudged_rows(resource, _NO_GROUP)


def ecs_service(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a service's tasks on Fargate, and their volumes; machines are other resources.

    A service that may run on Fargate or on machines is counted as if all of it ran on Fargate.
    """
    tasks = Rows() if _runs_on_own_machines(resource, index) else _fargate_rows(resource, index)
    if resource.inputs.get("volumeConfiguration") is None:
        return tasks
    from gpuinfra.clouds.aws.observe.storage import task_volumes  # noqa: PLC0415  (few have any)

    return combined_rows((tasks, task_volumes.service_volumes(resource, index)))


def _fargate_rows(resource: Resource, index: Index) -> Rows:
    from gpuinfra.clouds.aws.observe.clusters import fargate  # noqa: PLC0415  (few run there)

    items = fargate.task_items(resource, index)
    return unjudged_rows(resource, _FARGATE) if items is None else Rows(items=items)


def _needs_machines(service: Resource, index: Index) -> bool:
    """Return whether the task definition of a service is of the stack and excludes Fargate.

    Fargate takes only what names it, in the network mode awsvpc:
    https://docs.aws.amazon.com/AmazonECS/latest/developerguide/fargate-tasks-services.html
    """
    prop = "taskDefinition"
    task = index.targets(service, prop, resource_types.TASK, service.inputs.get(prop)).only
    if task is None:
        return False
    definition = task.inputs
    kinds, mode = as_list(definition.get("requiresCompatibilities")), definition.get("networkMode")
    return (bool(kinds) and not {"FARGATE", UNKNOWN} & {*kinds}) or text(mode) in _NOT_ON_FARGATE


def _runs_on_own_machines(resource: Resource, index: Index) -> bool:
    launch = text(resource.inputs.get("launchType"))
    if launch in _OWN_MACHINES or (launch is None and _needs_machines(resource, index)):
        return True
    prop = "capacityProviderStrategies"
    names = [at(strategy, "capacityProvider") for strategy in as_list(resource.inputs.get(prop))]
    provider_hosts = index.targets(resource, prop, resource_types.CAPACITY_PROVIDER, names).certain
    uses_own_machines = all(
        not name.startswith("FARGATE") if isinstance(name, str) else bool(provider_hosts)
        for name in names
    )
    return bool(names) and uses_own_machines
