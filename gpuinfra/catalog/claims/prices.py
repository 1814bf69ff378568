"""The checks of claims about prices, which read the current tables."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.claims.verdict import ClaimVerdict, Outcome, share, unknown, verdict_from
from gpuinfra.catalog.machine_listing import cheapest
from gpuinfra.catalog.price_book import CATALOG, CURRENCY, ceiling
from gpuinfra.catalog.price_row_choice import effective_price
from gpuinfra.clouds import all_machines, priced_cloud_of
from gpuinfra.model import Machine, Price
from gpuinfra.units import format_percent, format_unit_price

ROUNDING_TOLERANCE: Final = Decimal("0.005")
"""The maximum difference of two figures that were rounded from the same value."""

TENTH: Final = Decimal("0.1")


def price(
    cloud: str,
    item: str,
    region: str,
    mode: str,
    per_unit: str,
    units: int = 1,
    currency: str = CURRENCY,
) -> ClaimVerdict:
    """Judge whether units of an item have the claimed price in a region and currency."""
    row = effective_price(cloud, item, region, mode)
    if row is None:
        return unknown(CATALOG.why_unpriced(cloud, item, region, mode))
    total = row.per_unit * units
    is_near = abs(total - Decimal(per_unit)) <= ROUNDING_TOLERANCE * Decimal(per_unit)
    is_same_price = is_near and row.currency == currency
    per = f"per {row.unit}" if units == 1 else f"for {units:,} {row.unit}s"
    statement = f"{format_unit_price(total, row.currency)} {per} in {region}"
    return verdict_from("right" if is_same_price else "wrong", statement, (row,))


def offer(gpus: Sequence[str], count: int, per_hour: str, tolerance: str) -> ClaimVerdict:
    """Judge whether machines with this many GPUs cost about the claim, in each priced region."""
    rows = [
        row
        for machine in all_machines()
        if machine.gpu in gpus and machine.gpu_count == count and machine.status == "current"
        for row in _on_demand_prices(machine)
    ]
    if not rows:
        return unknown(
            f"no machine type with {count} of these GPUs has a known price in US dollars"
        )
    rows.sort(key=lambda row: (row.per_unit, row.cloud, row.item, row.region))
    slack, target = Decimal(tolerance), Decimal(per_hour)
    matching_rows = [row for row in rows if abs(row.per_unit - target) <= slack * target]
    ends = " to ".join(
        f"{format_unit_price(row.per_unit)}/h ({row.cloud} {row.item} in {row.region})"
        for row in (rows[0], rows[-1])
    )
    statement = (
        f"{len(matching_rows)} of {len(rows)} prices are within {format_percent(slack)} of it"
    )
    if matching_rows:
        statement += f" ({', '.join(dict.fromkeys(row.item for row in matching_rows))})"
    prices = (*matching_rows, rows[0], rows[-1])
    return verdict_from(
        share(len(matching_rows), len(rows)), f"{statement}; they go from {ends}", prices
    )


def ratio(
    modes: Sequence[str], low: str, high: str, tolerance: str, item: str = ""
) -> ClaimVerdict:
    """Judge whether prices of some modes are in a range relative to on demand, by region.

    They are those of every machine type, or of `item` alone.

    Right when the middle 80% of the prices lie in it, partly right when a tenth of them does.
    """
    by_mode = {mode: tuple(_pairs(mode, item)) for mode in modes}
    pairs = [pair for prices in by_mode.values() for pair in prices]
    if not pairs:
        return unknown(f"no price is known both on demand and as {' or '.join(modes)}")
    shares = _shares(pairs)
    least, most = Decimal(low) - Decimal(tolerance), Decimal(high) + Decimal(tolerance)
    agreeing = sum(least <= share <= most for share in shares)
    outcome: Outcome = "partly" if agreeing >= TENTH * len(shares) else "wrong"
    if least <= _quantile(shares, TENTH) and _quantile(shares, 9 * TENTH) <= most:
        outcome = "right"
    spans = "; ".join(
        _discount_range(mode, _shares(prices)) for mode, prices in by_mode.items() if prices
    )
    statement = f"{format_percent(Decimal(agreeing) / len(shares))} of the prices are so: {spans}"
    clouds = ", ".join(dict.fromkeys(row.cloud for row, _ in pairs))
    verdict = verdict_from(outcome, statement, (row for row, _ in pairs))
    return ClaimVerdict(
        outcome=outcome,
        evidence=statement,
        source=f"every such price of {clouds} against the one on demand",
        as_of=verdict.as_of,
    )


def price_tier(cloud: str, families: Sequence[str], first: str, later: str) -> ClaimVerdict:
    """Judge whether a cloud's price falls from one figure to another after long use."""
    rows = [
        row
        for machine in priced_cloud_of(cloud).machines.all_machines()
        if machine.type.startswith(tuple(families))
        if (row := cheapest(machine, "on-demand")) is not None
    ]
    tiered = [row for row in rows if row.tiers]
    if any(row.per_unit == Decimal(first) and row.tiers[0][1] == Decimal(later) for row in tiered):
        return verdict_from("right", "a price list has these tiers", tiered)
    discount = format_percent(1 - Decimal(later) / Decimal(first))
    statement = (
        f"the arithmetic holds ({discount} off); no price list that was read has such a tier"
    )
    if rows:
        row = min(rows, key=lambda price: (price.per_unit, price.item))
        statement += f": {row.item} is {format_unit_price(row.per_unit, row.currency)}/h"
    return verdict_from("unknown", statement, rows[:1])


def _on_demand_prices(machine: Machine) -> Iterator[Price]:
    """Yield the effective on-demand price in each region, where it is in dollars."""
    for region in priced_cloud_of(machine.cloud).regions.all():
        row = effective_price(machine.cloud, machine.type, region, "on-demand")
        if row is not None and row.currency == CURRENCY:
            yield row


def _shares(pairs: Iterable[tuple[Price, Price]]) -> list[Decimal]:
    return sorted(ceiling(row) / usual.per_unit for row, usual in pairs)


def _quantile(shares: Sequence[Decimal], quantile: Decimal) -> Decimal:
    return shares[int(quantile * (len(shares) - 1))]


def _discount_range(mode: str, shares: Sequence[Decimal]) -> str:
    """Return how far below the on-demand price the prices of a mode are, as text."""
    first, median, last = (
        format_percent(1 - _quantile(shares, TENTH * tenths)) for tenths in (1, 5, 9)
    )
    return (
        f"{len(shares):,} {mode} prices are below on demand by {median} at the median,"
        f" by {last} to {first} for the middle 80%"
    )


def _pairs(mode: str, item: str) -> Iterator[tuple[Price, Price]]:
    """Yield each effective price of a mode, with the on-demand price of the same region."""
    for machine in all_machines():
        priced_cloud = priced_cloud_of(machine.cloud)
        if item not in {"", machine.type} or mode not in priced_cloud.prices.modes():
            continue
        for region in priced_cloud.regions.all():
            row = effective_price(machine.cloud, machine.type, region, mode)
            usual = effective_price(machine.cloud, machine.type, region, "on-demand")
            if row is not None and usual is not None and row.currency == usual.currency:
                yield row, usual
