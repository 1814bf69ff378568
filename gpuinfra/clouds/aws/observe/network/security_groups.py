"""The security groups of machines: named ones, their network's default, and later additions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations, standalone_interfaces
from gpuinfra.clouds.aws.observe.launch.launch_settings import interfaces_of, security_groups
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import Resource, Unknown

_DEFAULT_NETWORK: Final = ""


def security_groups_of(
    resource: Resource, launch: LaunchSources, index: Index
) -> tuple[Targets, ...]:
    """Return the security groups of each interface of a machine, and the additional ones."""
    return launch.memo(
        index, "walls", (resource,), lambda: tuple(_walls_of(resource, launch, index))
    )


def _walls_of(resource: Resource, launch: LaunchSources, index: Index) -> Iterator[Targets]:
    nics = interfaces_of(launch, index)
    known_nics = () if isinstance(nics, Unknown) else nics
    yield from interface_group_sets(resource, launch, index, known_nics)
    yield from added_to(resource, index)


def interface_group_sets(
    resource: Resource, launch: LaunchSources, index: Index, nics: Sequence[Any]
) -> Iterator[Targets]:
    """Yield the security groups of interfaces, once for those that name the same ones.

    A machine may have 32 of them, alike but for their cards; one without any has its network's.
    """
    known_sets: list[Any] = []
    for nic in nics or (None,):
        group_ids = at(nic, "securityGroups")
        if group_ids not in known_sets or standalone_interfaces.owner_of(nic) is not None:
            known_sets.append(group_ids)
            yield _interface_groups(resource, launch, index, nic)


def _interface_groups(
    resource: Resource, launch: LaunchSources, index: Index, nic: Any
) -> Targets:
    """Return the security groups of one interface; the VPC's default one where none is named.

    https://docs.aws.amazon.com/vpc/latest/userguide/default-security-group.html
    """
    interface_resource = standalone_interfaces.owner_of(nic)
    if interface_resource is not None:
        return _groups_of_existing(interface_resource, index)
    groups = security_groups(launch, index, nic)
    if groups is not None:
        return groups
    if not locations.names_subnets(resource, launch, index) and _is_machine(resource):
        return _the_only(_default_groups(index).get(_DEFAULT_NETWORK))
    return _default_groups_of_subnets(locations.subnets_of_machine(resource, launch, index), index)


def added_to(resource: Resource, index: Index) -> Iterator[Targets]:
    """Yield the security groups of attached interfaces, and those added by attachments."""
    for interface_resource in standalone_interfaces.attached_of(resource, index):
        yield _groups_of_existing(interface_resource, index)
    by_interfaces = standalone_interfaces.attached_to_interfaces(
        resource, index, resource_types.INTERFACE_GROUPS, "networkInterfaceId"
    )
    for attachment in by_interfaces.certain:
        yield index.targets(attachment, "securityGroupId", resource_types.SECURITY_GROUP)
    if not by_interfaces.complete:
        yield Targets(complete=False)


def _groups_of_existing(interface_resource: Resource, index: Index) -> Targets:
    if interface_resource.inputs.get("securityGroups") is not None:
        return index.targets(interface_resource, "securityGroups", resource_types.SECURITY_GROUP)
    return _default_groups_of_subnets(
        index.targets(interface_resource, "subnetId", resource_types.SUBNET), index
    )


def _is_machine(resource: Resource) -> bool:
    return resource_types.canonical(resource.type) == resource_types.INSTANCE


def _the_only(group: Resource | None) -> Targets:
    return Targets(complete=False) if group is None else Targets((group,))


def _default_groups_of_subnets(subnets: Targets, index: Index) -> Targets:
    """Return the default security groups of the subnets' networks."""
    groups_by_vpc = _default_groups(index)
    groups: dict[str, Resource] = {}
    complete = subnets.exact and bool(subnets.certain)
    for subnet in subnets.certain:
        group = next(
            (groups_by_vpc[key] for key in _networks(subnet, index) if key in groups_by_vpc), None
        )
        complete = complete and group is not None
        groups.update({} if group is None else {group.urn: group})
    return Targets(tuple(groups.values()), (), complete)


def _default_groups(index: Index) -> Mapping[str, Resource]:
    """Return the default security groups of this stack, by their networks."""
    return index.memo("default groups", lambda: dict(_default_groups_by_network(index)))


def _default_groups_by_network(index: Index) -> Iterator[tuple[str, Resource]]:
    for resource in index.of_kind(resource_types.SECURITY_GROUP):
        if resource.type != resource_types.DEFAULT_SECURITY_GROUP:
            continue
        if resource.inputs.get("vpcId") is None:
            yield _DEFAULT_NETWORK, resource
        yield from ((key, resource) for key in _networks(resource, index))


def _networks(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the keys of a subnet's or group's network: its URN and its id, where known."""
    network = resource.inputs.get("vpcId")
    if network is None:
        return
    declared = index.targets(resource, "vpcId", resource_types.NETWORK).only
    if declared is not None:
        yield declared.urn
    if isinstance(network, str):
        yield network
