"""The stack costs no more per hour than its cap."""

from gpuinfra.rules.budget import compare_stack, exceeded_cap_fix
from gpuinfra.rules.rule import Rule

RULE = Rule(
    id="cap-per-hour",
    family="budget",
    title="The cost per hour stays within the cap",
    why="A bill arrives days later; a cap is checked before anything is created.",
    fix=exceeded_cap_fix("per_hour"),
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html",
    check=lambda judged, _: (compare_stack(judged, "hour"),),
    firm=True,
    path=("budget", "per_hour"),
)
