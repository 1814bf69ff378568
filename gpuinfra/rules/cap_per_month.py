"""The stack costs no more per month than its cap."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.budget import BUDGET_PAGES, of_stack
from gpuinfra.rules.rule import Finding, Judged, Rule

FIX: Final = (
    "use fewer or cheaper machines, end them after a time (time_to_live, where the cloud takes "
    "it), or raise budget.per_month"
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare with the cap what runs in 730 hours, or until something ends it."""
    yield of_stack(judged, "month", FIX)


RULE = Rule(
    id="cap-per-month",
    family="budget",
    title="The cost per month stays within the cap",
    why="A bill arrives days later; a cap is checked before anything is created.",
    fix=FIX,
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html",
    sources=BUDGET_PAGES,
    check=check,
    firm=True,
    path=("budget", "per_month"),
)
