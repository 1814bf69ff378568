"""On which terms a plan is priced: from which book, for which day, and what is accepted."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from gpuinfra.catalog import CATALOG, Book


@dataclass(frozen=True, kw_only=True)
class Terms:
    """How a plan is priced.

    Attributes:
        as_of: the day for which the age of prices is judged.
        prices: where prices come from.
        accept_outdated: an outdated price is a warning and no refusal.
        outdated_after_days: from this age on, a list price is outdated; an undated one always is.
        not_counted: resource types without a price that the user leaves out of the caps.
    """

    as_of: date
    prices: Book = CATALOG
    accept_outdated: bool = False
    outdated_after_days: int = 400
    not_counted: Collection[str] = ()
