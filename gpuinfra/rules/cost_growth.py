"""The stack costs about as much as when its lock was written."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.cost import Quote
from gpuinfra.errors import lock_update
from gpuinfra.rules.budget import MISSING_PRICE_FIX
from gpuinfra.rules.rule import (
    Finding,
    LockedTotals,
    Rule,
    RuleInput,
    Setting,
    fine,
    not_applicable,
    not_knowable,
    violated,
)
from gpuinfra.units import format_money, format_share

DIGITS: Final = 3
"""Growth is rounded to 0.1 %."""


def check(rule_input: RuleInput, settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare the current totals with those of the lock, where both are known."""
    subject, locked_totals, most = rule_input.plan.name, rule_input.locked, settings["maximum"]
    if locked_totals is None:
        yield not_applicable(subject, "the stack has no lock")
        return
    quote = locked_totals.quote_today or rule_input.quote
    if quote is None:
        yield not_knowable(subject, "no quote was made for this plan")
        return
    sums = dict(_sums(locked_totals, quote))
    grown = [
        _growth_message(span, locked_cost, current_cost, most)
        for span, (locked_cost, current_cost) in sums.items()
        if current_cost > locked_cost * (1 + most)
    ]
    if grown:
        yield violated(subject, "; ".join(grown), fix=_fix(locked_totals.update_command))
    elif quote.unpriced:
        statement = f"the cost is unknown: {'; '.join(quote.unpriced)}"
        yield not_knowable(subject, statement, fix=MISSING_PRICE_FIX)
    else:
        yield fine(subject, f"at most {format_share(most)} more than its lock")


def _sums(
    locked_totals: LockedTotals, quote: Quote
) -> Iterator[tuple[str, tuple[Decimal, Decimal]]]:
    """Yield the maximum costs of the lock and of the quote, per hour, month and run."""
    run = None if quote.per_run is None else quote.per_run.ceiling
    for span, locked_cost, current_cost in (
        ("hour", locked_totals.per_hour, quote.per_hour.ceiling),
        ("month", locked_totals.per_month, quote.per_month.ceiling),
        ("run", locked_totals.per_run, run),
    ):
        if locked_cost is not None and current_cost is not None:
            yield span, (locked_cost, current_cost)


def _growth_message(span: str, locked: Decimal, current_cost: Decimal, maximum: Decimal) -> str:
    growth = f"{format_share(round(current_cost / locked - 1, DIGITS))} more" if locked else "more"
    return (
        f"up to {format_money(current_cost)} per {span}, {growth} than the {format_money(locked)} "
        f"of its lock; allowed: {format_share(maximum)}"
    )


def _fix(update_command: str) -> str:
    return f"review what grew, then accept it: `{update_command}`"


RULE = Rule(
    id="cost-growth",
    family="budget",
    title="The cost growth since the lock stays within the limit",
    why="A stack can grow up to its cap without a warning.",
    fix=_fix(lock_update()),
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/manage-ad.html",
    check=check,
    settings=(
        Setting(
            name="maximum",
            kind="share",
            default=Decimal("0.1"),
            why="maximum growth over the lock",
        ),
    ),
)
