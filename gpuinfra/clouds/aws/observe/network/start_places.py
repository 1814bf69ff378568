"""The regions, zones and VPCs of subnets, templates and security groups that can't be together."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.launch.launch_settings import market_of, reservation_of
from gpuinfra.clouds.aws.observe.network import vpcs
from gpuinfra.clouds.aws.observe.network.security_groups import security_groups_of
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at, text
from gpuinfra.model import Resource, Unknown

_ASSOCIATION: Final = "aws:vpc/securityGroupVpcAssociation:SecurityGroupVpcAssociation"
_SPREAD: Final = (resource_types.GROUP, resource_types.NODE_GROUP, resource_types.BATCH)
"""The types that start any of their machines in any of their subnets."""
_KEY_PAIR: Final = "aws:ec2/keyPair:KeyPair"
_REFERENCES_BY_NAME: Final = (
    ("placementGroup", resource_types.PLACEMENT),
    ("placementGroupId", resource_types.PLACEMENT),
    ("placement", resource_types.PLACEMENT),
    ("keyName", _KEY_PAIR),
)
"""The inputs with a name that counts in one region, and the type of the named resource."""
_UNWRITTEN: Final = "${"
"""The placeholder in a text that is completed once other resources exist."""

_NETWORK_INPUTS: Final = {
    resource_types.BALANCER: ("", "subnets", "securityGroups"),
    resource_types.CLASSIC_BALANCER: ("", "subnets", "securityGroups"),
    resource_types.ENDPOINT: ("", "subnetIds", "securityGroupIds"),
    resource_types.EKS_CLUSTER: ("vpcConfig", "subnetIds", "securityGroupIds"),
    resource_types.FUNCTION: ("vpcConfig", "subnetIds", "securityGroupIds"),
    resource_types.INTERFACE: ("", "subnetId", "securityGroups"),
    resource_types.LUSTRE: ("", "subnetIds", "securityGroupIds"),
    "aws:efs/mountTarget:MountTarget": ("", "subnetId", "securityGroups"),
}
"""The inputs of a type for its subnets and security groups, and the input that they are in."""


def start_place_faults(
    resource: Resource, launches: Sequence[LaunchSources], index: Index
) -> Iterator[str]:
    """Yield the settings that keep machines from starting in their region or zone."""
    if resource_types.canonical(resource.type) == resource_types.NODE_GROUP:
        clusters = index.targets(resource, "clusterName", resource_types.EKS_CLUSTER).certain
        for cluster in clusters:
            yield from (
                f"its cluster {cluster.name}: {fault}"
                for fault in single_zone_cluster_faults(cluster, index)
            )
            yield from _outside_cluster(resource, cluster, index)
    for launch in launches:
        subnets = locations.subnets_of_machine(resource, launch, index).certain
        groups = security_groups_of(resource, launch, index)
        yield from _other_region_references(resource, (*launch.layers, *subnets))
        yield from _other_region_references(resource, _groups_elsewhere(resource, groups))
        yield from _other_region_references(resource, _names_elsewhere(resource, launch, index))
        zones = _stated_zones(resource, launch)
        yield from _other_region_zones(resource, zones)
        yield from _outside_zones(zones, subnets)
        yield from _beside_reservation(resource, launch, index)
        is_spread = resource_types.canonical(resource.type) in _SPREAD
        foreign = tuple(foreign_groups(subnets, groups, index, everywhere=is_spread))
        yield from foreign or (several_vpcs(subnets, index) if is_spread else ())


def single_zone_cluster_faults(cluster: Resource, index: Index) -> Iterator[str]:
    """Yield the faults of an EKS cluster whose subnets are in two VPCs, or in one zone.

    A cluster on an Outpost may be in one zone.

    https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html
    """
    ids = at(cluster.inputs.get("vpcConfig"), "subnetIds")
    if ids is None or cluster.inputs.get("outpostConfig") is not None:
        return
    subnets = index.targets(cluster, "vpcConfig", resource_types.SUBNET, ids)
    yield from several_vpcs(subnets.certain, index)
    zones = [zone_of(subnet) for subnet in subnets.certain]
    has_one_subnet = not isinstance(ids, Unknown) and len(as_list(ids)) == 1
    if has_one_subnet or (
        subnets.exact and zones and zones[0] and all(zone == zones[0] for zone in zones)
    ):
        yield "its subnets are in one zone, and EKS needs two"


def several_vpcs(subnets: Sequence[Resource], index: Index) -> Iterator[str]:
    """Yield two subnets of different VPCs, where all have to be of one.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html
    (VPCZoneIdentifier: the subnets of a VPC)
    """
    for subnet in subnets[1:]:
        if vpcs.are_apart(vpcs.vpc_of(subnets[0], index), vpcs.vpc_of(subnet, index)):
            yield f"the subnets {subnets[0].name} and {subnet.name} belong to different VPCs"
            return


def _outside_cluster(nodes: Resource, cluster: Resource, index: Index) -> Iterator[str]:
    """Yield the subnet of nodes in another VPC than their EKS cluster, which EKS refuses.

    https://github.com/rancher/rancher/issues/28144
    """
    ids = at(cluster.inputs.get("vpcConfig"), "subnetIds")
    shared = index.targets(cluster, "vpcConfig", resource_types.SUBNET, ids).certain
    subnet_vpcs = [vpcs.vpc_of(subnet, index) for subnet in shared]
    for subnet in locations.subnets_of(nodes, index).certain:
        subnet_vpc = vpcs.vpc_of(subnet, index)
        are_apart = [vpc is not None and vpcs.are_apart(subnet_vpc, vpc) for vpc in subnet_vpcs]
        if subnet_vpc and are_apart and all(are_apart):
            yield f"the subnet {subnet.name} and the cluster {cluster.name} are in different VPCs"


def foreign_groups(
    subnets: Sequence[Resource],
    groups: Iterable[Targets],
    index: Index,
    *,
    everywhere: bool = True,
) -> Iterator[str]:
    """Yield the security groups of another VPC than the subnets that they are used with.

    Each is used in all subnets (`everywhere`), unless interfaces or templates have their own.
    AWS refuses them, unless they are associated with that VPC, too:
    https://docs.aws.amazon.com/vpc/latest/userguide/security-group-assoc.html
    """
    vpc_keys = [vpcs.vpc_of(subnet, index) for subnet in subnets]
    if not vpc_keys or None in vpc_keys or index.of_kind(_ASSOCIATION):
        return
    groups_by_urn = {group.urn: group for targets in groups for group in targets.certain}
    for group in groups_by_urn.values():
        group_vpc = vpcs.vpc_of(group, index)
        are_apart = [vpcs.are_apart(group_vpc, vpc_key) for vpc_key in vpc_keys]
        if any(are_apart) if everywhere else all(are_apart):
            yield (
                f"the security group {group.name} and the subnet "
                f"{subnets[are_apart.index(True)].name} belong to different VPCs"
            )


def _other_region_references(
    resource: Resource, other_references: Iterable[Resource]
) -> Iterator[str]:
    """Yield the references to resources of another region, whose ids don't exist here.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resources.html
    """
    own_region = _region(resource)
    for other in other_references:
        other_region = _region(other)
        if own_region and other_region and own_region != other_region:
            noun = other.type.rpartition(":")[2]
            yield f"{noun} {other.name} is in {other_region}, and the machines are in {own_region}"


def _groups_elsewhere(resource: Resource, groups: Iterable[Targets]) -> Iterator[Resource]:
    """Yield the security groups that a resource names, unless some may be of its region."""
    referenced = [
        group
        for targets in groups
        for group in targets.certain
        if group.type == resource_types.SECURITY_GROUP
    ]
    if not any(_region(group) in {_region(resource), None} for group in referenced):
        yield from {group.urn: group for group in referenced}.values()


def _names_elsewhere(
    resource: Resource, launch: LaunchSources, index: Index
) -> Iterator[Resource]:
    """Yield the placement groups and keys that inputs come from.

    They are named, and another one of the machines' region may have the same name.
    """
    own_region = _region(resource)
    holders = {layer.urn: layer for layer in (resource, *launch.layers)}.values()
    for holder, (prop, kind) in product(holders, _REFERENCES_BY_NAME):
        referenced = [
            other_resource
            for other_resource in index.related_resources(holder, prop)
            if other_resource.type == kind
        ]
        if referenced and not any(
            _region(other_resource) in {own_region, None} for other_resource in index.of_kind(kind)
        ):
            yield from referenced


def _region(resource: Resource) -> str | None:
    region = resource.inputs.get("region")
    is_complete = region and isinstance(region, str) and _UNWRITTEN not in region
    return region if is_complete else resource.region


def _stated_zones(resource: Resource, launch: LaunchSources) -> list[str]:
    """Return the zones that a resource states, or the template of one machine for it.

    Auto Scaling chooses the zones of its machines itself.
    """
    inputs = resource.inputs
    zones = [*as_list(inputs.get("availabilityZone")), *as_list(inputs.get("availabilityZones"))]
    if not zones and resource_types.canonical(resource.type) == resource_types.INSTANCE:
        zones = [*as_list(at(launch.stating_layer_and_value("placement")[1], "availabilityZone"))]
    known_zones = _complete_texts(*zones)
    return known_zones if len(known_zones) == len(zones) else []


def _other_region_zones(resource: Resource, zones: Iterable[str]) -> Iterator[str]:
    """Yield the zones of another region than the machines'; a zone's name begins with its region.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-regions-availability-zones.html
    """
    own_region = _region(resource)
    for zone in zones:
        if own_region and (
            not zone.startswith(own_region) or zone[len(own_region) :][:1].isdigit()
        ):
            yield f"the zone {zone} is not in {own_region}, the region of the machines"


def _outside_zones(stated_zones: Sequence[str], subnets: Iterable[Resource]) -> Iterator[str]:
    """Yield the subnets in other zones than the stated ones.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html
    """
    for subnet in subnets:
        zones = _complete_texts(*_zones_of(subnet))
        if stated_zones and zones and not set(zones) & set(stated_zones):
            yield f"the subnet {subnet.name} is in {zones[0]}, not in the zone {stated_zones[0]}"


def _beside_reservation(resource: Resource, launch: LaunchSources, index: Index) -> Iterator[str]:
    """Yield the reservation in another zone than machines that start only in it.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-launch.html
    """
    _, reservation = reservation_of(launch, index)
    if reservation is None or not market_of(launch, index).kept_only:
        return
    reservation_zones = _complete_texts(reservation.inputs.get("availabilityZone"))
    zones = tuple(locations.every_zone(resource, index) or ())
    if resource_types.canonical(resource.type) == resource_types.INSTANCE:
        zones = zones or locations.zones_of(resource, index, [launch])
    if reservation_zones and zones and reservation_zones[0] not in zones:
        yield (
            f"its capacity reservation {reservation.name} is in {reservation_zones[0]}, and the "
            "machines are in "
            f"{', '.join(sorted(zones))}"
        )


def zone_of(subnet: Resource) -> str | None:
    """Return the zone of a subnet, as far as it is known."""
    return next(iter(_complete_texts(*_zones_of(subnet))), None)


def _zones_of(subnet: Resource) -> tuple[Any, Any]:
    return subnet.inputs.get("availabilityZone"), subnet.outputs.get("availabilityZone")


def _complete_texts(*values: Any) -> list[str]:
    """Return the texts among values that are complete."""
    texts = (text(value) for value in values)
    return [value for value in texts if isinstance(value, str) and _UNWRITTEN not in value]


def foreign_group_faults(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the security groups of a resource that its subnets' VPC does not have."""
    row = _NETWORK_INPUTS.get(resource_types.canonical(resource.type))
    if row is None:
        return
    part, *keys = row
    kinds = (resource_types.SUBNET, resource_types.SECURITY_GROUP)
    subnets, groups = (
        _named_targets(resource, part, key, kind, index)
        for key, kind in zip(keys, kinds, strict=True)
    )
    yield from foreign_groups(subnets.certain, [groups], index)


def _named_targets(resource: Resource, part: str, key: str, kind: str, index: Index) -> Targets:
    value = at(resource.inputs, part, key) if part else resource.inputs.get(key)
    return Targets() if value is None else index.targets(resource, part or key, kind, value)
