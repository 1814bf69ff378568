"""The monthly limit that a stack's budgets keep in the cloud itself."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.azure.observe import kinds
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.values import amount, at, listed, text
from gpuinfra.model import UNKNOWN, Resource, Unknown

_MONTHS: Final = frozenset({"Monthly", "BillingMonth"})
_WHOLE: Final = frozenset({"resourcegroup", "resourcegroupname", "subscriptionid"})
"""Dimensions that tell where everything stands; any other leaves a part of what it costs out:
https://learn.microsoft.com/rest/api/consumption/budgets/create-or-update"""


def cloud_budget(index: Index) -> Decimal | Unknown | None:
    """The smallest monthly cost budget; those of a part or another period limit nothing.

    UNKNOWN where an amount, or what it is of, is not known yet.
    """
    budgets = (*index.of(kinds.BUDGET), *index.of(kinds.COST_BUDGET))
    limits = [_limit(budget) for budget in budgets]
    if UNKNOWN in limits:
        return UNKNOWN
    return min((one for one in limits if isinstance(one, Decimal)), default=None)


def _limit(budget: Resource) -> Decimal | Unknown | None:
    inputs = budget.inputs
    if inputs.get("category") != "Cost" or text(inputs.get("timeGrain")) not in _MONTHS:
        return None
    named = list(_dimensions(inputs.get("filter")))
    if any(isinstance(one, str) and one.lower() not in _WHOLE for one in named):
        return None
    return UNKNOWN if UNKNOWN in named else amount(inputs.get("amount"))


def _dimensions(filters: Any) -> Iterator[str | Unknown]:
    """The dimensions of a filter, and of those that it joins."""
    if isinstance(filters, Unknown):
        yield UNKNOWN
        return
    for one in (filters, *listed(at(filters, "and"))):
        name = text(at(one, "dimensions", "name"))
        if name is not None:
            yield name
