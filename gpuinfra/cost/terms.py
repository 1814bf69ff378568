"""On which terms a plan is priced: from which book, for which day, and what is accepted."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from gpuinfra.catalog import CATALOG, Book
from gpuinfra.model import OUTDATED_AFTER_DAYS


@dataclass(frozen=True, kw_only=True)
class Terms:
    """How a plan is priced.

    Attributes:
        as_of: the day for which the age of prices is judged.
        prices: where prices come from.
        accept_outdated: an outdated price is a warning and no refusal.
        outdated_after_days: from this age on, a list price is outdated; an undated one always is.
        not_counted: resource types without a price that the user leaves out of the caps.
        notes: what a reader of the figures has to know of the prices, such as an ended offer.
    """

    as_of: date
    prices: Book = CATALOG
    accept_outdated: bool = False
    outdated_after_days: int = OUTDATED_AFTER_DAYS
    not_counted: Collection[str] = ()
    notes: tuple[str, ...] = ()
