"""The monthly limit that a stack's budgets keep in the cloud itself."""

from decimal import Decimal
from typing import Final

from gpuinfra.clouds.gcp.observe import kinds
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.values import amount, at, text
from gpuinfra.model import UNKNOWN, Resource, Unknown

_NANO: Final = Decimal(10**9)
_PARTS: Final = ("services", "subaccounts", "resourceAncestors")
"""Filters by which a budget watches a part of what is spent."""


def cloud_budget(index: Index) -> Decimal | Unknown | None:
    """The smallest monthly budget, in US dollars; those of a part or another period limit nothing.

    UNKNOWN where an amount is not known yet, follows the last period, or is in the billing
    account's own currency.
    """
    limits: list[Decimal] = []
    for budget in index.of(kinds.BUDGET):
        limit = _limit(budget)
        if isinstance(limit, Unknown):
            return UNKNOWN
        limits += [] if limit is None else [limit]
    return min(limits, default=None)


def _limit(budget: Resource) -> Decimal | Unknown | None:
    filters = budget.inputs.get("budgetFilter")
    period = text(at(filters, "calendarPeriod")) or "MONTH"
    if isinstance(filters, Unknown) or isinstance(period, Unknown):
        return UNKNOWN
    part = any(at(filters, key) for key in (*_PARTS, "customPeriod"))
    if part or period not in {"MONTH", "CALENDAR_PERIOD_UNSPECIFIED"}:
        return None
    stated = at(budget.inputs.get("amount"), "specifiedAmount")
    units, nanos = amount(at(stated, "units")), amount(at(stated, "nanos"))
    if isinstance(units, Unknown) or isinstance(nanos, Unknown):
        return UNKNOWN
    if units is None and nanos is None:
        return UNKNOWN
    if text(at(stated, "currencyCode")) != "USD":
        return UNKNOWN
    return (units or Decimal(0)) + (nanos or Decimal(0)) / _NANO
