"""The breakdown of a quote into its lines and the extra cost of fallbacks, up to its ceiling."""

from collections.abc import Iterator
from decimal import Decimal

from gpuinfra.cost.compare import ROUNDING_TOLERANCE
from gpuinfra.cost.quote import ZERO, Quote, RunCost, RungQuote
from gpuinfra.records import record


@record
class FallbackCost:
    """The extra cost of a workload on the most expensive rung that it may fall back to.

    `rung` is that rung's label; empty where hour and month are dearest on different rungs.
    """

    group: str
    rung: str
    per_hour: Decimal
    per_month: Decimal


@record
class ExcludedRunCosts:
    """The cost of other resources during a run's hours, and their kinds."""

    amount: Decimal
    kinds: tuple[str, ...]


def excluded_run_costs(quote: Quote, run_cost: RunCost) -> ExcludedRunCosts:
    """Return the costs during a run that are not in its figure, because they outlast the run.

    The workload's own and what belongs to no workload, for example the network that several share.
    """
    lines = [
        line
        for line in quote.lines
        if line.per_hour and line.per_run is None and line.group in {None, run_cost.group}
    ]
    return ExcludedRunCosts(
        amount=sum((line.per_hour or ZERO for line in lines), ZERO) * run_cost.hours,
        kinds=tuple(dict.fromkeys(line.kind for line in lines)),
    )


def fallbacks(quote: Quote) -> tuple[FallbackCost, ...]:
    """Return the costs that the ceiling has beyond the lines of the active rungs.

    The lines and these add up to the ceilings of an hour and of a month.
    """
    parts = tuple(_parts(quote))
    hour = quote.per_hour.ceiling - quote.per_hour.active
    month = quote.per_month.ceiling - quote.per_month.active
    difference = (
        abs(sum((part.per_hour for part in parts), ZERO) - hour),
        abs(sum((part.per_month for part in parts), ZERO) - month),
    )
    if max(difference) < ROUNDING_TOLERANCE:
        return parts
    # A rung without a price has no sum of its own: what is left is of them together.
    return (FallbackCost(group="", rung="", per_hour=hour, per_month=month),)


def _parts(quote: Quote) -> Iterator[FallbackCost]:
    by_group = quote.rungs_by_group()
    for group, active_rung in quote.active_rungs.items():
        rungs = by_group[group]
        active = next(rung for rung in rungs if rung.index == active_rung)
        counted_rungs = [rung for rung in rungs if rung.in_ceiling]
        hour = max(counted_rungs, key=_hour, default=active)
        month = max(counted_rungs, key=_month, default=active)
        added_costs = _hour(hour) - _hour(active), _month(month) - _month(active)
        if any(added_costs):
            is_same_rung = hour is month or _hour(month) == _hour(hour)
            yield FallbackCost(
                group=group,
                rung=month.rung.label if is_same_rung else "",
                per_hour=added_costs[0],
                per_month=added_costs[1],
            )


def _hour(rung: RungQuote) -> Decimal:
    return rung.per_hour or ZERO


def _month(rung: RungQuote) -> Decimal:
    return rung.per_month or ZERO
