"""Workloads on spot: those counted at the on-demand price, and those whose spot price is that."""

from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from typing import Final

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog import ceiling as dearest
from gpuinfra.catalog.fact_age import days_text
from gpuinfra.catalog.rates import SPOT, spot_rate
from gpuinfra.clouds import provider_of
from gpuinfra.cost.machines import rate
from gpuinfra.cost.quote import Line, Quote
from gpuinfra.model import Group, Price
from gpuinfra.units import format_count, format_money, format_unit_price

_MOST_REGIONS: Final = 3
"""The number of cheaper regions that a note names."""


def no_saving_notes(groups: tuple[Group, ...], prices: PriceBook, day: date) -> Iterator[str]:
    """Yield a note for each group whose known spot price is at least the on-demand price."""
    for group in groups:
        if group.rung.capacity != "spot":
            continue
        spot = rate(group, group.rung, "spot", prices, day)
        listed = prices.spot_ceiling(group.cloud, spot.machine, group.rung.region)
        if spot.spot is None or listed is None or dearest(spot.spot) < dearest(listed):
            continue
        price = f"{format_money(dearest(spot.spot))} of {days_text(spot.spot.as_of)}"
        below = _cheaper_regions(group, spot.machine, dearest(listed), prices, day)
        cheaper = f"; cheaper: {below}" if below else ""
        subject = f"spot {spot.machine} in {group.rung.region}"
        where = _zones_text(spot.spot, dearest(listed), group.rung.zones, prices)
        yield f"{group.name}: {subject} is no cheaper than on demand ({price}){where}{cheaper}"


def _zones_text(counted: Price, limit: Decimal, zones: tuple[str, ...], prices: PriceBook) -> str:
    """Return which zones cost as much as on demand, and the range of the others; or ""."""
    key = (counted.cloud, counted.item, counted.region)
    rows = [
        row for row in prices.spot_rows(*key, zones) if row.zone and row.as_of == counted.as_of
    ]
    dear = sorted(row.zone or "" for row in rows if dearest(row) >= limit)
    others = sorted(dearest(row) for row in rows if dearest(row) < limit)
    if not dear or not others:
        return ""
    span = " to ".join(dict.fromkeys(format_money(price) for price in (others[0], others[-1])))
    counted_text = f" in {' and '.join(dear)}, and the most expensive zone counts"
    return f"{counted_text}; {span} in {format_count(len(others), 'other zone')}"


def maximum_notes(quote: Quote) -> Iterator[str]:
    """Yield that a spot machine is counted at its on-demand price, and what it costs on spot."""
    for rung in quote.rungs:
        spot = [line for line in rung.machines if line.kind == SPOT]
        is_limited = rung.rung.max_price is not None or rung.skip_reason is not None
        if is_limited or all(line.expected_per_hour == line.per_hour for line in spot):
            continue
        counted_text = f"{rung.rung.machine} is counted at its on-demand price"
        reason = f"the most that spot costs without max_price{_today(spot)}"
        yield f"{rung.group}, {rung.rung.label}: {counted_text}, {reason}"


def _today(lines: Iterable[Line]) -> str:
    """Return the last known spot price of a rung's machine; empty if it is unknown."""
    for line in lines:
        is_size_fixed = line.per_hour == line.minimum_per_hour
        if is_size_fixed and line.quantity and line.expected_per_hour and line.expected_as_of:
            price = format_unit_price(line.expected_per_hour / line.quantity)
            return f"; its spot price was {price}, of {days_text(line.expected_as_of)}"
    return ""


def cheaper_region_fixes(
    groups: tuple[Group, ...], prices: PriceBook, day: date
) -> Iterator[tuple[str, str]]:
    """Yield the name of each group whose machine is cheaper in other regions, and the fix.

    A spot machine counts at its max_price, without one at the price on demand.
    """
    for group in groups:
        if group.rung.capacity not in ("spot", "on-demand") or group.machines:
            continue
        is_spot = group.rung.capacity == "spot"
        now = rate(group, group.rung, group.rung.capacity, prices, day)
        limit = now.expected if is_spot else now.ceiling
        if limit is None:
            continue
        below = _cheaper_regions(group, now.machine, limit, prices, day)
        bound = " with max_price set" if is_spot else ""
        if below:
            yield group.name, f"move {group.name} to a cheaper region{bound} ({below}), "


def _cheaper_regions(
    group: Group, machine: str, limit: Decimal, prices: PriceBook, day: date
) -> str:
    """Return the regions of the cloud with the lowest prices below a limit; or "".

    The prices are those of spot machines, or on demand, as the group is bought.
    """
    known = provider_of(group.cloud).machines.get(machine)
    regions = () if known is None else known.regions
    is_spot = group.rung.capacity == "spot"

    def price(region: str) -> Decimal | None:
        if is_spot:
            return spot_rate((group.cloud, machine, region), prices, day=day).expected
        listed = prices.on_demand(group.cloud, machine, region)
        return None if listed is None else dearest(listed)

    rates = {region: price(region) for region in regions}
    below = sorted((price, region) for region, price in rates.items() if price and price < limit)
    return ", ".join(f"{region} {format_money(price)}" for price, region in below[:_MOST_REGIONS])
