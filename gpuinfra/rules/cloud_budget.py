"""The stack declares a budget in the cloud for the month's spending."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.model import Unknown
from gpuinfra.rules.rule import (
    Finding,
    Judged,
    Rule,
    fine,
    not_applicable,
    not_knowable,
    violated,
)
from gpuinfra.units import format_money


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Look for a monthly budget in the cloud, no higher than the cap of the month."""
    plan, kept, cap = judged.plan, judged.plan.cloud_budget, judged.plan.caps.per_month
    if not plan.groups:
        yield not_applicable(plan.name, "no machines")
    elif kept is None:
        yield violated(
            plan.name,
            "no monthly budget in the cloud counts these machines: spending outside of this stack"
            " is not noticed",
        )
    elif isinstance(kept, Unknown):
        yield not_knowable(
            plan.name,
            "the limit of the cloud's budget is unknown: its amount, whether it counts these"
            " machines, or the credits and refunds that it subtracts",
        )
    elif cap is not None and kept > cap:
        yield violated(
            plan.name,
            f"the cloud's budget of ${format_money(kept)} a month is above the cap of "
            f"${format_money(cap)}",
        )
    else:
        told = "".join(f"; {words}" for words in plan.budget_words)
        yield fine(
            plan.name,
            f"the cloud's budget is ${format_money(kept)} a month; its alerts arrive hours "
            f"late{told}",
        )


RULE = Rule(
    id="cloud-budget",
    family="budget",
    title="The stack has a budget in the cloud",
    why="A check reads what is declared; only the cloud knows what was spent, hours later.",
    fix="add budget: {per_month: …}, with billing_account on Google Cloud; or lower the "
    "cloud's own limit, have it count these machines' tags, and leave credits and refunds out",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html",
    check=check,
    level="advisory",
    path=("budget",),
)
