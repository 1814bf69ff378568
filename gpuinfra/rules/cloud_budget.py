"""The stack declares a budget in the cloud for the month's spending."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds import provider_of
from gpuinfra.model import Plan, Unknown
from gpuinfra.rules.budget import cap_for_fix, rounded_cap
from gpuinfra.rules.ended_months import endable_groups, month_if_ended
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    RuleInput,
    fine,
    not_applicable,
    not_knowable,
    violated,
)
from gpuinfra.rules.run_time_limit import end_after_runs
from gpuinfra.units import format_excess, format_money
from gpuinfra.units.message_merging import list_in_words


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Check for a monthly budget in the cloud that is no higher than the monthly cap.

    With caps, in a stack file or in a program's settings, the cost is held to them before anything
    is built: there a budget is only noted.
    """
    plan, cloud_limit, cap = (
        rule_input.plan,
        rule_input.plan.cloud_budget,
        rule_input.plan.caps.per_month,
    )
    if not plan.groups:
        yield not_applicable(plan.name, "no machines")
    elif cloud_limit is None:
        missing = violated(
            plan.name,
            "no monthly budget in the cloud counts these machines: spending outside of this stack"
            " is not noticed",
            fix=_missing_budget_keys_fix(rule_input)
            if plan.from_file
            else _missing_budget_fix(plan),
        )
        yield replace(missing, outcome="noted") if _is_capped(plan) else missing
    elif isinstance(cloud_limit, Unknown):
        yield _unknown(plan)
    elif cap is not None and cloud_limit > cap:
        amount, most = format_excess(cloud_limit, cap)
        yield violated(
            plan.name,
            f"the cloud's budget of {amount} a month is above the cap of {most}",
            fix="lower the cloud's budget to the cap",
        )
    else:
        notes = "".join(f"; {budget_note}" for budget_note in plan.budget_words)
        yield fine(
            plan.name,
            f"the cloud's budget is {format_money(cloud_limit)} a month; its alerts arrive hours "
            f"late{notes}",
        )


def _is_capped(plan: Plan) -> bool:
    caps = plan.caps
    amounts = (caps.per_hour, caps.per_month, caps.per_run)
    return any(amount is not None for amount in amounts)


def _unknown(plan: Plan) -> Finding:
    """Return the finding for a budget whose limit is unknown, with the causes that hold."""
    causes = " and ".join(dict.fromkeys(doubt.reason for doubt in plan.budget_doubts))
    fixes = "; ".join(dict.fromkeys(doubt.fix for doubt in plan.budget_doubts))
    reason = f": {causes}" if causes else ""
    return not_knowable(
        plan.name, f"the limit of the cloud's budget is unknown{reason}", fix=fixes
    )


def _missing_budget_keys_fix(rule_input: RuleInput) -> str:
    """Return the fix that names the `budget` keys that a stack file lacks."""
    caps = rule_input.plan.caps
    needed_keys = {
        key for cloud in _clouds(rule_input.plan) for key in provider_of(cloud).budget_keys
    }
    present = {
        "per_month": caps.per_month,
        "billing_account": caps.billing_account,
        "notify": caps.notify,
    }
    first, cap = _month(rule_input)
    values = {**PLACEHOLDERS, "per_month": cap}
    missing = [
        f"{key}: {values[key]}"
        for key, value in present.items()
        if not value and (key in needed_keys or key == "notify")
    ]
    needs_amount = not caps.per_month and "per_month" in needed_keys
    return f"{first if needs_amount else ''}add to budget: {', '.join(missing)}"


def _month(rule_input: RuleInput) -> tuple[str, str]:
    """Return the ends that a month needs first, and the cap to suggest for it with them."""
    groups = endable_groups(rule_input.plan)
    quote = rule_input.quote
    total = (
        month_if_ended(rule_input.plan, quote, groups) if groups and quote is not None else None
    )
    if total is None:
        return "", cap_for_fix(quote, "per_month")
    return f"{', '.join(end_after_runs(groups))}, then ", rounded_cap(total)


def _missing_budget_fix(plan: Plan) -> str:
    types = [provider_of(cloud).budget_type for cloud in _clouds(plan)]
    verb = "counts" if len(types) == 1 else "count"
    return f"add {list_in_words(types)} that {verb} these machines by their {_tags(plan)}"


def _tags(plan: Plan) -> str:
    """Return the words for the tags or labels by which a plan's budgets count machines."""
    tag_words = (f"{provider_of(cloud).tag_word}s" for cloud in _clouds(plan))
    return " or ".join(dict.fromkeys(tag_words))


def _clouds(plan: Plan) -> list[str]:
    return sorted({group.cloud for group in plan.groups})


PLACEHOLDERS: Final = {
    "billing_account": "…",
    "notify": "[…]",
}
"""Placeholders for values that only the user knows; a stack file with one is refused."""


RULE = Rule(
    id="cloud-budget",
    family="budget",
    title="The stack has a budget in the cloud",
    why="A check reads declared resources; only the cloud's billing shows actual spending, hours "
    "later.",
    fix="declare a monthly budget that counts these machines by their tags or labels",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html",
    check=check,
    level="advisory",
    path=("budget",),
)
