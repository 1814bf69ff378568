"""The declared fabric: EFA interfaces, zone, placement, open security group, addresses."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

from gpuinfra.clouds.aws.images import has_drivers, is_plain
from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations, standalone_interfaces
from gpuinfra.clouds.aws.observe.launch.image_pinning import looked_up
from gpuinfra.clouds.aws.observe.launch.launch_settings import interfaces_of
from gpuinfra.clouds.aws.observe.network import network_cards, security_groups, traffic, vpcs
from gpuinfra.clouds.aws.observe.network.network_cards import EFA_KINDS
from gpuinfra.clouds.image_name import PARAMETER
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import all_of, any_of, at, flag, is_on, text
from gpuinfra.model import UNKNOWN, Fabric, FabricFirewall, Known, Machine, Resource, Unknown

_JOINS: Final = (
    "aws:ec2/vpcPeeringConnection:VpcPeeringConnection",
    "aws:ec2transitgateway/vpcAttachment:VpcAttachment",
)
_SCRIPTS: Final = ("userData", "userDataBase64")


def is_declared(launch: LaunchSources, index: Index) -> Known:
    """Return whether any EFA interface is declared."""
    nics = interfaces_of(launch, index)
    if isinstance(nics, Unknown):
        return UNKNOWN
    return any_of(_is_efa(nic) for nic in nics)


def fabric_of(
    resource: Resource, launch: LaunchSources, machines: Sequence[Machine], index: Index
) -> Fabric | None:
    """Return the fabric that a group declares; None when it declares none.

    A raw stack asks by declaring EFA interfaces, or half asks by putting machines that can speak
    EFA into a cluster placement group.
    """
    nics = interfaces_of(launch, index)
    has_fabric = is_declared(launch, index)
    strategy = placement_of(resource, launch, index)
    has_fabric_interfaces = any(machine.fabric_interfaces for machine in machines)
    if has_fabric is not True and not (
        has_fabric_interfaces and (strategy == "cluster" or has_fabric is UNKNOWN)
    ):
        return None
    known_nics: tuple[Any, ...] = () if isinstance(nics, Unknown) else nics
    efa = [nic for nic in known_nics if _is_efa(nic) is not False]
    count = UNKNOWN if isinstance(nics, Unknown) or has_fabric is UNKNOWN else len(efa)
    return Fabric(
        requirement="required" if has_fabric is True else "preferred",
        interfaces=count,
        faults=(
            *rule_faults("fabric-interfaces", network_cards.faults(known_nics, machines, launch)),
            *rule_faults(
                "fabric-cards",
                UNKNOWN
                if isinstance(nics, Unknown)
                else network_cards.card_faults(known_nics, machines),
            ),
        ),
        one_zone=locations.one_zone(resource, launch, index),
        placement=strategy,
        self_ingress=_self_open(resource, launch, efa, "ingress", index),
        self_egress=_self_open(resource, launch, efa, "egress", index),
        public_ip=public_address(resource, launch, index, strict=True),
        driver_image=_driver_image(launch, machines, index),
        sites=_joined_vpcs(resource, launch, index, joins=has_fabric is not True),
        placements=_groups_near(resource, launch, index),
        firewalls=_firewalls(resource, launch, efa, index),
        zone_ids=locations.zone_ids_of(resource, launch, index),
        subnets=locations.subnet_keys(resource, launch, index),
    )


def _joined_vpcs(
    resource: Resource, launch: LaunchSources, index: Index, *, joins: bool
) -> tuple[frozenset[str], ...]:
    """Return the VPCs of machines; empty where one is unknown or may be connected to others.

    `joins` says whether a connection of VPCs helps, which carries no EFA traffic:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-limits
    """
    subnets = locations.subnets_of_machine(resource, launch, index)
    if not (subnets.exact and subnets.certain) or (joins and any(map(index.of_kind, _JOINS))):
        return ()
    vpc_keys = [vpcs.vpc_of(subnet, index) for subnet in subnets.certain]
    known_vpcs = frozenset(vpc for vpc in vpc_keys if vpc is not None)
    return (known_vpcs,) if known_vpcs and None not in vpc_keys else ()


def _firewalls(
    resource: Resource, launch: LaunchSources, efa: Sequence[Any], index: Index
) -> tuple[FabricFirewall, ...]:
    """Return the security groups of EFA interfaces; empty where one is not known."""
    firewalls = (
        *security_groups.interface_group_sets(resource, launch, index, efa),
        *security_groups.added_to(resource, index),
    )
    if not efa or not all(targets.exact and targets.certain for targets in firewalls):
        return ()
    groups_by_urn = {group.urn: group for targets in firewalls for group in targets.certain}

    def peers(direction: traffic.Direction) -> frozenset[str]:
        peer_sets = (
            traffic.open_peers(group, direction, index) for group in groups_by_urn.values()
        )
        return frozenset(chain.from_iterable(peer_sets))

    return (
        FabricFirewall(
            groups=frozenset(groups_by_urn), ingress=peers("ingress"), egress=peers("egress")
        ),
    )


def _groups_near(resource: Resource, launch: LaunchSources, index: Index) -> tuple[str, ...]:
    """Return the placement group of this stack that machines are in; empty if not known."""
    for holder, key, value in _placements(resource, launch):
        targets = index.targets(holder, key, resource_types.PLACEMENT, value)
        return tuple(group.urn for group in targets.certain) if targets.exact else ()
    return ()


def placement_of(resource: Resource, launch: LaunchSources, index: Index) -> str | Unknown | None:
    """Return the placement strategy; None without a placement group."""
    for holder, key, value in _placements(resource, launch):
        group = index.targets(holder, key, resource_types.PLACEMENT, value).only
        return UNKNOWN if group is None else text(group.inputs.get("strategy")) or UNKNOWN
    return UNKNOWN if launch.hidden else None


def placement_name(resource: Resource, launch: LaunchSources) -> str | Unknown | None:
    """Return the placement group that machines name; None without one."""
    placement_names = (text(value) for _, _, value in _placements(resource, launch))
    return next(placement_names, None)


def _placements(resource: Resource, launch: LaunchSources) -> Iterator[tuple[Resource, str, Any]]:
    """Yield each resource that names a placement group, with the input and its value."""
    holders: list[tuple[Resource, str, Any]] = []
    for key in ("placementGroup", "placementGroupId"):
        holders.append((resource, key, resource.inputs.get(key)))
        stated_by, value = launch.stating_layer_and_value(key)
        holders += [] if stated_by is None else [(stated_by, key, value)]
    layer, placement = launch.stating_layer_and_value("placement")
    if layer is not None:
        holders += [(layer, "placement", at(placement, key)) for key in ("groupName", "groupId")]
    yield from (holder for holder in holders if holder[2] not in (None, ""))


def public_address(
    resource: Resource, launch: LaunchSources, index: Index, *, strict: bool = False
) -> Known:
    """Return whether a machine gets a public address, or one of a carrier's network.

    `strict` is EC2's rule for several interfaces: not even the subnet may map one. What a carrier
    gives in a Wavelength Zone is reached from the internet (unverified):
    https://docs.aws.amazon.com/wavelength/latest/developerguide/how-wavelengths-work.html
    """
    nics = interfaces_of(launch, index)
    carried = _has_carrier_address(nics)
    public_ip_flags = [launch.get("associatePublicIpAddress")]
    if not isinstance(nics, Unknown) and nics:
        public_ip_flags = [at(nic, "associatePublicIpAddress") for nic in nics]
    flags = [flag(value) for value in public_ip_flags]
    if True in (*flags, carried):
        return True
    mapped = locations.subnets_of_machine(resource, launch, index).any_target(_maps_public)
    known_nics: tuple[Any, ...] = () if isinstance(nics, Unknown) else nics
    created_nics = [nic for nic in known_nics if standalone_interfaces.owner_of(nic) is None]
    if strict and len(created_nics) > 1 and mapped is True:
        return True
    if isinstance(nics, Unknown) or UNKNOWN in (*flags, carried):
        return UNKNOWN
    return mapped if all(value is None for value in flags) else False


def _has_carrier_address(nics: Sequence[Any] | Unknown) -> Known:
    """Return whether an interface takes an address of a carrier's network."""
    known_nics = () if isinstance(nics, Unknown) else nics
    return any_of(is_on(at(nic, "associateCarrierIpAddress")) for nic in known_nics)


