"""The stack costs no more per hour, and no more per month, than its caps."""

from typing import Literal

from gpuinfra.rules.budget import compare_stack, exceeded_cap_fix
from gpuinfra.rules.rule import Rule


def _rule(span: Literal["hour", "month"], key: Literal["per_hour", "per_month"]) -> Rule:
    return Rule(
        id=f"cap-per-{span}",
        family="budget",
        title=f"The cost per {span} stays within the cap",
        why="A bill arrives days later; a cap is checked before anything is created.",
        fix=exceeded_cap_fix(key),
        source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html",
        check=lambda rule_input, _: (compare_stack(rule_input, span),),
        firm=True,
        path=("budget", key),
    )


CAP_PER_HOUR = _rule("hour", "per_hour")
CAP_PER_MONTH = _rule("month", "per_month")
