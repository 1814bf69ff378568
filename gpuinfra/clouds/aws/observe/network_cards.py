"""The interfaces of a machine that EC2 refuses, by kind and by network card."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import at, flag, text, whole_number
from gpuinfra.model import UNKNOWN, Machine, Unknown
from gpuinfra.records import record

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


@record(kw_only=False)
class NicSlot:
    """The card and the device of an interface on a machine, and its kind."""

    card: int | Unknown
    device: int | Unknown
    kind: str | Unknown

    @property
    def slot_text(self) -> str:
        """The name of the interface in messages."""
        return f"interface {self.device} of card {self.card} ({self.kind})"


def faults(
    nics: Sequence[Any], machines: Sequence[Machine], launch: LaunchSources
) -> Iterator[str]:
    """Yield the faults in the number and the kinds of interfaces."""
    spots = [_spot(nic) for nic in nics]
    for spot, nic in zip(spots, nics, strict=True):
        if spot.kind == "efa-only":
            yield from _efa_only_faults(spot, nic)
    if launch.get("vpcSecurityGroupIds") and any(at(nic, "securityGroups") for nic in nics):
        yield (
            "security groups are set on the template and on its interfaces; EC2 accepts "
            "only one of the two"
        )
    efa = sum(spot.kind in EFA_KINDS for spot in spots)
    for machine in machines:
        most = machine.fabric_interfaces
        if most is not None and efa > most:
            yield f"{efa} EFA interfaces declared, {machine.type} supports {most}"


def card_faults(nics: Sequence[Any], machines: Sequence[Machine]) -> tuple[str, ...] | Unknown:
    """Return each interface in a slot that is taken, or that the machine lacks (A2).

    UNKNOWN where nothing is wrong with what is known, and not all is.
    """
    spots = [_spot(nic) for nic in nics]
    problems = tuple(
        dict.fromkeys(
            (
                *_duplicate_slot_faults(spots),
                *(fault for machine in machines for fault in _over_limit(spots, machine)),
            )
        )
    )
    hidden = any(
        isinstance(spot.card, Unknown) or isinstance(spot.device, Unknown) for spot in spots
    )
    return UNKNOWN if hidden and not problems else problems


def _spot(nic: Any) -> NicSlot:
    card, device = whole_number(at(nic, "networkCardIndex")), whole_number(at(nic, "deviceIndex"))
    return NicSlot(
        0 if card is None else card,
        0 if device is None else device,
        text(at(nic, "interfaceType")) or "interface",
    )


def _efa_only_faults(spot: NicSlot, nic: Any) -> Iterator[str]:
    """Yield the settings that an efa-only interface can't have: an address, or the first slot."""
    if (spot.card, spot.device) == (0, 0):
        yield (
            f"{spot.slot_text}: the first interface can't be efa-only, because efa-only has no "
            "IP address"
        )
    given = [key for key in _NO_ADDRESS if at(nic, key)]
    if flag(at(nic, "associatePublicIpAddress")) is True:
        given.append("associatePublicIpAddress")
    for key in given:
        yield f"{spot.slot_text}: an efa-only interface can't have {key}"


def _duplicate_slot_faults(spots: Sequence[NicSlot]) -> Iterator[str]:
    taken: set[tuple[int, int]] = set()
    efa_cards: set[int] = set()
    for spot in spots:
        if isinstance(spot.card, Unknown) or isinstance(spot.device, Unknown):
            continue
        if (spot.card, spot.device) in taken:
            yield f"{spot.slot_text}: declared twice"
        taken.add((spot.card, spot.device))
        if spot.kind in EFA_KINDS:
            if spot.card in efa_cards:
                yield f"{spot.slot_text}: a second EFA interface on the same card"
            efa_cards.add(spot.card)


def _over_limit(spots: Sequence[NicSlot], machine: Machine) -> Iterator[str]:
    """Yield each interface beyond the cards of a machine, or beyond a card's limit."""
    cards, limits = machine.network_cards, machine.interfaces_per_card
    most = machine.fabric_interfaces
    for spot in spots:
        if isinstance(spot.card, Unknown):
            continue
        if cards is not None and spot.card >= cards:
            yield f"{spot.slot_text}: {machine.type} has cards 0 to {cards - 1}"
            continue
        if limits is None or isinstance(spot.device, Unknown) or spot.card >= len(limits):
            continue
        if spot.device >= limits[spot.card]:
            last = limits[spot.card] - 1
            yield f"{spot.slot_text}: card {spot.card} of {machine.type} has devices 0 to {last}"
        if most and cards and most < cards and spot.card == 0 and spot.kind in EFA_KINDS:
            yield f"{spot.slot_text}: card 0 of {machine.type} does not support EFA"
