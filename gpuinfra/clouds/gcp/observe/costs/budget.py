"""The monthly limit of a stack's budgets in Google Cloud."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import label_keys, resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.values import all_of, amount, any_of, as_list, at, text
from gpuinfra.model import UNKNOWN, BudgetDoubt, Known, Resource, Unknown

_NANO: Final = Decimal(10**9)
_NARROWING_FILTERS: Final = ("services", "subaccounts", "resourceAncestors")
"""Filters by which a budget watches a part of what is spent."""

_LABELS: Final = ("labels", "userLabels", "resourceLabels")
_EXCLUDE_ALL_CREDITS: Final = "EXCLUDE_ALL_CREDITS"
_UNKNOWN_SCOPE: Final = BudgetDoubt(
    "whether it counts these machines is unknown",
    "have the budget count these machines by their labels (budgetFilter.labels)",
)
_CREDITS: Final = BudgetDoubt(
    "the budget counts costs after credits",
    f"set budgetFilter.creditTypesTreatment of the budget to {_EXCLUDE_ALL_CREDITS}",
)
_AMOUNT: Final = BudgetDoubt(
    "its amount is unknown, or not stated in US dollars",
    "give the budget a fixed amount with currencyCode USD (amount.specifiedAmount)",
)


def cloud_budget(index: Index) -> Decimal | Unknown | None:
    """Return the smallest monthly budget, in US dollars; partial ones limit nothing.

    One that notifies no recipient limits nothing either. UNKNOWN where an amount is not known yet,
    follows the last period, is in the billing account's own currency, or is what credits leave of
    it.
    """
    limits: list[Decimal] = []
    for budget in index.of_kind(resource_types.BUDGET):
        limit = _limit(budget, index)
        if isinstance(limit, Unknown):
            return UNKNOWN
        limits += [] if limit is None else [limit]
    return min(limits, default=None)


def _limit(budget: Resource, index: Index) -> Decimal | Unknown | None:
    filters = budget.inputs.get("budgetFilter")
    period = text(at(filters, "calendarPeriod")) or "MONTH"
    if isinstance(filters, Unknown) or isinstance(period, Unknown):
        return UNKNOWN
    is_partial = any(at(filters, key) for key in (*_NARROWING_FILTERS, "customPeriod"))
    counts_stack = _counts_stack(filters, index)
    is_ineffective = counts_stack is False or not _may_send_notices(budget)
    if is_partial or is_ineffective or period not in {"MONTH", "CALENDAR_PERIOD_UNSPECIFIED"}:
        return None
    counts_before_credits = (
        counts_stack is True and text(at(filters, "creditTypesTreatment")) == _EXCLUDE_ALL_CREDITS
    )
    return _amount(budget) if counts_before_credits else UNKNOWN


def _amount(budget: Resource) -> Decimal | Unknown:
    """Return the stated amount; UNKNOWN for one in another currency."""
    specified_amount = at(budget.inputs.get("amount"), "specifiedAmount")
    units, nanos = amount(at(specified_amount, "units")), amount(at(specified_amount, "nanos"))
    if isinstance(units, Unknown) or isinstance(nanos, Unknown) or (units, nanos) == (None, None):
        return UNKNOWN
    if text(at(specified_amount, "currencyCode")) != "USD":
        return UNKNOWN
    return (units or Decimal(0)) + (nanos or Decimal(0)) / _NANO


def budget_doubts(index: Index) -> Iterator[BudgetDoubt]:
    """Yield why the limits of this stack's monthly budgets are unknown."""
    for budget in index.of_kind(resource_types.BUDGET):
        if _limit(budget, index) is UNKNOWN:
            yield from _budget_doubts(budget, index)


def _budget_doubts(budget: Resource, index: Index) -> Iterator[BudgetDoubt]:
    filters = budget.inputs.get("budgetFilter")
    filter_values = (filters, text(at(filters, "calendarPeriod")))
    if UNKNOWN in filter_values or _counts_stack(filters, index) is UNKNOWN:
        yield _UNKNOWN_SCOPE
    elif text(at(filters, "creditTypesTreatment")) != _EXCLUDE_ALL_CREDITS:
        yield _CREDITS
    if _amount(budget) is UNKNOWN:
        yield _AMOUNT


def _counts_stack(filters: Any, index: Index) -> Known:
    return all_of(
        (
            _counts_all_machines(at(filters, "labels"), index),
            _counts_projects(at(filters, "projects"), index),
        )
    )


def _may_send_notices(budget: Resource) -> bool:
    """Return whether a budget may send notices: mails require thresholds, a topic does not.

    https://docs.cloud.google.com/billing/docs/reference/budget/rest/v1/billingAccounts.budgets#ThresholdRule
    """
    rules = budget.inputs.get("thresholdRules")
    topic = at(budget.inputs.get("allUpdatesRule"), "pubsubTopic")
    return isinstance(rules, Unknown) or bool(as_list(rules)) or topic is not None


def _counts_all_machines(required: Any, index: Index) -> Known:
    """Return whether a budget that counts labelled resources counts this stack's machines.

    Where it has no machines that it can be known of, something else of it may be counted.
    """
    if required is None or isinstance(required, Unknown):
        return UNKNOWN if required is UNKNOWN else True
    if not isinstance(required, Mapping) or not required:
        return True
    machines = [*index.of_kind(resource_types.TEMPLATE), *index.of_kind(resource_types.INSTANCE)]
    pools = [
        label_keys.node_labels(resource, index)
        for resource in index.of_kind(resource_types.NODE_POOL)
    ]
    if machines or pools:
        return all_of(
            (
                *(_has(_given_labels(machine), required) for machine in machines),
                *(_has(pool, required) for pool in pools),
            )
        )
    return any_of(_has(_given_labels(resource), required) for resource in index)


def _counts_projects(projects: Any, index: Index) -> Known:
    """Return whether a budget of some projects counts the projects of all machines.

    One by its number may be any, and machines without a project are in the provider's.
    """
    project_names = [
        project if isinstance(project, Unknown) else str(project).rpartition("/")[2]
        for project in as_list(projects)
    ]
    if not project_names:
        return True
    machines = [
        resource for kind in sorted(resource_types.MACHINES) for resource in index.of_kind(kind)
    ]
    machine_projects = [text(machine.inputs.get("project")) for machine in machines]
    return all_of(_is_among(home_project, project_names) for home_project in machine_projects)


def _is_among(home_project: str | Unknown | None, projects: Sequence[Any]) -> Known:
    if home_project is not None and home_project in projects:
        return True
    has_unknowns = any(isinstance(project, Unknown) or project.isdigit() for project in projects)
    return UNKNOWN if has_unknowns or not isinstance(home_project, str) else False


def _given_labels(resource: Resource) -> Any:
    return next(
        (labels for key in _LABELS if (labels := resource.inputs.get(key)) is not None), {}
    )


def _has(labels: Any, required: Mapping[str, Any]) -> Known:
    """Return whether a resource has every required label."""
    if isinstance(labels, Unknown):
        return UNKNOWN
    return all_of(
        UNKNOWN if UNKNOWN in (value, at(labels, key)) else str(at(labels, key)) == str(value)
        for key, value in required.items()
    )
