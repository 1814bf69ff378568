"""The terms of a quote: the price book, the date, and the accepted outdated prices."""

from collections.abc import Collection
from datetime import date, timedelta
from typing import Final

from gpuinfra.catalog import CATALOG, PriceBook, earliest
from gpuinfra.catalog.fact_age import is_outdated
from gpuinfra.model import OUTDATED_AFTER_DAYS
from gpuinfra.records import record

SLACK: Final = timedelta(days=1)
"""A price that was fetched today may be of tomorrow where the user's clock is behind."""


def stands_for(entry: str, type_: str) -> bool:
    """Return whether an entry of `not_counted` is a type, or a pattern that matches it."""
    return entry == type_ or (entry.endswith("*") and type_.startswith(entry[:-1]))


@record
class PricingTerms:
    """The terms on which a plan is priced.

    Attributes:
        as_of: the day for which the age of prices is judged.
        prices: where prices come from.
        accept_outdated: an outdated price is a warning and no refusal.
        outdated_after_days: from this age on, a list price is outdated; an undated one always is.
        covers_everything: a type without a price refuses, also one that can't start machines.
        not_counted: resource types without a price that the user leaves out of the caps; one
            that ends in `*` stands for all types of a service, for example `aws:rds/*`.
        notes: what a reader of the figures has to know of the prices, for example an ended offer.
    """

    as_of: date
    prices: PriceBook = CATALOG
    accept_outdated: bool = False
    outdated_after_days: int = OUTDATED_AFTER_DAYS
    covers_everything: bool = False
    not_counted: Collection[str] = ()
    notes: tuple[str, ...] = ()

    def leaves_out(self, type_: str) -> bool:
        """Return whether the user excludes a resource type from the caps."""
        return any(stands_for(entry, type_) for entry in self.not_counted)

    def is_outdated(self, as_of: str) -> bool:
        """Return whether a list price is too old, undated, or dated in the future."""
        day = earliest(as_of)
        return is_outdated(as_of, self.as_of, self.outdated_after_days) or (
            day is not None and day - self.as_of > SLACK
        )
