"""The price rows considered for an item, the row that applies, and the rule that decided."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from gpuinfra.catalog.price_book import CATALOG, CURRENCY, PriceBook, ceiling, day_of
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Price
from gpuinfra.records import record

RULES: Final[Mapping[str, str]] = {
    "newest": (
        "the newest list price of a region counts; its age starts at the earliest day that "
        "its date can mean"
    ),
    "older": "an older row is kept but not used, and prices are never averaged",
    "one-zone": "the list price of one zone (for example a local zone) is not used for its region",
    "currency": f"a row in another currency counts only if no row is in {CURRENCY}, and is not "
    "converted: exchange rates are never guessed",
    "costliest-zone": "a spot price is the highest of the newest rows over the possible zones, "
    "and a row for several zones counts at its most expensive zone",
    "cheaper-zone": "a cheaper zone doesn't count: which zone will have capacity is unknown",
    "same-price": "has the same price as the row that counts",
    "unused-zone": "a local or wavelength zone counts only for a stack that names it",
}
"""The rules by which one of several rows counts, by the name that `ConsideredPrice.rule` has."""


@record
class ConsideredPrice:
    """A price row, whether it is the effective one, and the rule that decided."""

    price: Price
    is_effective: bool
    rule: str


def considered_prices(
    cloud: str, item: str, region: str, mode: str, prices: PriceBook = CATALOG
) -> tuple[ConsideredPrice, ...]:
    """Return every row of an item in a region and mode: the effective one first, then by date."""
    effective = effective_price(cloud, item, region, mode, prices)
    rule = partial(_spot_rule if mode == "spot" else _list_rule, effective)
    judged = [
        ConsideredPrice(price=row, is_effective=row == effective, rule=rule(row))
        for row in prices.rows(cloud, item, region, mode)
    ]
    judged.sort(
        key=lambda row: (not row.is_effective, -day_of(row.price).toordinal(), _zone(row.price))
    )
    return tuple(judged)


def effective_price(
    cloud: str, item: str, region: str, mode: str, prices: PriceBook = CATALOG
) -> Price | None:
    """Return the effective row in its source's currency, in dollars if there is one."""
    dollars = (
        prices.spot(cloud, item, region)
        if mode == "spot"
        else prices.list_price(cloud, item, region, mode)
    )
    if dollars is not None:
        return dollars
    rows = prices.rows(cloud, item, region, mode)
    other_currencies = [row for row in rows if row.currency != CURRENCY and row.zone is None]
    return max(other_currencies, key=day_of, default=None)


def _list_rule(effective_row: Price | None, row: Price) -> str:
    if row == effective_row:
        return "newest"
    if row.zone is not None:
        return "one-zone"
    return (
        "currency"
        if effective_row is not None and row.currency != effective_row.currency
        else "older"
    )


def _spot_rule(effective_row: Price | None, row: Price) -> str:
    if row == effective_row:
        return "costliest-zone"
    if row.zone is not None and not priced_cloud_of(row.cloud).regions.may_use(row.zone, ()):
        return "unused-zone"
    if effective_row is None or row.currency != effective_row.currency:
        return "currency"
    if day_of(row) < day_of(effective_row):
        return "older"
    return "cheaper-zone" if ceiling(row) < ceiling(effective_row) else "same-price"


def _zone(row: Price) -> str:
    return row.zone or ""
