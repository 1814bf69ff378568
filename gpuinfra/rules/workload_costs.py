"""The maximum cost of each workload's machines, with their disks and addresses."""

from decimal import Decimal
from typing import Literal

from gpuinfra.cost import Line, Quote
from gpuinfra.cost.outdated_prices import RISE
from gpuinfra.cost.quote import ZERO
from gpuinfra.model import Group, Plan
from gpuinfra.records import record
from gpuinfra.units import HOURS_PER_MONTH

Span = Literal["hour", "month"]


@record(kw_only=False)
class WorkloadCost:
    """The maximum cost of a workload's machines, and messages about its unknown parts.

    `if_doubled` is the cost if outdated prices that are not accepted had doubled.
    """

    amount: Decimal
    if_doubled: Decimal
    missing: tuple[str, ...]


class WorkloadCosts:
    """The costs of the workloads of a plan, each on its most expensive available rung.

    Shared resources, for example a gateway or a bucket, do not count: every source of a plan shows
    the same sum. A reservation costs the most by itself while the groups that grow within it are
    at their minimum.
    """

    def __init__(self, plan: Plan, quote: Quote) -> None:
        self._rungs = quote.rungs_by_group()
        self._risen = {_price_of(line) for line in quote.outdated if not quote.accept_outdated}
        items = {(item.group, item.name, item.item) for item in plan.items if item.per_machine}
        self._beside: dict[str | None, list[Line]] = {}
        for line in quote.lines:
            if (line.group, line.name, line.item) in items:
                self._beside.setdefault(line.group, []).append(line)

    def cost_of(self, group: Group, span: Span) -> WorkloadCost:
        """Return the cost of a workload; it is missing where the quote does not include it."""
        steps = self._rungs.get(group.name)
        if steps is None:
            return WorkloadCost(ZERO, ZERO, ("the quote does not include it",))
        usable_steps = [step for step in steps if step.skip_reason is None] or steps
        shared_items = self._beside.get(group.name, [])
        sums = [(*rung_quote.machines, *shared_items) for rung_quote in usable_steps]
        return WorkloadCost(
            amount=max(sum((_higher_cost(line, span) for line in lines), ZERO) for lines in sums),
            if_doubled=max(
                sum((_higher_cost(line, span) * self._rise(line) for line in lines), ZERO)
                for lines in sums
            ),
            missing=tuple(
                dict.fromkeys(
                    line.note for lines in sums for line in lines if line.status == "unpriced"
                )
            ),
        )

    def _rise(self, line: Line) -> int:
        return RISE if not line.has_no_age and _price_of(line) in self._risen else 1


def _price_of(line: Line) -> tuple[str, ...]:
    return line.item, line.region, line.kind, line.origin, line.as_of


def _higher_cost(line: Line, span: Span) -> Decimal:
    """Return the cost of a line at its maximum or at its minimum, whichever is higher."""
    most = line.per_hour if span == "hour" else line.per_month
    least = line.minimum_per_hour
    if line.per_hour is not None and least is not None and least > line.per_hour:
        return least if span == "hour" else least * HOURS_PER_MONTH
    return ZERO if most is None else most
