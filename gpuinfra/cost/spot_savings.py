"""Workloads on spot whose spot price is no lower than on demand, with cheaper regions."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Final

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog import ceiling as dearest
from gpuinfra.catalog.rates import spot_rate
from gpuinfra.clouds import provider_of
from gpuinfra.cost.machines import rate
from gpuinfra.model import Group
from gpuinfra.units import format_money

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
        price = f"{format_money(dearest(spot.spot))} {_when(spot.spot.as_of)}"
        cheaper = _cheaper_regions(group, spot.machine, dearest(listed), prices, day)
        subject = f"spot {spot.machine} in {group.rung.region}"
        yield f"{group.name}: {subject} is no cheaper than on demand ({price}){cheaper}"


def _when(as_of: str) -> str:
    """Return a day, or an interval's first and last day, as text."""
    first, _, last = as_of.partition("/")
    return f"between {first} and {last}" if last else f"on {first}"


def _cheaper_regions(
    group: Group, machine: str, limit: Decimal, prices: PriceBook, day: date
) -> str:
    """Return the regions of the cloud with the lowest spot prices below a limit; or ""."""
    known = provider_of(group.cloud).machines.get(machine)
    regions = () if known is None else known.regions
    rates = {
        region: spot_rate((group.cloud, machine, region), prices, day=day).expected
        for region in regions
    }
    below = sorted((price, region) for region, price in rates.items() if price and price < limit)
    cheapest = [f"{region} {format_money(price)}" for price, region in below[:_MOST_REGIONS]]
    return f"; cheaper: {', '.join(cheapest)}" if cheapest else ""
