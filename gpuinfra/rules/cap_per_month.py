"""The stack costs no more per month than its cap."""

from typing import Final

from gpuinfra.rules.budget import BUDGET_PAGES, CHEAPER, ENDED, of_stack
from gpuinfra.rules.rule import Rule

FIX: Final = f"{CHEAPER}{ENDED}, or raise budget.per_month"

RULE = Rule(
    id="cap-per-month",
    family="budget",
    title="The cost per month stays within the cap",
    why="A bill arrives days later; a cap is checked before anything is created.",
    fix=FIX,
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html",
    sources=BUDGET_PAGES,
    check=lambda judged, _: (of_stack(judged, "month", FIX),),
    firm=True,
    path=("budget", "per_month"),
)
