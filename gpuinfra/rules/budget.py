"""The comparison of a maximum cost with its cap, shared by the cap rules; it fails closed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, Decimal
from typing import Final, Literal

from gpuinfra.clouds import provider_of
from gpuinfra.cost import Quote, Total
from gpuinfra.cost.line_names import line_name
from gpuinfra.cost.outdated_prices import are_negligible
from gpuinfra.cost.quote import ZERO, Span
from gpuinfra.cost.run_hours import month_hours, runs_anew
from gpuinfra.model import Caps, Group, Plan, Unknown
from gpuinfra.rules.ended_months import PREPAID, accepts_time_limit, fix_with_ends, is_endable
from gpuinfra.rules.machine_counts import counted_at, no_way_left
from gpuinfra.rules.overlap import overlap_fix, overlap_text, with_overlap
from gpuinfra.rules.rule import Finding, RuleInput, fine, not_applicable, not_knowable, violated
from gpuinfra.rules.run_time_limit import endless_reasons
from gpuinfra.units import CENT, HOURS_PER_MONTH, format_excess, format_money, round_up

SUGGESTED_CAP_FACTOR: Final = Decimal("1.2")
"""The factor from a stack's maximum cost to a suggested cap."""

ROUNDING_SHARE: Final = 12
"""A suggested cap is rounded up by at most this part of it: 1.2 times a cost becomes 1.3 times."""

MISSING_PRICE_FIX: Final = (
    "settle the findings of price-unknown: a price in prices.yaml, or prices: {not_counted: […]} "
    "to exclude it from the caps"
)
"""The fix where a cost can't be compared with its cap, since a price is missing."""

UNCOUNTED_PREFIX: Final = "; usage-based, not counted:"
"""The suffix of a message that lists charges outside the caps."""


def compare_stack(rule_input: RuleInput, span: Literal["hour", "month"]) -> Finding:
    """Compare the maximum cost of the stack, on the rungs that are not excluded, with its cap."""
    caps = rule_input.plan.caps
    cap = {"hour": caps.per_hour, "month": caps.per_month}[span]
    subject = rule_input.plan.name
    if cap is None:
        return not_applicable(subject, f"no cap per {span}")
    if rule_input.quote is None:
        return not_knowable(subject, "no quote was made for this plan")
    key: Literal["per_hour", "per_month"] = "per_hour" if span == "hour" else "per_month"
    quote = with_overlap(rule_input.quote, rule_input.overlap)
    total = {"hour": quote.per_hour, "month": quote.per_month}[span]
    finding = compare(subject, total, span, cap, quote)
    fix = exceeded_cap_fix(key, rule_input.plan, rule_input.plan.groups, quote)
    finding = with_raised_cap(finding, f"{overlap_fix(rule_input.overlap)}{fix}", key, quote)
    if finding.outcome != "violated":
        return finding
    if span == "month":
        finding = replace(finding, fix=fix_with_ends(finding.fix, cap, rule_input.plan, quote))
    exceeds_hourly_cap = caps.per_hour is not None and quote.per_hour.ceiling > caps.per_hour
    # Where both caps are exceeded, the finding about the hour says it.
    sizes = () if span == "month" and exceeds_hourly_cap else counted_at(rule_input.plan.groups)
    overlap_texts = overlap_text(rule_input.overlap)
    why_full = _why_full(rule_input.plan.groups) if span == "month" else ()
    reasons = "".join(f"; {size_text}" for size_text in (*overlap_texts, *sizes, *why_full))
    message, outside, charges = finding.message.partition(UNCOUNTED_PREFIX)
    return replace(finding, message=f"{message}{reasons}{outside}{charges}")


