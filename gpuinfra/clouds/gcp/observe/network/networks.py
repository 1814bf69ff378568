"""The VPC of each interface of a machine, by value or by property dependency."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, home_of, last_part, normalize_reference
from gpuinfra.clouds.gcp.observe.launch import locations
from gpuinfra.clouds.gcp.observe.launch.launch_settings import nics_of
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.trusted_placeholders import is_filled, stands_in, written_as
from gpuinfra.clouds.observing.values import at, text
from gpuinfra.model import UNKNOWN, Resource, Unknown
from gpuinfra.records import record

FABRIC_KINDS: Final = frozenset({"MRDMA", "IRDMA"})
"""Interfaces that carry RDMA: https://docs.cloud.google.com/vpc/docs/rdma-network-profiles"""


@record(kw_only=False)
class Vpc:
    """The VPC network of an interface.

    Attributes:
        key: what tells it from others: its URN, or its name where another stack has it.
        name: its name in messages.
        resource: the network, where this stack has it.
        stated_name: a trusted one's name, as it is written; empty where only its subnet is.
    """

    key: str
    name: str
    resource: Resource | None = None
    stated_name: str = ""

    @property
    def profile(self) -> str | Unknown | None:
        """The network profile that it is made with; None for an ordinary network."""
        return (
            UNKNOWN if self.resource is None else text(self.resource.inputs.get("networkProfile"))
        )


@record(kw_only=False)
class ObservedInterface:
    """An interface with its VPC and its subnet, as far as they are known.

    `sure` is false for places that were shared out among several interfaces.
    """

    nic: Any
    vpc: Vpc | Unknown
    subnet: Resource | None
    sure: bool = True

    @property
    def kind(self) -> str | Unknown | None:
        """The kind, GVNIC or MRDMA for example; None where the cloud decides."""
        return text(at(self.nic, "nicType"))

    @property
    def is_rdma(self) -> bool | Unknown:
        """Whether it carries RDMA."""
        kind = self.kind
        return UNKNOWN if isinstance(kind, Unknown) else kind in FABRIC_KINDS


def interfaces_of(launch: LaunchSources, index: Index) -> tuple[ObservedInterface, ...] | Unknown:
    """Return every interface of a machine with its place; UNKNOWN when they can't be seen.

    Before ids are known, property dependencies tell which subnets the interfaces stand in, but not
    which is whose. As many subnets as interfaces are then shared out so that they fit: interfaces
    of RDMA get those of networks with a profile, and those of an unknown kind what is left.
    """
    return launch.memo(index, "interfaces", (), lambda: _interfaces_of(launch, index))


def _interfaces_of(launch: LaunchSources, index: Index) -> tuple[ObservedInterface, ...] | Unknown:
    nics = nics_of(launch)
    if isinstance(nics, Unknown):
        return UNKNOWN
    holder, _ = launch.stating_layer_and_value("networkInterfaces")
    if holder is None:
        return ()
    interfaces = [_interface(holder, nic, index) for nic in nics]
    unknown_numbers = [
        number for number, interface in enumerate(interfaces) if _may_be_related(interface)
    ]
    used_subnets = {
        interface.subnet.urn for interface in interfaces if interface.subnet is not None
    }
    shared = _shared_out(
        holder, [interfaces[number] for number in unknown_numbers], used_subnets, index
    )
    for number, interface_place in zip(unknown_numbers, shared, strict=False):
        interfaces[number] = interface_place
    return tuple(interfaces)


def vpc_of(holder: Resource, prop: str, value: Any, index: Index) -> Vpc | Unknown:
    """Return the VPC that `value` under the input `prop` names."""
    network = index.targets(holder, prop, resource_types.NETWORK, value).only
    if network is not None:
        return _vpc(network)
    if isinstance(value, str):
        name = normalize_reference(value)
        return Vpc(name, name)
    return UNKNOWN


def resources_on(vpc: Vpc, kind: str, index: Index, prop: str = "network") -> Targets:
    """Return the resources of a kind that are on a VPC."""
    if vpc.resource is not None:
        return index.referrers(vpc.resource, kind, prop)
    resources = tuple(
        resource
        for resource in index.of_kind(kind)
        if isinstance(value := resource.inputs.get(prop), str)
        and normalize_reference(value) == vpc.key
    )
    return Targets(resources, (), complete=False)


def may_be_on(vpc: Vpc, kind: str, index: Index, prop: str = "network") -> tuple[Resource, ...]:
    """Return the resources of a kind that may be on a trusted VPC under another spelling.

    A name alone may be of any project, and a subnet does not tell its network's name.
    """
    if vpc.resource is None or not stands_in(vpc.resource):
        return ()
    certain_urns = {resource.urn for resource in resources_on(vpc, kind, index, prop).certain}
    return tuple(
        resource
        for resource in index.of_kind(kind)
        if resource.urn not in certain_urns and _may_name(resource, prop, vpc.stated_name, index)
    )


