"""The machine is sold in the requested region and purchase mode."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds import provider_of
from gpuinfra.model import NOWHERE, Group, Machine, Unknown
from gpuinfra.rules.price_unknown import REGION_FIX
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    RuleInput,
    each_group,
    fine,
    not_applicable,
    not_knowable,
    violated,
)
from gpuinfra.rules.spot_machines import required_purchase_modes

SOLD_AS: Final = {
    "on-demand": "on demand",
    "spot": "on spot",
    "capacity-block": "in capacity blocks",
    "reservation": "from a reservation",
    "calendar": "in calendar mode",
    "flex-start": "by flex-start",
    "reserved": "on a commitment",
}


def _group(group: Group, rule_input: RuleInput) -> Finding:
    required_modes = required_purchase_modes(group)
    machines = [
        machine_type
        for machine_type in rule_input.machine_types(group)
        if machine_type is not None
    ]
    if not machines:
        return not_applicable(group.subject, "its machine types are unknown")
    if isinstance(required_modes, Unknown):
        return not_knowable(group.subject, "the purchase option is not known yet")
    wrong = [
        fault for machine in machines for fault in _not_offered(machine, group, required_modes)
    ]
    if wrong:
        reasons, fixes = (dict.fromkeys(texts) for texts in zip(*wrong, strict=True))
        return violated(group.subject, "; ".join(reasons), fix="; ".join(fixes))
    if group.rung.region == NOWHERE:
        return not_knowable(group.subject, "its region is not known", fix=REGION_FIX)
    open_ = [
        reason_text
        for machine in machines
        for reason_text in _unknown_offers(machine, group, required_modes)
    ]
    open_ += [
        f"unknown machine type {name}"
        for name, machine in rule_input.named_machines(group)
        if machine is None and not _is_ordinary(name, group)
    ]
    if open_:
        return not_knowable(group.subject, "; ".join(open_))
    return fine(
        group.subject,
        f"its machines are offered {_modes_text(required_modes[0])} in {group.rung.region}",
    )


def _not_offered(
    machine: Machine, group: Group, required_modes: tuple[tuple[str, ...], ...]
) -> Iterator[tuple[str, str]]:
    """Yield what is not offered, with the fix: purchase modes and zones.

    One mode of each tuple is required. Zones count where others of the region offer the machine.
    """
    sold = machine.usage_classes
    for any_of in required_modes:
        if sold and not {*any_of} & {*sold}:
            offered = _modes_text(sold)
            reason = f"{machine.type} is not offered {_modes_text(any_of)}, only {offered}"
            yield reason, f"buy {machine.type} {offered}, or use another machine type"
    zones, region = group.rung.zones, group.rung.region
    offering = provider_of(group.cloud).regions.offering(machine.type, region)
    are_zones_known = {*zones} <= {*provider_of(group.cloud).regions.zones(region)}
    if zones and are_zones_known and offering and {*zones}.isdisjoint(offering):
        others = ", ".join(offering)
        reason = f"{machine.type} is not offered in {', '.join(zones)}, only in {others}"
        yield reason, f"use the zone {' or '.join(offering)}, or another machine type"


def _unknown_offers(
    machine: Machine, group: Group, required_modes: tuple[tuple[str, ...], ...]
) -> Iterator[str]:
    """Yield what is unknown from both the machine table and the price list."""
    region = group.rung.region
    if machine.regions and region not in machine.regions:
        yield f"it is unknown whether {machine.type} is offered in {region}"
    zones = provider_of(group.cloud).regions.zones(region)
    unlisted = [zone for zone in group.rung.zones if zones and zone not in zones]
    if unlisted:
        yield f"it is unknown whether {region} has the zone {', '.join(unlisted)}"
    prices = provider_of(group.cloud).prices
    for any_of in () if machine.usage_classes else required_modes:
        if not any(prices.rows(machine.type, region, mode) for mode in any_of):
            yield (
                f"it is unknown whether {machine.type} is offered {_modes_text(any_of)} "
                f"in {region}"
            )


def _is_ordinary(name: str, group: Group) -> bool:
    """Return whether a type has no GPU and has a price in the group's region."""
    return bool(provider_of(group.cloud).prices.cpu.rows(name, group.rung.region))


def _modes_text(modes: tuple[str, ...]) -> str:
    return " or ".join(SOLD_AS.get(mode, mode) for mode in modes)


RULE = Rule(
    id="market-offered",
    family="spot",
    title="Machine types are offered with the chosen purchase option",
    why="Some machine types are offered only in blocks or only on spot; the cloud refuses "
    "the launch otherwise.",
    fix="use a purchase option and a zone in which it is offered, or another machine type",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceTypeInfo.html",
    check=lambda judged, _: each_group(judged, lambda group: _group(group, judged)),
    alone=True,
)