def exceeded_cap_fix(
    key: Span, plan: Plan | None = None, groups: Sequence[Group] = (), quote: Quote | None = None
) -> str:
    """Return the fix for an exceeded cap, which ends with the budget key to raise.

    For a stack file with the keys that bound the cost of its groups on their clouds. A maximum
    price bounds spot machines, where the cloud takes one: without it they count at the price on
    demand. It is not named where today's spot price is no lower.
    """
    ended = "set a time limit (time_to_live, where the cloud supports it), "
    price_condition = last = ""
    if plan is not None and plan.from_file:
        endless = [
            group for group in groups if accepts_time_limit(group) and not is_endable(group)
        ]
        pools = [group.name for group in endless if group.purpose == "inference"]
        run_names = [group.name for group in endless if group.purpose != "inference"]
        growing = [group.name for group in groups if _grows(group)]
        ended = f"end {', '.join(run_names)} after a time (time_to_live), " if run_names else ""
        ended += f"set a smaller maximum of replicas of {', '.join(growing)}, " if growing else ""
        last = f", end {', '.join(pools)} after a time (time_to_live)" if pools else ""
        unbound = filter(_is_unbound, groups)
        lowered = any(_is_above_spot(group, quote) for group in unbound)
        price_condition = ", set max_price for spot" if lowered else ""
    ended, last = (ended, last) if key == "per_month" else ("", "")
    return f"{ended}use fewer or cheaper machines{price_condition}{last}, or raise budget.{key}"


def _grows(group: Group) -> bool:
    """Return whether a group is a pool that grows above its minimum."""
    least, most = group.minimum, group.maximum
    if group.purpose != "inference" or isinstance(least, Unknown) or isinstance(most, Unknown):
        return False
    return least < most


def _is_unbound(group: Group) -> bool:
    """Return whether a group has spot machines without a max_price though its cloud takes one."""
    return provider_of(group.cloud).takes_spot_maximum and any(
        rung.capacity == "spot" and rung.max_price is None for rung in group.rungs
    )


def _is_above_spot(group: Group, quote: Quote | None) -> bool:
    """Return whether a group counts at more than today's spot price, or no price is known."""
    lines = [
        line
        for line in (() if quote is None else quote.lines)
        if line.group == group.name and line.item == group.rung.machine and line.per_hour
    ]
    return not lines or any(line.expected_per_hour != line.per_hour for line in lines)


def _why_full(groups: Sequence[Group]) -> Iterator[str]:
    """Yield reasons why groups count a full month despite a stated end or shorter runs."""
    yield from endless_reasons(filter(_is_endless, groups))
    if without_end := groups_without_sure_end(groups):
        yield full_months_note(without_end)
    again = [group.name for group in groups if group.needs.ends_after and runs_anew(group)]
    if again:
        yield (
            f"{', '.join(again)} counts {HOURS_PER_MONTH} hours, since the stack starts it again "
            "after it ends: set how many runs a month has (runs) in resources of the settings"
        )


def _is_endless(group: Group) -> bool:
    """Return whether a shorter run is counted for a full month, since no setting ends it."""
    hours = group.needs.hours
    return hours is not None and not _is_said_to_end(group) and hours < HOURS_PER_MONTH


def _is_said_to_end(group: Group) -> bool:
    needs = group.needs
    end_is_stated = needs.ends_after is not None or needs.ends_claimed is not None
    return end_is_stated or month_hours(group) < HOURS_PER_MONTH or group.rung.capacity in PREPAID


def groups_without_sure_end(groups: Iterable[Group]) -> tuple[str, ...]:
    """Return the groups that count a full month though a program claims that something ends them.

    What ends them is not seen, or it is not known yet that it may end them, for example while the
    policy that lets it is written from what an update makes.
    """
    return tuple(
        group.name
        for group in groups
        if group.needs.ends_claimed is not None
        and group.needs.ends_claimed * group.needs.runs < HOURS_PER_MONTH
        and month_hours(group) == HOURS_PER_MONTH
    )


def full_months_note(groups: Sequence[str]) -> str:
    """Return the reason why groups with an end count a full month, and the fix."""
    return (
        f"{', '.join(groups)} counts {HOURS_PER_MONTH} hours, since it is not known yet that "
        "a declared resource ends the machines and has permission to: declare one, write its "
        "policy from names that are known before the update, or set usage.ends_after in the "
        "pack's settings"
    )


def suggested_cap(quote: Quote | None, key: Span) -> str:
    """Return a cap for a fix: 20 to 30 % above the maximum cost; … where it is unknown.

    Where outdated prices are not accepted, it leaves room for them to have doubled.
    """
    total: Total | None = getattr(quote, key, None)
    if quote is None or total is None or not total.ceiling:
        return "…"
    return rounded_cap(total.ceiling, _if_doubled(quote, key))


