"""The monthly cost of a stack file with a time limit on its training machines."""

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Final

from gpuinfra.clouds.supported_keys import accepts
from gpuinfra.cost import Quote
from gpuinfra.cost.machines import month_hours
from gpuinfra.model import Group, Plan
from gpuinfra.model.time_to_live import time_to_live
from gpuinfra.rules.run_time_limit import end_after_runs
from gpuinfra.rules.workload_costs import WorkloadCosts
from gpuinfra.units import HOURS_PER_MONTH, format_money

PREPAID: Final = frozenset({"capacity-block"})
"""Purchase modes with a fixed term, which no key can shorten."""

CENT: Final = Decimal("0.01")


def accepts_time_limit(group: Group) -> bool:
    """Return whether a time_to_live is possible for a group without a time limit."""
    takes = accepts(group.cloud, "time_to_live", pool=group.purpose == "inference")
    return takes and group.needs.ends_after is None and group.rung.capacity not in PREPAID


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
        idle += cost.amount * (1 - _hours(group) / HOURS_PER_MONTH)
    return (quote.per_month.ceiling - idle).quantize(CENT, ROUND_CEILING)


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
    then = f"{ends}: then up to {format_money(total)} per month"
    if total <= cap:
        return f"{then}; or {fix}"
    others, raised, amount = fix.rpartition(" to ")
    return f"{then}; {others}{raised}{total} with that, to {amount} without"


def _hours(group: Group) -> Decimal:
    """Return the monthly hours of a group's machines with a time limit."""
    return time_to_live(group.needs.hours) * group.needs.runs
