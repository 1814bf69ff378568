"""The stack costs no more per hour than its cap."""

from typing import Final

from gpuinfra.rules.budget import BUDGET_PAGES, CHEAPER, of_stack
from gpuinfra.rules.rule import Rule

FIX: Final = f"{CHEAPER}, or raise budget.per_hour"

RULE = Rule(
    id="cap-per-hour",
    family="budget",
    title="The cost per hour stays within the cap",
    why="A bill arrives days later; a cap is checked before anything is created.",
    fix=FIX,
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html",
    sources=BUDGET_PAGES,
    check=lambda judged, _: (of_stack(judged, "hour", FIX),),
    firm=True,
    path=("budget", "per_hour"),
)
