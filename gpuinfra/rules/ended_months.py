"""The monthly cost of a stack file with a time limit on its training machines."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.supported_keys import accepts
from gpuinfra.cost import Quote
from gpuinfra.cost.quote import add
from gpuinfra.cost.run_hours import month_hours, suggested_end
from gpuinfra.model import Group, Plan
from gpuinfra.rules.run_time_limit import end_after_runs
from gpuinfra.rules.workload_costs import WorkloadCosts
from gpuinfra.units import HOURS_PER_MONTH, format_duration, format_money, round_up

PREPAID: Final = frozenset({"capacity-block"})
"""Purchase modes with a fixed term, which no key can shorten."""

DAY: Final = 24

LONG: Final = 7
"""The days from which on a time_to_live is given in full days."""


def accepts_time_limit(group: Group) -> bool:
    """Return whether a time_to_live is possible for a group without a time limit."""
    is_accepted = accepts(group.cloud, "time_to_live", pool=group.purpose == "inference")
    return is_accepted and group.needs.ends_after is None and group.rung.capacity not in PREPAID


def is_endable(group: Group) -> bool:
    """Return whether a training group counts a full month only since nothing ends it."""
    return (
        group.purpose == "training"
        and accepts_time_limit(group)
        and month_hours(group) == HOURS_PER_MONTH
        and _hours(group) < HOURS_PER_MONTH
    )


def endable_groups(plan: Plan) -> tuple[Group, ...]:
    """Return the groups of a stack file that a time_to_live would end within a month."""
    return tuple(filter(is_endable, plan.groups)) if plan.from_file else ()


def month_if_ended(plan: Plan, quote: Quote, groups: Sequence[Group]) -> Decimal | None:
    """Return the maximum cost of a month in which these groups end; None where it is unknown.

    Shared resources, for example a NAT gateway, count the whole month.
    """
    if quote.unpriced or quote.doubled.get("per_month", Decimal(0)) > quote.per_month.ceiling:
        return None
    idle = Decimal(0)
    costs = WorkloadCosts(plan, quote)
    for group in groups:
        cost = costs.cost_of(group, "month")
        if cost.missing:
            return None
        ending = cost.amount - _kept_cost(plan, quote, group)
        idle += ending * (1 - _hours(group) / HOURS_PER_MONTH)
    return round_up(quote.per_month.ceiling - idle)


def longest_end(plan: Plan, quote: Quote, group: Group) -> int | None:
    """Return the longest time_to_live of a group in hours within the cap of a month.

    None where the month is within its cap or unknown, or where no end after the run suffices.
    """
    cap = plan.caps.per_month
    cost = WorkloadCosts(plan, quote).cost_of(group, "month")
    excess = Decimal(0) if cap is None else quote.per_month.ceiling - cap
    ending = cost.amount - _kept_cost(plan, quote, group)
    if not is_endable(group) or excess <= 0 or excess >= ending:
        return None
    if month_if_ended(plan, quote, [group]) is None:
        return None
    hours = int(HOURS_PER_MONTH * (ending - excess) // (ending * group.needs.runs))
    days = hours - hours % DAY if hours >= LONG * DAY else hours
    return days if days >= (group.needs.hours or 1) else None


def fix_with_ends(fix: str, cap: Decimal, plan: Plan, quote: Quote) -> str:
    """Return the fix of a month above its cap, with the ends that shorten it first.

    Where they do not suffice, the cap to raise is that of a month with them.
    """
    groups = endable_groups(plan)
    if not groups:
        return fix
    ends = ", ".join(end_after_runs(groups))
    total = month_if_ended(plan, quote, groups)
    if total is None:
        return f"{ends}, {fix}"
    longest = longest_end(plan, quote, groups[0]) if len(groups) == 1 else None
    if longest is not None and (total > cap or groups[0].needs.hours is None):
        end = format_duration(timedelta(hours=longest))
        shorter = f"end {groups[0].name} after a time (time_to_live: {end})"
        return f"{shorter}, the longest within the cap; or {fix}"
    ended_cost = f"{ends}: then up to {format_money(total)} per month"
    if total <= cap:
        return f"{ended_cost}; or {fix}"
    fix_start, raised, amount = fix.rpartition(" to ")
    return f"{ended_cost}; {fix_start}{raised}{total} with that, to {amount} without"


def _kept_cost(plan: Plan, quote: Quote, group: Group) -> Decimal:
    """Return the cost of a month of the disks that are kept when a group's machines end."""
    kept_disks = {
        (item.group, item.name, item.item)
        for item in plan.items
        if item.group == group.name and item.kept_when_stopped
    }
    lines = (line for line in quote.lines if (line.group, line.name, line.item) in kept_disks)
    return add(lines).per_month


def _hours(group: Group) -> Decimal:
    """Return the monthly hours of a group's machines with a time limit."""
    return suggested_end(group) * group.needs.runs
