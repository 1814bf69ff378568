"""The monthly limit of a stack's budgets in Azure."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.costs import budget_filters
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.values import all_of, amount, at, text
from gpuinfra.graph import Symbol
from gpuinfra.model import UNKNOWN, BudgetDoubt, Known, Resource, Unknown
from gpuinfra.today import today

_MONTHS: Final = frozenset({"Monthly", "BillingMonth"})
_UNKNOWN_SCOPE: Final = BudgetDoubt(
    "whether it counts these machines is unknown",
    "have the budget count these machines by its scope, or by their tags (filter)",
)
_AMOUNT: Final = BudgetDoubt("its amount is unknown", "give the budget a fixed amount")


def cloud_budget(index: Index) -> Decimal | Unknown | None:
    """Return the smallest monthly cost budget of this stack.

    One of another period, of a part, or of what is none of this stack limits nothing.

    UNKNOWN where an amount, or what it is of, is not known yet.
    """
    budgets = (*index.of_kind(resource_types.BUDGET), *index.of_kind(resource_types.COST_BUDGET))
    limits = [_limit(budget, index) for budget in budgets]
    if UNKNOWN in limits:
        return UNKNOWN
    return min((limit for limit in limits if isinstance(limit, Decimal)), default=None)


def _limit(budget: Resource, index: Index) -> Decimal | Unknown | None:
    inputs = budget.inputs
    if inputs.get("category") != "Cost" or text(inputs.get("timeGrain")) not in _MONTHS:
        return None
    covers_everything = _covers(budget, index)
    if covers_everything is False:
        return None
    return UNKNOWN if covers_everything is UNKNOWN else amount(inputs.get("amount"))


def budget_doubts(index: Index) -> Iterator[BudgetDoubt]:
    """Yield why the limits of this stack's monthly budgets are unknown."""
    for budget in (
        *index.of_kind(resource_types.BUDGET),
        *index.of_kind(resource_types.COST_BUDGET),
    ):
        if _limit(budget, index) is UNKNOWN:
            yield _UNKNOWN_SCOPE if _covers(budget, index) is UNKNOWN else _AMOUNT


def _covers(budget: Resource, index: Index) -> Known:
    """Return whether a budget is running and counts all machines of this stack."""
    inputs = budget.inputs
    return all_of(
        (
            _is_running(inputs.get("timePeriod")),
            budget_filters.counts_scope(inputs.get("scope"), index),
            budget_filters.counts_all_machines(inputs.get("filter"), index),
        )
    )


def _is_running(period: Any) -> Known:
    """Return whether a budget's period has begun and is not over; an unknown start has begun."""
    day = today().isoformat()
    start, end = text(at(period, "startDate")), text(at(period, "endDate"))
    has_begun = not isinstance(start, str) or isinstance(start, Symbol) or start[:7] <= day[:7]
    return has_begun and (not isinstance(end, str) or isinstance(end, Symbol) or end[:10] > day)
