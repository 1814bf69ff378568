"""The formatting of money and percentages, the same in every output.

An amount has its cents, `-$1,234.50`; a unit price has the digits of its cloud's list, `$0.0125`;
a percentage has no space before its sign, `72%`.
"""

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

UNKNOWN_AMOUNT: Final = "–"

UNKNOWN_CHANGE: Final = "?"

DOLLARS: Final = "USD"

_CENT: Final = Decimal("0.01")
_UNIT_PRICE_DIGITS: Final = 4
"""The decimals of a unit price; a smaller price has its first two digits."""

_PERCENT_DIGITS: Final = 3
"""The maximum decimals of a percentage near 0% or 100%."""


def format_money(amount: Decimal | None, currency: str = DOLLARS) -> str:
    """Return an amount with cents, half a cent rounded up; a dash if it is unknown."""
    if amount is None:
        return UNKNOWN_AMOUNT
    sign = "-" if amount < 0 else ""
    rounded = abs(amount).quantize(_CENT, ROUND_HALF_UP)
    if amount and not rounded:
        return _with_currency(f"{_CENT}", currency, f"{sign}<")
    return _with_currency(f"{rounded:,}", currency, sign)


def format_unit_price(price: Decimal | None, currency: str = DOLLARS) -> str:
    """Return a price per unit with at least two decimals; a dash if it is unknown."""
    if price is None:
        return UNKNOWN_AMOUNT
    return _with_currency(f"{price:,.{_unit_price_decimals(price)}f}", currency)


def format_unit_prices(prices: Iterable[Decimal | None]) -> list[str]:
    """Return prices of a column or an axis in dollars, all with the decimals of the longest."""
    listed = list(prices)
    decimals = max(map(_unit_price_decimals, filter(None, listed)), default=2)
    return [
        UNKNOWN_AMOUNT if price is None else _with_currency(f"{price:,.{decimals}f}", DOLLARS)
        for price in listed
    ]


def _unit_price_decimals(price: Decimal) -> int:
    digits = max(_UNIT_PRICE_DIGITS, 1 - price.adjusted()) if price else 0
    cents = f"{round(price, digits):f}".partition(".")[2]
    return max(2, len(cents.rstrip("0")))


def format_change(change: Decimal | None) -> str:
    """Return a change with its sign, `+$8.25`; a question mark if it is unknown."""
    if change is None:
        return UNKNOWN_CHANGE
    return f"{'+' if change > 0 else ''}{format_money(change)}"


def format_percent(share: Decimal | float) -> str:
    """Return a share in whole percent, with decimals where it would round to 0% or 100%."""
    percent = Decimal(share) * 100
    rounded = percent
    for digits in range(_PERCENT_DIGITS + 1):
        rounded = round(percent, digits)
        if rounded not in {0, 100} or rounded == percent:
            break
    return f"{rounded:,f}".removesuffix(".000") + "%"


def format_percent_change(share: Decimal | float) -> str:
    """Return a change in percent with its sign, `-72%`."""
    return f"{'+' if share > 0 else ''}{format_percent(share)}"


def _with_currency(figure: str, currency: str, sign: str = "") -> str:
    return f"{sign}${figure}" if currency == DOLLARS else f"{sign}{figure} {currency}"
