"""The formatting of money and percentages, the same in every output.

An amount has its cents, `-$1,234.50`, and a third decimal in a column per hour with one under a
dime; a unit price has the digits of its cloud's list, `$0.0125`;
a percentage has no space before its sign, `72%`. The amounts of a table add up
to its total, as both are shown.
"""

from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Final

UNKNOWN_AMOUNT: Final = "–"

UNKNOWN_CHANGE: Final = "?"

DOLLARS: Final = "USD"

CENT: Final = Decimal("0.01")
MILL: Final = Decimal("0.001")
DIME: Final = Decimal("0.1")
_UNIT_PRICE_DIGITS: Final = 4
"""The decimals of a unit price; a smaller price has its first two digits."""

_PERCENT_DIGITS: Final = 3
"""The maximum decimals of a percentage near 0% or 100%."""


def round_half_up(amount: Decimal, unit: Decimal = CENT) -> Decimal:
    """Return an amount in whole units, half of one rounded away from zero."""
    return amount.quantize(unit, ROUND_HALF_UP)


def round_up(amount: Decimal) -> Decimal:
    """Return an amount in whole cents that is no less, as of a cap that is to hold."""
    return amount.quantize(CENT, ROUND_CEILING)


def round_to_total(
    amounts: Sequence[Decimal | None], total: Decimal, unit: Decimal = CENT
) -> tuple[Decimal | None, ...]:
    """Return amounts in whole units that add up to the total in whole units.

    Each is rounded down, and the units that are then missing go to the largest remainders. Amounts
    that do not add up to the total, since a part of it is unknown for example, are rounded alone.

    Args:
        amounts: the parts; None stays, and counts nothing.
        total: of the amounts, exact or as it is shown.
        unit: a cent, or another power of ten.
    """
    known_amounts = {index: amount for index, amount in enumerate(amounts) if amount is not None}
    rounded = {
        amount_index: amount.quantize(unit, ROUND_FLOOR)
        for amount_index, amount in known_amounts.items()
    }
    missing = int((round_half_up(total, unit) - sum(rounded.values())) / unit)
    if abs(sum(known_amounts.values()) - total) > unit or not 0 <= missing <= len(known_amounts):
        return tuple(
            None if total_amount is None else round_half_up(total_amount, unit)
            for total_amount in amounts
        )
    by_remainder = sorted(
        known_amounts, key=lambda amount_index: rounded[amount_index] - known_amounts[amount_index]
    )
    for amount_index in by_remainder[:missing]:
        rounded[amount_index] += unit
    return tuple(rounded.get(amount_index) for amount_index in range(len(amounts)))


def hourly_unit(amounts: Iterable[Decimal | None]) -> Decimal:
    """Return the unit of a column per hour: a tenth of a cent where an amount is under a dime."""
    return MILL if any(amount and abs(amount) < DIME for amount in amounts) else CENT


def format_parts(
    amounts: Sequence[Decimal | None], total: Decimal, unit: Decimal = CENT
) -> tuple[str, ...]:
    """Return amounts in a unit that add up to those of their total; a dash for an unknown one."""
    parts = round_to_total(amounts, total, unit)
    return tuple(
        format_money(amount, rounded=part) for amount, part in zip(amounts, parts, strict=True)
    )


def format_money(
    amount: Decimal | None, currency: str = DOLLARS, *, rounded: Decimal | None = None
) -> str:
    """Return an amount with cents, half a cent rounded up; a dash if it is unknown.

    `rounded` is the amount as it is rounded together with others (`round_to_total`), with more
    decimals if their unit is smaller.
    """
    if amount is None:
        return UNKNOWN_AMOUNT
    shown = round_half_up(amount) if rounded is None else rounded
    sign = "-" if (shown or amount) < 0 else ""
    unit = MILL if shown.as_tuple().exponent == MILL.as_tuple().exponent else CENT
    if amount and not shown:
        return _with_currency(f"{unit}", currency, f"{sign}<")
    return _with_currency(f"{abs(shown).quantize(unit):,f}", currency, sign)


def format_expected(amount: Decimal | None, at_most: Decimal | None) -> str:
    """Return an expected amount, or else its upper bound; empty where neither is known."""
    if amount is not None:
        return format_money(amount)
    return "" if at_most is None else f"at most {format_money(at_most)}"


def format_excess(amount: Decimal, limit: Decimal) -> tuple[str, str]:
    """Return an amount above a limit, and the limit, with the decimals by which they differ."""
    texts = format_money(amount), format_money(limit)
    if texts[0] != texts[1]:
        return texts
    decimals = -(amount - limit).adjusted()
    return _with_decimals(amount, decimals), _with_decimals(limit, decimals)


def _with_decimals(amount: Decimal, decimals: int) -> str:
    return _with_currency(f"{amount:,.{decimals}f}", DOLLARS)


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


def format_change(change: Decimal | None, *, rounded: Decimal | None = None) -> str:
    """Return a change with its sign, `+$8.25`; a question mark if it is unknown.

    `rounded` is the difference of the two amounts as they are shown.
    """
    if change is None:
        return UNKNOWN_CHANGE
    return f"{'+' if (rounded or change) > 0 else ''}{format_money(change, rounded=rounded)}"


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
