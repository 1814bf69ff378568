"""The price book of a stack file: the prices.yaml beside it, and its exchange rates."""

import os
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from gpuinfra import logs
from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.price_overrides import FILE_NAME
from gpuinfra.records import record
from gpuinfra.stackfile import StackDocument

if TYPE_CHECKING:
    from gpuinfra.price_overrides.prices import OwnPrices


@record
class StackPrices:
    """The prices of a stack file: the user's own, the book with them on top, and notes."""

    own_prices: "OwnPrices | None"
    book: PriceBook
    notes: tuple[str, ...]


def stack_prices(document: StackDocument, day: date) -> StackPrices:
    """Return the prices of a stack file, with the `prices.yaml` beside it, if there is one.

    Raises:
        InputError: that file can't be read, or has faults.
    """
    rates = document.stack.prices.exchange_rates
    path = document.path.with_name(FILE_NAME)
    own_prices = None
    if os.path.lexists(path):
        from gpuinfra.price_overrides.prices import read_own_prices  # noqa: PLC0415  (most stacks have no such file)

        own_prices = read_own_prices(path)
        logs.debug("read own prices %s", path)
    book = (
        own_prices.price_book(day, rates)
        if own_prices
        else PriceBook(rates=rates)
        if rates
        else CATALOG
    )
    if document.stack.prices.bound_unknown:
        book = book.bounding
    notes = (*(() if own_prices else _misnamed_price_file(path)), *_exchange_rate_warnings(rates))
    return StackPrices(own_prices=own_prices, book=book, notes=notes)


def _exchange_rate_warnings(rates: Mapping[str, Decimal]) -> tuple[str, ...]:
    """Return warnings of implausible exchange rates."""
    if not rates:
        return ()
    from gpuinfra.price_overrides.price_warnings import doubtful_rates  # noqa: PLC0415  (few stacks have any)

    return tuple(doubtful_rates(rates))


def _misnamed_price_file(path: Path) -> Iterable[str]:
    """Warn of a file of own prices that is not read, because of its file extension."""
    other = path.with_suffix(".yml")
    if os.path.lexists(other):
        yield f"{other} is ignored: own prices must be in {path.name}, so rename it"
