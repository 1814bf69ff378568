"""The rule cap-per-workload: a workload's machines cost no more than its cap."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.model import Group
from gpuinfra.rules.budget import MISSING_PRICE_FIX
from gpuinfra.rules.price_outdated import outdated_prices_fix
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    RuleInput,
    Setting,
    each_group,
    fine,
    not_applicable,
    not_knowable,
    violated,
)
from gpuinfra.rules.workload_costs import Span, WorkloadCost, WorkloadCosts
from gpuinfra.units import format_excess, format_money, round_up

FIX: Final = (
    "use fewer or cheaper machines in this workload, or raise the cap in the settings of this rule"
)

SPANS: Final[tuple[Span, ...]] = ("hour", "month")


def check(rule_input: RuleInput, settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare the cost of each workload's machines, disks and addresses with its caps.

    A cap does not hold that would be exceeded if the outdated prices had doubled.
    """
    caps: dict[Span, Decimal] = {
        span: cap for span in SPANS if (cap := settings[f"per_{span}"]) is not None
    }
    quote, plan = rule_input.quote, rule_input.plan
    if not caps:
        yield not_applicable(plan.name, "no cap per workload")
    elif quote is None:
        yield not_knowable(plan.name, "no quote was made for this plan")
    else:
        costs = WorkloadCosts(plan, quote)
        outdated_fix = outdated_prices_fix(rule_input, quote) if quote.outdated else ""
        yield from each_group(
            rule_input,
            lambda group: _group(
                group, {span: costs.cost_of(group, span) for span in caps}, caps, outdated_fix
            ),
        )


def _group(
    group: Group,
    costs_by_span: Mapping[Span, WorkloadCost],
    caps: Mapping[Span, Decimal],
    outdated_fix: str,
) -> Finding:
    excess_texts = [
        _excess_text(span, costs_by_span[span].amount, cap)
        for span, cap in caps.items()
        if costs_by_span[span].amount > cap
    ]
    missing = dict.fromkeys(item for share in costs_by_span.values() for item in share.missing)
    if excess_texts:
        return violated(
            group.subject,
            "; ".join(excess_texts),
            fix="" if missing else _raised_caps_fix(costs_by_span, caps),
        )
    if missing:
        message = f"the cost is unknown: {', '.join(missing)}"
        return not_knowable(group.subject, message, fix=MISSING_PRICE_FIX)
    at_risk = [
        _excess_text(span, costs_by_span[span].if_doubled, cap, " if outdated prices had doubled")
        for span, cap in caps.items()
        if costs_by_span[span].if_doubled > cap
    ]
    if at_risk:
        fix = f"{outdated_fix}; or {_raised_caps_fix(costs_by_span, caps)}"
        return violated(group.subject, "; ".join(at_risk), fix=fix)
    within = (
        f"its machines cost up to {format_money(costs_by_span[span].amount)} per {span}, within"
        f" its cap of {format_money(cap)}"
        for span, cap in caps.items()
    )
    return fine(group.subject, "; ".join(within))


def _excess_text(span: Span, cost: Decimal, cap: Decimal, condition: str = "") -> str:
    amount, most = format_excess(cost, cap)
    return f"its machines cost up to {amount} per {span}{condition}, above its cap of {most}"


def _raised_caps_fix(
    costs_by_span: Mapping[Span, WorkloadCost], caps: Mapping[Span, Decimal]
) -> str:
    """Return the fix, with the amounts to which this workload's caps must be raised.

    They leave room for outdated prices that double.
    """
    amounts = (
        f"per_{span} to {round_up(costs_by_span[span].if_doubled)}"
        for span, cap in caps.items()
        if costs_by_span[span].if_doubled > cap
    )
    return f"{FIX}: {', '.join(amounts)}"


RULE = Rule(
    id="cap-per-workload",
    family="budget",
    title="The cost of each workload stays within its own cap",
    why="One workload can use up the budget of the whole stack without exceeding the stack's cap.",
    fix=FIX,
    source="https://docs.aws.amazon.com/wellarchitected/latest/cost-optimization-pillar/",
    check=check,
    alone=True,
    settings=(
        Setting(name="per_hour", kind="money", default=None, why="maximum cost in USD per hour"),
        Setting(name="per_month", kind="money", default=None, why="maximum cost in USD per month"),
    ),
)
