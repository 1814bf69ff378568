"""The stack costs no more per hour than its cap."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.budget import BUDGET_PAGES, of_stack
from gpuinfra.rules.rule import Finding, Judged, Rule

FIX: Final = "use fewer or cheaper machines, or raise budget.per_hour"


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare the ceiling with the cap: all that may run at once, pools at their maximum."""
    yield of_stack(judged, "hour", FIX)


RULE = Rule(
    id="cap-per-hour",
    family="budget",
    title="The cost per hour stays within the cap",
    why="A bill arrives days later; a cap is checked before anything is created.",
    fix=FIX,
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html",
    sources=BUDGET_PAGES,
    check=check,
    firm=True,
    path=("budget", "per_hour"),
)
