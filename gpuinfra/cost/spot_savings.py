"""Workloads on spot: those counted at the on-demand price, and those whose spot price is that."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import islice
from typing import Final

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog import ceiling as dearest
from gpuinfra.catalog.fact_age import days_text
from gpuinfra.catalog.rates import SPOT, spot_rate
from gpuinfra.clouds import provider_of
from gpuinfra.cost.machines import rate
from gpuinfra.cost.pricing_terms import PricingTerms
from gpuinfra.cost.quote import Line, Quote
from gpuinfra.model import Group, Plan, Price
from gpuinfra.units import format_count, format_money, format_unit_price

_MOST_REGIONS: Final = 3
"""The number of cheaper regions that a note names."""

_MOST_MOVES: Final = 3
"""The number of workloads whose move to another region is priced."""


def no_saving_notes(groups: tuple[Group, ...], prices: PriceBook, day: date) -> Iterator[str]:
    """Yield a note for each group whose known spot price is at least the on-demand price."""
    for group in groups:
        if group.rung.capacity != "spot":
            continue
        spot = rate(group, group.rung, "spot", prices, day)
        spot_ceiling = prices.spot_ceiling(group.cloud, spot.machine, group.rung.region)
        if spot.spot is None or spot_ceiling is None or dearest(spot.spot) < dearest(spot_ceiling):
            continue
        price = f"{format_money(dearest(spot.spot))} of {days_text(spot.spot.as_of)}"
        cheaper_regions = _regions_below(group, spot.machine, dearest(spot_ceiling), prices, day)
        cheaper = f"; cheaper: {_price_list(cheaper_regions)}" if cheaper_regions else ""
        subject = f"spot {spot.machine} in {group.rung.region}"
        where = _zones_text(spot.spot, dearest(spot_ceiling), group.rung.zones, prices)
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


def cheaper_region_fix(plan: Plan, terms: PricingTerms, is_enough: Callable[[Plan], bool]) -> str:
    """Return a fix that moves one workload to a cheaper region; "" where no such move is enough.

    A spot machine counts at its max_price, without one at the price on demand.

    Args:
        plan: on its active rungs.
        terms: on which it is priced.
        is_enough: whether the caps allow a plan.
    """
    moves = ((group, *_cheaper_regions(group, terms)) for group in plan.groups)
    for group, is_bid, below in islice((move for move in moves if move[-1]), _MOST_MOVES):
        enough = [
            (price, region)
            for price, region in below
            if is_enough(_moved(plan, group, region, price if is_bid else None))
        ]
        if enough:
            bound = " with max_price set" if is_bid else ""
            listed = f"per machine and hour: {_price_list(enough)}"
            return f"move {group.name} to a cheaper region{bound} ({listed}), "
    return ""


def _cheaper_regions(
    group: Group, terms: PricingTerms
) -> tuple[bool, Sequence[tuple[Decimal, str]]]:
    """Return whether a max_price bounds the machines, and the regions with lower prices."""
    if group.rung.capacity not in ("spot", "on-demand") or group.machines:
        return False, ()
    now = rate(group, group.rung, group.rung.capacity, terms.prices, terms.as_of)
    is_bid = group.rung.capacity == "spot" and provider_of(group.cloud).takes_spot_maximum
    limit = now.expected if is_bid else now.ceiling
    if limit is None:
        return is_bid, ()
    day = terms.as_of if is_bid else None
    return is_bid, _regions_below(group, now.machine, limit, terms.prices, day)


def _moved(plan: Plan, group: Group, region: str, max_price: Decimal | None) -> Plan:
    """Return the plan with the active rung of a group in another region."""
    rung = replace(group.rung, region=region, zones=(), max_price=max_price)
    rungs = (*group.rungs[: group.active_rung], rung, *group.rungs[group.active_rung + 1 :])
    moved = replace(group, rungs=rungs)
    return replace(plan, groups=tuple(moved if each is group else each for each in plan.groups))


def _regions_below(
    group: Group, machine: str, limit: Decimal, prices: PriceBook, spot_day: date | None
) -> Sequence[tuple[Decimal, str]]:
    """Return the regions of the cloud with the lowest prices below a limit.

    The prices are those of spot machines on a day, without a day those on demand.
    """
    known = provider_of(group.cloud).machines.get(machine)
    regions = () if known is None else known.regions

    def price(region: str) -> Decimal | None:
        if spot_day is not None:
            return spot_rate((group.cloud, machine, region), prices, day=spot_day).expected
        listed = prices.on_demand(group.cloud, machine, region)
        return None if listed is None else dearest(listed)

    rates = {region: price(region) for region in regions}
    below = sorted((price, region) for region, price in rates.items() if price and price < limit)
    return below[:_MOST_REGIONS]


def _price_list(regions: Sequence[tuple[Decimal, str]]) -> str:
    return ", ".join(f"{region} {format_money(price)}" for price, region in regions)
