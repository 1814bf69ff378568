"""Alert thresholds and tags of the stack's budgets, and billed resources without the tag."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.values import amount, as_list, at, flag, text
from gpuinfra.model import UNKNOWN, Resource

_BILLED_TYPES: Final[list[str]] = TABLES.table("types")["tagged_costs"]
"""Types that cost money and take tags, by which a budget may count."""


def budget_words(index: Index) -> tuple[str, ...]:
    """Return descriptions of the shares at which budgets send mail, and of the counted costs.

    A budget of a tag counts what has the tag. A resource without it is reported, but is not a
    fault, since a subscription may let usage inherit the tags of its resource group:
    https://learn.microsoft.com/azure/cost-management-billing/costs/enable-tag-inheritance
    """
    budgets = (*index.of_kind(resource_types.BUDGET), *index.of_kind(resource_types.COST_BUDGET))
    phrases = [
        note for budget in budgets for note in (*_notices(budget), *_filter_remarks(budget, index))
    ]
    return tuple(dict.fromkeys(phrases))


def _notices(budget: Resource) -> Iterator[str]:
    notices = budget.inputs.get("notifications")
    for notice in notices.values() if isinstance(notices, Mapping) else ():
        share = amount(at(notice, "threshold"))
        kind = text(at(notice, "thresholdType")) or "Actual"
        if flag(at(notice, "enabled")) is True and share not in (None, UNKNOWN):
            yield f"it alerts at {share:f}% {'expected' if kind == 'Forecasted' else 'spent'}"


def _filter_remarks(budget: Resource, index: Index) -> Iterator[str]:
    for name, values in _tags(budget.inputs.get("filter")):
        yield f"it counts resources with the tag {name}"
        excluded_names = [
            resource.name
            for kind in _BILLED_TYPES
            for resource in index.of_kind(kind)
            if _is_left_out(resource.inputs.get("tags"), name, values)
        ]
        if excluded_names:
            names_text = ", ".join(excluded_names)
            yield f"{names_text} have no tag {name}"


def _tags(filters: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for part in (filters, *as_list(at(filters, "and"))):
        name, values = text(at(part, "tags", "name")), as_list(at(part, "tags", "values"))
        if isinstance(name, str) and values and UNKNOWN not in values:
            yield name, values


def _is_left_out(tags: Any, name: str, values: tuple[Any, ...]) -> bool:
    are_tags_known = tags is None or isinstance(tags, Mapping)
    value = at(tags, name)
    return are_tags_known and value is not UNKNOWN and value not in values
