"""The monthly limit that a stack's budgets keep in the cloud itself."""

from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe import kinds
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import amount, at, listed, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_PARTS: Final = frozenset(
    {"UsageType", "UsageTypeGroup", "Operation", "InstanceType", "PurchaseType", "Platform"}
)
"""Filters by which a budget watches a part of what machines cost:
https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html"""
_MACHINES: Final = "Amazon Elastic Compute Cloud - Compute"


def cloud_budget(index: Index) -> Decimal | Unknown | None:
    """The smallest monthly cost budget, in USD; those of a part or another period limit nothing.

    UNKNOWN where an amount or what it is of is not known yet, or is in another currency.
    """
    limits = [limit_of(budget) for budget in index.of(kinds.BUDGET)]
    if UNKNOWN in limits:
        return UNKNOWN
    return min((one for one in limits if isinstance(one, Decimal)), default=None)


def limit_of(budget: Resource) -> Decimal | Unknown | None:
    """Return a budget's monthly limit in USD; None where it limits no month or a part alone."""
    inputs = budget.inputs
    if (inputs.get("budgetType"), inputs.get("timeUnit")) != ("COST", "MONTHLY"):
        return None
    part = _of_a_part(inputs.get("costFilters"))
    if part is True:
        return None
    if part is UNKNOWN or inputs.get("filterExpression") is not None:
        return UNKNOWN
    limit = amount(inputs.get("limitAmount"))
    return limit if inputs.get("limitUnit", "USD") == "USD" else UNKNOWN


def _of_a_part(filters: Any) -> Known:
    for one in listed(filters):
        name, values = text(at(one, "name")), at(one, "values")
        if isinstance(name, Unknown) or (name == "Service" and isinstance(values, Unknown)):
            return UNKNOWN
        if name in _PARTS or (name == "Service" and _MACHINES not in listed(values)):
            return True
    return False
