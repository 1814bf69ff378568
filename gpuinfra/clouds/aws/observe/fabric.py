"""The fabric that resources declare: EFA interfaces, zone, placement, open group, addresses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpuinfra.clouds.aws.images import has_drivers
from gpuinfra.clouds.aws.observe import kinds, places, traffic
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import interfaces_of, security_groups
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.values import all_of, any_of, at, flag, text, whole
from gpuinfra.model import UNKNOWN, Fabric, Known, Machine, Resource, Unknown

EFA_KINDS: Final = frozenset({"efa", "efa-only"})
_NO_ADDRESS: Final = (
    "ipv4AddressCount",
    "ipv4Addresses",
    "ipv4PrefixCount",
    "ipv6AddressCount",
    "ipv6Addresses",
    "ipv6PrefixCount",
    "privateIpAddress",
)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an interface sits on a machine, and whether it speaks EFA."""

    card: int | Unknown
    device: int | Unknown
    kind: str | Unknown

    @property
    def words(self) -> str:
        """The interface as a message calls it."""
        return f"interface {self.device} of card {self.card} ({self.kind})"


def is_declared(launch: Layers) -> Known:
    """Say whether any EFA interface is declared."""
    nics = interfaces_of(launch)
    if isinstance(nics, Unknown):
        return UNKNOWN
    return any_of(_is_efa(nic) for nic in nics)


def fabric_of(
    resource: Resource, launch: Layers, machines: Sequence[Machine], index: Index
) -> Fabric | None:
    """Return the fabric a group declares; None when it asks for none.

    A raw stack asks by declaring EFA interfaces, or half asks by putting machines that can speak
    EFA into a cluster placement group.
    """
    nics = interfaces_of(launch)
    declared = is_declared(launch)
    strategy = placement_of(resource, launch, index)
    capable = any(machine.fabric_interfaces for machine in machines)
    if declared is not True and not (capable and (strategy == "cluster" or declared is UNKNOWN)):
        return None
    seen: tuple[Any, ...] = () if isinstance(nics, Unknown) else nics
    efa = [nic for nic in seen if _is_efa(nic) is not False]
    count = UNKNOWN if isinstance(nics, Unknown) or declared is UNKNOWN else len(efa)
    return Fabric(
        wish="required" if declared is True else "preferred",
        interfaces=count,
        faults=tuple(_faults(seen, machines, launch)),
        one_zone=places.one_zone(resource, index),
        placement=strategy,
        self_ingress=_self_open(launch, efa, "ingress", index),
        self_egress=_self_open(launch, efa, "egress", index),
        public_ip=public_address(resource, launch, index, strict=True),
        driver_image=_driver_image(launch, machines),
    )


def placement_of(resource: Resource, launch: Layers, index: Index) -> str | Unknown | None:
    """Return the placement strategy; None without a placement group."""
    holders: list[tuple[Resource, str, Any]] = [
        (resource, key, resource.inputs.get(key)) for key in ("placementGroup", "placementGroupId")
    ]
    layer, placement = launch.stated("placement")
    if layer is not None:
        holders += [(layer, "placement", at(placement, key)) for key in ("groupName", "groupId")]
    for holder, key, value in holders:
        if value is None or value == "":
            continue
        found = index.targets(holder, key, kinds.PLACEMENT, value)
        if not found.exact or len(found.certain) != 1:
            return UNKNOWN
        return text(found.certain[0].inputs.get("strategy")) or UNKNOWN
    return UNKNOWN if launch.hidden else None


def public_address(
    resource: Resource, launch: Layers, index: Index, *, strict: bool = False
) -> Known:
    """Say whether a machine gets a public address.

    `strict` is EC2's rule for several interfaces: not even the subnet may map one.
    """
    nics = interfaces_of(launch)
    written = [launch.get("associatePublicIpAddress")]
    if not isinstance(nics, Unknown) and nics:
        written = [at(nic, "associatePublicIpAddress") for nic in nics]
    said = [flag(value) for value in written]
    if True in said:
        return True
    mapped = places.subnets_of(resource, index).some(_maps_public)
    if strict and len(said) > 1 and mapped is True:
        return True
    if isinstance(nics, Unknown) or UNKNOWN in said:
        return UNKNOWN
    return mapped if all(value is None for value in said) else False


