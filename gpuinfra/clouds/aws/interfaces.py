"""The layout of a machine's network interfaces on its cards, as pure values."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Literal

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.model import Machine
from gpuinfra.records import record

EfaLayout = Literal["standard", "most-ip", "fewest-ip", "classic"]


@record
class Nic:
    """One network interface of a machine; `device` counts per card."""

    card: int
    device: int
    kind: Literal["interface", "efa", "efa-only"]


def nic_layout(
    machine: Machine, *, fabric: bool, layout: EfaLayout = "standard"
) -> tuple[Nic, ...]:
    """Return a machine's interfaces: one for IP and, with `fabric`, one EFA interface per card.

    In the current advice of AWS, `standard`, card 0 carries the IP interface as device 0; EFA
    interfaces carry no address (efa-only). `fewest-ip` is the same by its name in that advice: one
    address a machine. `most-ip` has further IP interfaces on the cards that give all of the
    machine's IP bandwidth. `classic` has EFA interfaces that carry an address each; it is all that
    a machine takes whose card 0 has a single interface (hpc6id). Where a machine has fewer EFA
    interfaces than cards, card 0 has none (p6-b300):
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html

    Raises:
        ValueError: a fabric is asked of a machine whose EFA interfaces are none or not known, or
            `most-ip` of one whose cards are not known.
    """
    first = Nic(card=0, device=0, kind="interface")
    if not fabric:
        return (first,)
    interfaces, cards = machine.fabric_interfaces, machine.network_cards
    if not interfaces or not cards:
        raise ValueError(f"no EFA interfaces of {machine.type} are known")
    on_cards = range(0 if interfaces >= cards else cards - interfaces, cards)
    if layout == "classic" or _takes_one_interface(machine, 0):
        return _classic(machine, on_cards)
    efa = (Nic(card=card, device=1 if card == 0 else 0, kind="efa-only") for card in on_cards)
    return (first, *efa, *(_additional_nics(machine) if layout == "most-ip" else ()))


def layout_fault(machine: Machine, layout: EfaLayout) -> str:
    """Return why a machine does not support a layout; empty when it does."""
    if layout == "most-ip" and machine.type not in _ip_cards():
        return (
            f"the network cards of {machine.type} that carry IP bandwidth are unknown; "
            f"known for {', '.join(sorted(_ip_cards()))}"
        )
    return ""


def ena_express_fault(machine: Machine) -> str:
    """Return why a machine has no ENA Express; empty when it has.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ena-express.html
    """
    ena_express = _ena_express().get(machine.type)
    if ena_express:
        return ""
    return (
        f"{machine.type} doesn't support it"
        if ena_express is False
        else f"it is unknown whether {machine.type} supports it"
    )


def addresses(nics: Iterable[Nic]) -> int:
    """Return how many subnet addresses the interfaces of one machine take."""
    return sum(nic.kind != "efa-only" for nic in nics)


def _classic(machine: Machine, on_cards: range) -> tuple[Nic, ...]:
    """Return EFA interfaces with addresses; card 0 has the first, or a plain IP interface.

    On a card for a single interface the device is 0: aws-parallelcluster, launch_template_utils.py
    """
    first = Nic(card=0, device=0, kind="efa" if 0 in on_cards else "interface")
    other_interfaces = (
        Nic(card=card, device=0 if _takes_one_interface(machine, card) else 1, kind="efa")
        for card in on_cards
        if card
    )
    return (first, *other_interfaces)


def _takes_one_interface(machine: Machine, card: int) -> bool:
    """Return whether a card takes a single interface."""
    return (machine.interfaces_per_card or ())[card : card + 1] == (1,)


def _additional_nics(machine: Machine) -> Iterator[Nic]:
    """Yield the IP interfaces of the layout `most-ip` after the first."""
    cards = _ip_cards().get(machine.type)
    if cards is None:
        raise ValueError(layout_fault(machine, "most-ip"))
    for card in cards:
        if card:
            yield Nic(card=card, device=1, kind="interface")


@cache
def _ip_cards() -> Mapping[str, tuple[int, ...]]:
    return {row["type"]: tuple(row["cards"]) for row in TABLES.rows("ip_cards")}


@cache
def _ena_express() -> Mapping[str, bool]:
    return {row["type"]: row["ena_express"] for row in TABLES.rows("interfaces")}