def _maps_public(subnet: Resource) -> Known:
    return is_on(subnet.inputs.get("mapPublicIpOnLaunch"))


def _is_efa(nic: Any) -> Known:
    kind = at(nic, "interfaceType")
    return kind is not None and kind in EFA_KINDS if isinstance(kind, str | None) else UNKNOWN


def _self_open(
    resource: Resource,
    launch: LaunchSources,
    efa: Sequence[Any],
    direction: traffic.Direction,
    index: Index,
) -> Known:
    groups = list(security_groups.interface_group_sets(resource, launch, index, efa))
    verdicts: dict[str, Known] = {}

    def is_self_open(group: Resource) -> Known:
        if group.urn not in verdicts:
            verdicts[group.urn] = traffic.self_open(group, direction, index)
        return verdicts[group.urn]

    # A group that is added later is attached to one interface; it is not stated here to which.
    added = any(
        targets.any_target(is_self_open) is not False
        for targets in security_groups.added_to(resource, index)
    )
    otherwise_open: Known = UNKNOWN if added else False
    return all_of(
        any_of((group_targets.any_target(is_self_open), otherwise_open))
        for group_targets in groups
    )


def _driver_image(launch: LaunchSources, machines: Sequence[Machine], index: Index) -> Known:
    """Return whether the image has drivers; UNKNOWN for an image id, known for AWS's images.

    A start-up script may install what a plain image lacks.
    """
    image = looked_up(launch, index)
    if not machines or image is None:
        return UNKNOWN
    parameter = image.removeprefix(PARAMETER)
    if is_plain(parameter) and not any(launch.get(key) for key in _SCRIPTS):
        return False
    return True if all(has_drivers(parameter, machine) for machine in machines) else UNKNOWN
