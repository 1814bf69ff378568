"""The validation of a lock: amounts within bounds, and price rows that are possible."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any, Final

from gpuinfra.catalog.price_book import COUNTS_AS, CURRENCY, SPOT_CEILING
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.lock.contents import Lock
from gpuinfra.model import Price

LIST: Final = "list"

MAX_AMOUNT: Final = Decimal(10) ** 18
"""No amount of a lock is larger: it would be no price, and sums of it no money."""

DIGITS: Final = 60
"""No amount of a lock has more digits behind the point than a chain of exact products has."""


def faults(lock: Lock) -> Iterator[tuple[str, Price | None]]:
    """Yield the faults in a lock as text, each with the price row that it is in."""
    judged_rows = [(row, _fault(row, is_own=lock.prices is not None)) for row in lock.rows]
    wrong = [(row, why) for row, why in judged_rows if why]
    for row, why in wrong:
        yield f"the price of {row.item} ({row.mode}) in {row.region} {why}", row
    if not (wrong or all(map(_is_in_bounds, _amounts(lock)))):
        yield "the lock has an amount that is out of range", None


def _fault(row: Price, *, is_own: bool) -> str:
    """Return why a price row of a lock is invalid; empty if it is valid."""
    if row.cloud not in CLOUDS:
        return f"is of {row.cloud}, which gpuinfra does not support"
    if row.mode not in {LIST, SPOT_CEILING, *COUNTS_AS, *provider_of(row.cloud).prices.modes()}:
        return "has a purchase option that its cloud doesn't offer"
    if not (row.currency == CURRENCY and row.unit and row.source):
        return f"is not in {CURRENCY}, or has no unit or no source"
    if row.origin == "user" and not is_own:
        return "is marked as yours, and no prices.yaml was locked"
    return _wrong_amount(row)


def _wrong_amount(row: Price) -> str:
    """Return why an amount of a row is invalid; only a service of the tables may be free."""
    optional_amounts = () if row.maximum is None else (row.maximum,)
    amounts = (row.per_unit, *optional_amounts, *(amount for tier in row.tiers for amount in tier))
    if not all(map(_is_in_bounds, amounts)):
        return "is out of range"
    is_free = row.mode == LIST and row.origin != "user" and not any(amounts)
    return "" if is_free or all(amount > 0 for amount in amounts) else "is not above zero"


def _is_in_bounds(amount: Decimal) -> bool:
    exponent = amount.as_tuple().exponent
    # The exponent comes first: to compare 1e999999 is an overflow, not an answer.
    return (
        isinstance(exponent, int)
        and exponent >= -DIGITS
        and amount.adjusted() <= MAX_AMOUNT.adjusted()
        and abs(amount) <= MAX_AMOUNT
    )


def _amounts(value: Any) -> Iterator[Decimal]:
    """Yield every amount inside a value."""
    if isinstance(value, Decimal):
        yield value
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _amounts(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for nested_value in value.values():
            yield from _amounts(nested_value)
    elif isinstance(value, tuple | list):
        for nested_value in value:
            yield from _amounts(nested_value)
