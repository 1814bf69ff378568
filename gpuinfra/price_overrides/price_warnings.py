"""Warnings about own prices so far from the list price that the unit or currency may be wrong."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.price_book import CURRENCY
from gpuinfra.catalog.tables import TABLES
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of
from gpuinfra.model import Price
from gpuinfra.price_overrides.override_rows import LIST, AppliedDiscount, PriceOverride
from gpuinfra.price_overrides.schema import ON_DEMAND
from gpuinfra.units import format_share, format_unit_price

_IMPLAUSIBLE_FACTOR: Final = 10
"""How many times less or more than the list price can hardly be meant: AWS says that spot costs up
to 90% less, and no offer of a cloud costs less than that.
https://aws.amazon.com/ec2/spot/pricing/"""
_OFF: Final = 2
"""How many times off the table's an exchange rate has to be to be doubted."""

_MAX_DISCOUNT: Final = 1 - Decimal(1) / _IMPLAUSIBLE_FACTOR


def implausible_price_warnings(
    rows: Iterable[PriceOverride],
    discounts: Iterable[AppliedDiscount],
    rates: Mapping[str, Decimal],
) -> Iterator[str]:
    """Yield a warning for each implausible price, discount or exchange rate, as a sentence."""
    yield from doubtful_rates(rates)
    for row in rows:
        list_price, own_price = _comparable_list_prices(row.row), _dollars(row.row, rates)
        if (
            list_price
            and own_price is not None
            and not min(list_price) / _IMPLAUSIBLE_FACTOR
            <= own_price
            <= max(list_price) * _IMPLAUSIBLE_FACTOR
        ):
            yield (
                f"{row.location}: {format_unit_price(own_price)} for {row.row.item} in"
                f" {row.row.region} is far from the list price of"
                f" {format_unit_price(min(list_price))}: check the unit and the currency"
            )
    for discount in discounts:
        share = discount.discount.off
        if share > _MAX_DISCOUNT:
            yield f"{discount.location}: {format_share(share)} off the list price: check the share"


def doubtful_rates(rates: Mapping[str, Decimal]) -> Iterator[str]:
    """Yield a warning for each exchange rate far from the known one, or inverted."""
    table = TABLES.table("exchange_rates")
    per_euro = {code: Decimal(amount) for code, amount in table["per_euro"].items()}
    for code, rate in rates.items():
        if code not in per_euro:
            continue
        list_rate = per_euro[CURRENCY] / per_euro[code]
        if list_rate / _OFF <= rate <= list_rate * _OFF:
            continue
        is_inverted_rate = list_rate / _OFF <= 1 / rate <= list_rate * _OFF
        fix = f"write US dollars per {code}" + (f": {1 / rate:.4g}" if is_inverted_rate else "")
        yield (
            f"exchange_rates: {code}: {rate.normalize():f} is far from {list_rate:.4g}"
            f" ({table['source']}, {table['as_of']}): {fix}"
        )


def _comparable_list_prices(row: Price) -> tuple[Decimal, ...]:
    """Return the on-demand or service list prices that compare with a row; empty for none."""
    if row.cloud not in PRICED_CLOUDS:
        return ()
    mode = row.mode if row.mode == LIST else ON_DEMAND
    prices = priced_cloud_of(row.cloud).prices.rows(row.item, row.region, mode)
    return tuple(
        price.per_unit
        for price in prices
        if (price.currency, price.unit) == ("USD", row.unit) and price.per_unit > 0
    )


def _dollars(row: Price, rates: Mapping[str, Decimal]) -> Decimal | None:
    rate = Decimal(1) if row.currency == "USD" else rates.get(row.currency)
    return None if rate is None else row.per_unit * rate
