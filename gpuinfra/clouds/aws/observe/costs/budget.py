"""The monthly limit of a stack's budgets in AWS."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.costs import budget_filters
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import all_of, amount, as_list, at, flag, text
from gpuinfra.model import UNKNOWN, BudgetDoubt, Known, Resource, Unknown
from gpuinfra.today import today

_MACHINES: Final = "Amazon Elastic Compute Cloud - Compute"
_UNREAD_FILTERS: Final = frozenset(
    {"LinkedAccount", "CostCategory", "BillingEntity", "LegalEntityName", "InvoicingEntity"}
)
"""Filters by whose bill it is, which no resource shows; any other filter, but for those below,
watches a part of what machines cost:
https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html"""
_HIDING: Final = ("includeCredit", "includeRefund")
"""The deductions from the spending, unless stated: both are on by default.
https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_CostTypes.html"""
_UNKNOWN_SCOPE: Final = BudgetDoubt(
    "whether it counts these machines is unknown",
    "have the budget count these machines by their tags (costFilters)",
)
_CREDITS: Final = BudgetDoubt(
    "the budget counts costs after credits and refunds",
    "set costTypes.includeCredit and costTypes.includeRefund of the budget to false",
)
_AMOUNT: Final = BudgetDoubt(
    "its amount is unknown, or not in US dollars",
    "give the budget a fixed amount in USD (limitAmount, limitUnit)",
)
_FORM: Final = "%Y-%m-%d_%H:%M"


def cloud_budget(index: Index) -> Decimal | Unknown | None:
    """Return the smallest monthly cost budget of this stack, in USD.

    One of another period, of a part, or of what is none of this stack limits nothing. UNKNOWN
    where an amount or what it is of is not known yet, or is in another currency, or where credits
    or refunds are taken off what it counts.
    """
    limits = [limit_of(budget, index) for budget in index.of_kind(resource_types.BUDGET)]
    if UNKNOWN in limits:
        return UNKNOWN
    return min((limit for limit in limits if isinstance(limit, Decimal)), default=None)


def budget_doubts(index: Index) -> Iterator[BudgetDoubt]:
    """Yield why the limits of this stack's monthly budgets are unknown."""
    for budget in index.of_kind(resource_types.BUDGET):
        if limit_of(budget, index) is UNKNOWN:
            yield from _budget_doubts(budget, index)


def _budget_doubts(budget: Resource, index: Index) -> Iterator[BudgetDoubt]:
    inputs = budget.inputs
    if _covers(inputs, index) is UNKNOWN or inputs.get("filterExpression") is not None:
        yield _UNKNOWN_SCOPE
    if not _is_all(inputs.get("costTypes")):
        yield _CREDITS
    limit = amount(inputs.get("limitAmount"))
    if inputs.get("autoAdjustData") is not None or limit is UNKNOWN:
        yield _AMOUNT
    if inputs.get("limitUnit", "USD") != "USD":
        yield _AMOUNT


def _covers(inputs: Mapping[str, Any], index: Index) -> Known:
    """Return whether a budget is running and counts all machines of this stack."""
    return all_of((_is_running(inputs), _counts_all_machines(inputs.get("costFilters"), index)))


def limit_of(budget: Resource, index: Index) -> Decimal | Unknown | None:
    """Return a budget's monthly limit in USD; None where it covers nothing of this stack."""
    inputs = budget.inputs
    if (inputs.get("budgetType"), inputs.get("timeUnit")) != ("COST", "MONTHLY"):
        return None
    if _covers(inputs, index) is False:
        return None
    return UNKNOWN if any(_budget_doubts(budget, index)) else amount(inputs.get("limitAmount"))


def _is_all(types: Any) -> bool:
    """Return whether a budget is known to count usage before credits and refunds."""
    return all(flag(at(types, key)) is False for key in _HIDING)


def _is_running(inputs: Mapping[str, Any]) -> Known:
    """Return whether a budget's period has begun and is not over."""
    current_day = today().isoformat()
    start, end = (_day(inputs.get(key)) for key in ("timePeriodStart", "timePeriodEnd"))
    if isinstance(start, Unknown) or isinstance(end, Unknown):
        return UNKNOWN
    return (start is None or start[:7] <= current_day[:7]) and (end is None or end > current_day)


def _day(moment: Any) -> str | Unknown | None:
    day_text = text(moment)
    if not isinstance(day_text, str):
        return day_text
    try:
        return datetime.strptime(day_text, _FORM).replace(tzinfo=UTC).date().isoformat()
    except ValueError:
        return UNKNOWN


def _counts_all_machines(filters: Any, index: Index) -> Known:
    """Return whether a budget counts all machines of this stack."""
    return all_of(
        _includes_machines(at(filter_, "name"), at(filter_, "values"), index)
        for filter_ in as_list(filters)
    )


def _includes_machines(name: Any, values: Any, index: Index) -> Known:
    """Return whether one filter includes all machines of this stack."""
    if isinstance(name, Unknown) or name in _UNREAD_FILTERS:
        return UNKNOWN
    test = _FILTERS.get(name)
    if test is None:
        return False
    return UNKNOWN if isinstance(values, Unknown) else test(values, index)


_FILTERS: Final[dict[Any, Callable[[Any, Index], Known]]] = {
    "Service": lambda values, _: _MACHINES in as_list(values),
    "TagKeyValue": budget_filters.counts_tags,
    "Region": budget_filters.counts_regions,
}