def _may_name(holder: Resource, prop: str, name: str, index: Index) -> bool:
    targets = index.targets(holder, prop, resource_types.NETWORK)
    if targets.exact and targets.certain and not any(map(stands_in, targets.certain)):
        return False
    value = holder.inputs.get(prop)
    if not name or not isinstance(value, str):
        return value is not None
    names = {normalize_reference(name), normalize_reference(value)}
    if all("/" in reference for reference in names):
        return len(names) == 1
    return last_part(name) == last_part(value)


def subnets_on(interfaces: Sequence[ObservedInterface], vpc: Vpc) -> tuple[Resource, ...]:
    """Return the subnets of a VPC that a machine's interfaces are in."""
    subnets = {
        interface.subnet.urn: interface.subnet
        for interface in interfaces
        if interface.subnet is not None
        and isinstance(interface.vpc, Vpc)
        and interface.vpc.key == vpc.key
    }
    return tuple(subnets.values())


def _vpc(network: Resource) -> Vpc:
    return Vpc(network.urn, network.name, network, written_as(network))


def _interface(holder: Resource, nic: Any, index: Index) -> ObservedInterface:
    subnet, network = at(nic, "subnetwork"), at(nic, "network")
    if isinstance(subnet, str):
        project = at(nic, "subnetworkProject")
        if project is not None and "/" not in subnet:
            return _interface_in_project(nic, holder, project, index)
        targets = index.targets(holder, "networkInterfaces", resource_types.SUBNET, subnet)
        if len(targets.certain) == 1:
            return _interface_in_subnet(nic, targets.certain[0], index)
    if isinstance(network, str):
        return ObservedInterface(nic, vpc_of(holder, "networkInterfaces", network, index), None)
    names_no_network = subnet is None and network is None and at(nic, "networkAttachment") is None
    return ObservedInterface(nic, Vpc("default", "default") if names_no_network else UNKNOWN, None)


def _interface_in_project(
    nic: Any, holder: Resource, project: Any, index: Index
) -> ObservedInterface:
    """Return the interface in a subnet of a stated project, possibly a shared VPC's host.

    https://docs.cloud.google.com/vpc/docs/shared-vpc
    """
    name = at(nic, "subnetwork")
    region = locations.region_of(holder, index)
    subnets_of_project = [
        subnet
        for subnet in index.of_kind(resource_types.SUBNET)
        if name in (subnet.inputs.get("name"), subnet.outputs.get("name"))
        and home_of(subnet) == project
        and locations.same_region(subnet, region) is not False
    ]
    return (
        _interface_in_subnet(nic, subnets_of_project[0], index)
        if len(subnets_of_project) == 1
        else ObservedInterface(nic, UNKNOWN, None)
    )


def _interface_in_subnet(nic: Any, subnet: Resource, index: Index) -> ObservedInterface:
    network = subnet.inputs.get("network")
    if stands_in(subnet):
        return ObservedInterface(
            nic, _vpc_of_trusted_subnet(subnet, at(nic, "network"), index), subnet
        )
    vpc = UNKNOWN if network is None else vpc_of(subnet, "network", network, index)
    return ObservedInterface(nic, vpc, subnet)


def _vpc_of_trusted_subnet(subnet: Resource, subnet_name: Any, index: Index) -> Vpc | Unknown:
    """Return the VPC of a trusted subnet, without a name unless the interface states it."""
    vpc = vpc_of(subnet, "network", subnet.inputs.get("network"), index)
    if isinstance(vpc, Unknown):
        return UNKNOWN
    name = subnet_name if isinstance(subnet_name, str) and not is_filled(subnet_name) else ""
    return replace(vpc, key=subnet.urn, stated_name=name)


def _may_be_related(interface: ObservedInterface) -> bool:
    references = (at(interface.nic, "subnetwork"), at(interface.nic, "network"))
    return interface.vpc is UNKNOWN and UNKNOWN in references


def _shared_out(
    holder: Resource,
    interfaces: Sequence[ObservedInterface],
    used_subnets: Collection[str],
    index: Index,
) -> list[ObservedInterface]:
    related_resources = [
        resource
        for resource in index.related_resources(holder, "networkInterfaces")
        if resource.urn not in used_subnets
    ]
    possible_interfaces = [
        _interface_in_subnet(None, resource, index)
        for resource in related_resources
        if resource.type == resource_types.SUBNET
    ] or [
        ObservedInterface(None, _vpc(resource), None)
        for resource in related_resources
        if resource.type == resource_types.NETWORK
    ]
    if len(possible_interfaces) != len(interfaces):
        return []
    profiled = [
        candidate
        for candidate in possible_interfaces
        if isinstance(candidate.vpc, Vpc) and candidate.vpc.profile
    ]
    candidates = [candidate for candidate in possible_interfaces if candidate not in profiled]
    shared: dict[int, ObservedInterface] = {}
    for number in sorted(
        range(len(interfaces)), key=lambda slot: interfaces[slot].is_rdma is UNKNOWN
    ):
        interface = interfaces[number]
        first, second = (
            (profiled, candidates) if interface.is_rdma is True else (candidates, profiled)
        )
        shared_place = (first or second).pop(0)
        shared[number] = ObservedInterface(
            interface.nic, shared_place.vpc, shared_place.subnet, sure=len(interfaces) == 1
        )
    return [shared[number] for number in range(len(interfaces))]
