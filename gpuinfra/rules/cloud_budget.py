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
            "no budget in the cloud counts these machines by the month: what runs beside a check"
            " is not seen",
        )
    elif isinstance(kept, Unknown):
        yield not_knowable(
            plan.name,
            "what the cloud's budget limits is not known: its amount, whether it counts these"
            " machines, or what credits and refunds leave of them",
        )
    elif cap is not None and kept > cap:
        yield violated(
            plan.name,
            f"the cloud's budget of {format_money(kept)} USD a month is above the cap of "
            f"{format_money(cap)}",
        )
    else:
        told = "".join(f"; {words}" for words in plan.budget_words)
        yield fine(plan.name, f"a budget of {format_money(kept)} USD a month, late by hours{told}")


RULE = Rule(
    id="cloud-budget",
    family="budget",
    title="A budget stands in the cloud itself",
    why="A check sees what is declared; only the cloud sees what was spent, hours later.",
    fix="add budget: {per_month: …}, on Google Cloud with its billing_account; or lower the "
    "cloud's own limit, have it count these machines' tags, and leave credits and refunds out",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html",
    check=check,
    level="advisory",
    path=("budget",),
)