def rounded_cap(cost: Decimal, minimum: Decimal = ZERO) -> str:
    """Return a cap 20 to 30 % above a cost, at least so much: a multiple of 1 or 5, 10 or 50."""
    most = max(cost * SUGGESTED_CAP_FACTOR, minimum)
    ten = Decimal(1).scaleb((most / ROUNDING_SHARE).adjusted())
    step = max(5 * ten if 5 * ten * ROUNDING_SHARE <= most else ten, CENT)
    cap = (step * (most / step).to_integral_value(ROUND_CEILING)).quantize(CENT)
    return str(cap).removesuffix(".00")


def cap_for_fix(quote: Quote | None, key: Literal["per_hour", "per_month"]) -> str:
    """Return the cap that a fix suggests; … if any price is unknown."""
    return "…" if quote is not None and quote.unpriced else suggested_cap(quote, key)


def with_raised_cap(finding: Finding, fix: str, key: Span, quote: Quote) -> Finding:
    """Return the finding with its fix, extended by the amount to which the cap must be raised.

    Without an amount where a price is unknown, since none is known to suffice. Where outdated
    prices are not accepted, the amount leaves room for them to have doubled.
    """
    total: Total | None = getattr(quote, key)
    if finding.outcome != "violated" or total is None:
        return finding
    current_cap, doubled = round_up(total.ceiling), round_up(_if_doubled(quote, key))
    room_text = (
        f" (covers outdated prices that double; {current_cap} is enough with "
        "prices: {accept_outdated: true})"
        if doubled > current_cap and not are_negligible(quote)
        else ""
    )
    return replace(
        finding, fix=fix if quote.unpriced else f"{fix} to {max(current_cap, doubled)}{room_text}"
    )


def _if_doubled(quote: Quote, key: Span) -> Decimal:
    """Return the cost if outdated prices have doubled; 0 if they are accepted or none exist."""
    return ZERO if quote.accept_outdated else quote.doubled.get(key, ZERO)


def budget_keys_fix(caps: Caps, keys_text: str) -> str:
    """Return a fix that adds keys to the file's `budget`, or that adds the `budget` itself."""
    return f"add to budget: {keys_text}" if caps != Caps() else f"add budget: {{{keys_text}}}"


def compare(
    subject: str, total: Total, span: str, cap: Decimal, quote: Quote, group: str | None = None
) -> Finding:
    """Compare a total, of one group if it is named, with its cap.

    Items with only a rate are outside the cap and are named. `span` may say what counts in it.
    """
    cost = f"up to {format_money(total.ceiling)} per {span}"
    limit = f"the cap of {format_money(cap)}"
    outside = f"{_bounded_prices_note(quote, group)}{_unknown_quantities_note(quote, group)}"
    if total.ceiling > cap:
        problem = no_way_left(quote, limit, group)
        amount, most = format_excess(total.ceiling, cap)
        excess = f"up to {amount} per {span}, above the cap of {most}"
        return violated(subject, f"{excess}{problem}{outside}")
    if quote.unpriced:
        missing = "; ".join(map(_with_short_names, quote.unpriced))
        known_cost = f"{format_money(total.ceiling)} per {span}"
        message = f"{known_cost} plus parts without a price: {missing}{outside}"
        return not_knowable(subject, message, fix=MISSING_PRICE_FIX)
    return fine(subject, f"{cost}, within {limit}{outside}")


def _with_short_names(message: str) -> str:
    """Return a message with the name of a resource instead of its whole URN."""
    return re.sub(r"^urn:pulumi:.*?::.*?::.*?::", "", message)


def _bounded_prices_note(quote: Quote, group: str | None) -> str:
    """Return a note that names the items without a price that are counted at a bound."""
    lines = (
        f"{line.item} of {line.group or line.name}"
        for line in quote.bounded
        if line.status == "priced" and group in {None, line.group}
    )
    return _suffix_with_names("; counted at a bound:", lines)


def _unknown_quantities_note(quote: Quote, group: str | None) -> str:
    """Return a note that names the items with a price and an unknown quantity."""
    lines = (
        f"{line_name(line)} of {line.group or line.name}"
        for line in quote.rates
        if group is None or line.group == group
    )
    return _suffix_with_names(UNCOUNTED_PREFIX, lines, "; ")


def _suffix_with_names(message: str, names: Iterable[str], separator: str = ", ") -> str:
    listed = separator.join(dict.fromkeys(names))
    return f"{message} {listed}" if listed else ""
