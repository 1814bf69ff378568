"""The monthly limit that a stack's budgets keep in the cloud itself."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import kinds
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.values import amount, at, listed, text
from gpuinfra.model import UNKNOWN, Resource, Unknown

_NANO: Final = Decimal(10**9)
_PARTS: Final = ("services", "subaccounts", "resourceAncestors")
"""Filters by which a budget watches a part of what is spent."""

_LABELS: Final = ("labels", "userLabels", "resourceLabels")
_BEFORE: Final = "EXCLUDE_ALL_CREDITS"


def cloud_budget(index: Index) -> Decimal | Unknown | None:
    """The smallest monthly budget, in US dollars; those of a part or another period limit nothing.

    One that notifies no recipient limits nothing either. UNKNOWN where an amount is not known yet,
    follows the last period, is in the billing account's own currency, or is what credits leave of
    it.
    """
    limits: list[Decimal] = []
    for budget in index.of(kinds.BUDGET):
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
    part = any(at(filters, key) for key in (*_PARTS, "customPeriod"))
    strange = not _counts(at(filters, "labels"), index) or not _tells(budget)
    if part or strange or period not in {"MONTH", "CALENDAR_PERIOD_UNSPECIFIED"}:
        return None
    stated = at(budget.inputs.get("amount"), "specifiedAmount")
    units, nanos = amount(at(stated, "units")), amount(at(stated, "nanos"))
    if isinstance(units, Unknown) or isinstance(nanos, Unknown) or (units, nanos) == (None, None):
        return UNKNOWN
    if text(at(stated, "currencyCode")) != "USD" or not _is_before_credits(filters):
        return UNKNOWN
    return (units or Decimal(0)) + (nanos or Decimal(0)) / _NANO


def _tells(budget: Resource) -> bool:
    """Whether a budget may send notices: mails require thresholds, a topic does not.

    https://docs.cloud.google.com/billing/docs/reference/budget/rest/v1/billingAccounts.budgets#ThresholdRule
    """
    rules = budget.inputs.get("thresholdRules")
    topic = at(budget.inputs.get("allUpdatesRule"), "pubsubTopic")
    return isinstance(rules, Unknown) or bool(listed(rules)) or topic is not None


def _is_before_credits(filters: Any) -> bool:
    """Whether a budget counts what is spent, and not what credits leave of it, the default."""
    return text(at(filters, "creditTypesTreatment")) == _BEFORE


def _counts(wanted: Any, index: Index) -> bool:
    """Whether a budget that counts labelled resources counts all machines of this stack.

    Where it has no machines, something else of it.
    """
    if not isinstance(wanted, Mapping):
        return True
    machines = [*index.of(kinds.TEMPLATE), *index.of(kinds.INSTANCE)]
    if machines:
        return all(_has(one, wanted) for one in machines)
    return any(_has(one, wanted) for one in index)


def _has(resource: Resource, wanted: Mapping[str, Any]) -> bool:
    """Whether a resource may carry every label that is wanted."""
    given: Any = next(
        (one for key in _LABELS if (one := resource.inputs.get(key)) is not None), {}
    )
    if isinstance(given, Unknown):
        return True
    return bool(given) and all(
        UNKNOWN in (value, at(given, key)) or str(at(given, key)) == str(value)
        for key, value in wanted.items()
    )
