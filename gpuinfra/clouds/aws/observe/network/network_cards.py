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
    slots = [_slot(nic) for nic in nics]
    for slot, nic in zip(slots, nics, strict=True):
        if slot.kind == "efa-only":
            yield from _efa_only_faults(slot, nic)
    if launch.get("vpcSecurityGroupIds") and any(at(nic, "securityGroups") for nic in nics):
        yield (
            "security groups are set on the template and on its interfaces; EC2 accepts "
            "only one of the two"
        )
    efa = sum(slot.kind in EFA_KINDS for slot in slots)
    for machine in machines:
        most = machine.fabric_interfaces
        if most is not None and efa > most:
            yield f"{efa} EFA interfaces declared, {machine.type} supports {most}"


def card_faults(nics: Sequence[Any], machines: Sequence[Machine]) -> tuple[str, ...] | Unknown:
    """Return each interface in a slot that is taken, or that the machine lacks.

    UNKNOWN where nothing is wrong with what is known, and not all is.
    """
    slots = [_slot(nic) for nic in nics]
    problems = tuple(
        dict.fromkeys(
            (
                *_duplicate_slot_faults(slots),
                *(fault for machine in machines for fault in _over_limit(slots, machine)),
            )
        )
    )
    has_unknowns = any(
        isinstance(slot.card, Unknown) or isinstance(slot.device, Unknown) for slot in slots
    )
    return UNKNOWN if has_unknowns and not problems else problems


def _slot(nic: Any) -> NicSlot:
    card, device = whole_number(at(nic, "networkCardIndex")), whole_number(at(nic, "deviceIndex"))
    return NicSlot(
        0 if card is None else card,
        0 if device is None else device,
        text(at(nic, "interfaceType")) or "interface",
    )


def _efa_only_faults(slot: NicSlot, nic: Any) -> Iterator[str]:
    """Yield the settings that an efa-only interface can't have: an address, or the first slot."""
    if (slot.card, slot.device) == (0, 0):
        yield (
            f"{slot.slot_text}: the first interface can't be efa-only, because efa-only has no "
            "IP address"
        )
    stated_keys = [key for key in _NO_ADDRESS if at(nic, key)]
    if flag(at(nic, "associatePublicIpAddress")) is True:
        stated_keys.append("associatePublicIpAddress")
    for key in stated_keys:
        yield f"{slot.slot_text}: an efa-only interface can't have {key}"


def _duplicate_slot_faults(slots: Sequence[NicSlot]) -> Iterator[str]:
    used_slots: set[tuple[int, int]] = set()
    efa_cards: set[int] = set()
    for slot in slots:
        if isinstance(slot.card, Unknown) or isinstance(slot.device, Unknown):
            continue
        if (slot.card, slot.device) in used_slots:
            yield f"{slot.slot_text}: declared twice"
        used_slots.add((slot.card, slot.device))
        if slot.kind in EFA_KINDS:
            if slot.card in efa_cards:
                yield f"{slot.slot_text}: a second EFA interface on the same card"
            efa_cards.add(slot.card)


def _over_limit(slots: Sequence[NicSlot], machine: Machine) -> Iterator[str]:
    """Yield each interface beyond the cards of a machine, or beyond a card's limit."""
    cards, limits = machine.network_cards, machine.interfaces_per_card
    most = machine.fabric_interfaces
    for slot in slots:
        if isinstance(slot.card, Unknown):
            continue
        if cards is not None and slot.card >= cards:
            yield f"{slot.slot_text}: {machine.type} has cards 0 to {cards - 1}"
            continue
        if limits is None or isinstance(slot.device, Unknown) or slot.card >= len(limits):
            continue
        if slot.device >= limits[slot.card]:
            last = limits[slot.card] - 1
            yield f"{slot.slot_text}: card {slot.card} of {machine.type} has devices 0 to {last}"
        if most and cards and most < cards and slot.card == 0 and slot.kind in EFA_KINDS:
            yield f"{slot.slot_text}: card 0 of {machine.type} does not support EFA"