def _maps_public(subnet: Resource) -> Known:
    value = flag(subnet.inputs.get("mapPublicIpOnLaunch"))
    return False if value is None else value


def _is_efa(nic: Any) -> Known:
    kind = at(nic, "interfaceType")
    return kind is not None and kind in EFA_KINDS if isinstance(kind, str | None) else UNKNOWN


def _self_open(launch: Layers, efa: Sequence[Any], way: traffic.Way, index: Index) -> Known:
    groups = [security_groups(launch, index, nic) for nic in efa]
    groups = groups or [security_groups(launch, index)]
    verdicts: dict[str, Known] = {}

    def opens(group: Resource) -> Known:
        if group.urn not in verdicts:
            verdicts[group.urn] = traffic.self_open(group, way, index)
        return verdicts[group.urn]

    return all_of(each.some(opens) for each in groups)


def _driver_image(launch: Layers, machines: Sequence[Machine]) -> Known:
    """An image id hides what is in it; a reference to an image of AWS's own does not."""
    image = launch.get("imageId") or launch.get("ami")
    if not machines or not isinstance(image, str) or not image.startswith("resolve:ssm:"):
        return UNKNOWN
    parameter = image.removeprefix("resolve:ssm:")
    return True if all(has_drivers(parameter, machine) for machine in machines) else UNKNOWN


def _spot(nic: Any) -> Spot:
    card, device = whole(at(nic, "networkCardIndex")), whole(at(nic, "deviceIndex"))
    return Spot(
        0 if card is None else card,
        0 if device is None else device,
        text(at(nic, "interfaceType")) or "interface",
    )


def _faults(nics: Sequence[Any], machines: Sequence[Machine], launch: Layers) -> Iterator[str]:
    """Name what EC2 would refuse (clouds table A2, A9), each with the machine's own numbers."""
    spots = [_spot(nic) for nic in nics]
    yield from _shape_faults(spots, nics)
    if launch.get("vpcSecurityGroupIds") and any(at(nic, "securityGroups") for nic in nics):
        yield "security groups stand on the template and on its interfaces; EC2 takes one place"
    for machine in machines:
        yield from _machine_faults(spots, machine)


def _shape_faults(spots: Sequence[Spot], nics: Sequence[Any]) -> Iterator[str]:
    taken: set[tuple[int, int]] = set()
    efa_cards: set[int] = set()
    for spot, nic in zip(spots, nics, strict=True):
        if spot.kind == "efa-only" and (spot.card, spot.device) == (0, 0):
            yield f"{spot.words}: the first interface can't be efa-only, it carries no IP"
        if spot.kind == "efa-only":
            given = [key for key in _NO_ADDRESS if at(nic, key)]
            given += ["associatePublicIpAddress"] if _is_public(nic) else []
            for key in given:
                yield f"{spot.words}: an efa-only interface takes no {key}"
        if isinstance(spot.card, Unknown) or isinstance(spot.device, Unknown):
            continue
        if (spot.card, spot.device) in taken:
            yield f"{spot.words}: declared twice"
        taken.add((spot.card, spot.device))
        if spot.kind in EFA_KINDS:
            if spot.card in efa_cards:
                yield f"{spot.words}: a second EFA interface on one card"
            efa_cards.add(spot.card)


def _is_public(nic: Any) -> bool:
    return flag(at(nic, "associatePublicIpAddress")) is True


def _machine_faults(spots: Sequence[Spot], machine: Machine) -> Iterator[str]:
    cards, limits = machine.network_cards, machine.interfaces_per_card
    efa = sum(spot.kind in EFA_KINDS for spot in spots)
    most = machine.fabric_interfaces
    if most is not None and efa > most:
        yield f"{efa} EFA interfaces declared, {machine.type} takes {most}"
    for spot in spots:
        if isinstance(spot.card, Unknown):
            continue
        if cards is not None and spot.card >= cards:
            yield f"{spot.words}: {machine.type} has cards 0 to {cards - 1}"
            continue
        if limits is None or isinstance(spot.device, Unknown) or spot.card >= len(limits):
            continue
        if spot.device >= limits[spot.card]:
            last = limits[spot.card] - 1
            yield f"{spot.words}: card {spot.card} of {machine.type} takes devices 0 to {last}"
        if most and cards and most < cards and spot.card == 0 and spot.kind in EFA_KINDS:
            yield f"{spot.words}: card 0 of {machine.type} speaks no EFA"
