"""List prices are recent, or their age is accepted or can't change the verdict."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from gpuinfra.catalog.fact_age import none_of_day, refresh_commands
from gpuinfra.cost import Quote
from gpuinfra.cost.outdated_prices import are_negligible
from gpuinfra.model import Plan
from gpuinfra.rules.rule import (
    Finding,
    Level,
    Rule,
    RuleInput,
    fine,
    not_applicable,
    not_knowable,
    violated,
)
from gpuinfra.units import format_money


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Report outdated prices: an error where a cap may be exceeded with them, else a warning.

    A cap may not hold that would be exceeded if the outdated prices had doubled. Where hardly a
    total changes with that, they are fine.
    """
    quote, subject = rule_input.quote, rule_input.plan.name
    if quote is None:
        yield not_knowable(subject, "no quote was made for this plan")
        return
    items = dict.fromkeys(line.item for line in quote.outdated)
    if not items and quote.unpriced:
        yield not_applicable(subject, "no list prices are used")
        return
    if not items:
        yield fine(subject, "all list prices are recent")
        return
    age_note = _not_of_day(rule_input, quote)
    statement = age_note or f"outdated prices: {', '.join(items)} (oldest: {quote.oldest})"
    if quote.accept_outdated:
        yield fine(subject, f"{statement}, accepted")
        return
    affected = _affected_cost_text(quote)
    if are_negligible(quote):
        yield fine(subject, f"{statement}; {affected}, too little to matter")
        return
    level: Level = "mandatory" if quote.at_risk else "advisory"
    parts = filter(None, (statement, affected, *quote.at_risk))
    yield violated(
        subject, "; ".join(parts), fix=outdated_prices_fix(rule_input, quote), level=level
    )


def outdated_prices_fix(rule_input: RuleInput, quote: Quote) -> str:
    """Return the fix where outdated prices decide: use current prices, or accept these."""
    if _not_of_day(rule_input, quote):
        return ACCEPT
    commands = _machine_price_commands(rule_input.plan, quote)
    steps = [" and ".join(commands)] if commands else []
    locked = rule_input.locked
    if locked is not None and any(line.origin == "lock" for line in quote.outdated):
        steps.append(f"`{locked.update_command}`")
    return f"run {', then '.join(steps)}, or {ACCEPT}" if steps else ACCEPT


def _not_of_day(rule_input: RuleInput, quote: Quote) -> str:
    return none_of_day((line.as_of for line in quote.outdated), rule_input.today)


def _affected_cost_text(quote: Quote) -> str:
    """Return how much of the cost depends on outdated prices; empty without an amount yet."""
    amounts = [line.per_month for line in quote.outdated if line.per_month]
    if not amounts:
        return ""
    most = min(sum(amounts, Decimal(0)), quote.per_month.ceiling)
    return f"they make {format_money(most)} of {format_money(quote.per_month.ceiling)} a month"


def _machine_price_commands(plan: Plan, quote: Quote) -> Sequence[str]:
    """Return the commands, one per cloud, that fetch the outdated prices of machines."""
    outdated = {(line.item, line.region) for line in quote.outdated}
    return refresh_commands(
        (group.cloud, rung.region)
        for group in plan.groups
        for rung in group.rungs
        if any((type_, rung.region) in outdated for type_ in (rung.machine, *group.machines))
    )


ACCEPT: Final = "set prices: {accept_outdated: true}"

RULE = Rule(
    id="price-outdated",
    family="budget",
    title="List prices are recent",
    why="GPU prices can change by half in a year; a cap on old prices is a guess. It fails the "
    "check where a cap would be exceeded if the old prices had doubled; else it warns.",
    fix=f"run for example {refresh_commands([('aws', 'us-east-1')])[0]}, or {ACCEPT}",
    source="https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/price-changes.html",
    check=check,
    firm=True,
    path=("prices",),
    alone=True,
)
