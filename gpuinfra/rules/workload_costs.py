"""The maximum cost of one workload's machines, with their disks and addresses."""

from decimal import Decimal
from typing import Literal

from gpuinfra.cost import Line, Quote
from gpuinfra.model import Group, Plan
from gpuinfra.records import record
from gpuinfra.units import HOURS_PER_MONTH


@record(kw_only=False)
class WorkloadCost:
    """The maximum cost of a workload's machines, and messages about its unknown parts."""

    amount: Decimal
    missing: tuple[str, ...]


def workload_cost(
    plan: Plan, quote: Quote, group: Group, span: Literal["hour", "month"]
) -> WorkloadCost:
    """Return the cost of a workload's machines, each with its disks and addresses.

    That is on the most expensive available rung. Shared resources, for example a gateway or a
    bucket, do not count: every source of a plan shows the same sum. A reservation costs the most
    by itself while the groups that grow within it are at their minimum.
    """
    steps = [rung for rung in quote.rungs if rung.group == group.name]
    left = [step for step in steps if step.struck is None] or steps
    own = {
        (item.name, item.item)
        for item in plan.items
        if item.per_machine and item.group == group.name
    }
    beside = [
        line for line in quote.lines if line.group == group.name and (line.name, line.item) in own
    ]
    sums = [(*rung_quote.machines, *beside) for rung_quote in left]
    return WorkloadCost(
        amount=max(sum((_most(line, span) for line in lines), Decimal(0)) for lines in sums),
        missing=tuple(
            dict.fromkeys(
                line.note for lines in sums for line in lines if line.status == "unpriced"
            )
        ),
    )


def _most(line: Line, span: Literal["hour", "month"]) -> Decimal:
    """Return the cost of a line at its maximum or at its minimum, whichever is higher."""
    most = line.per_hour if span == "hour" else line.per_month
    least = line.minimum_per_hour
    if line.per_hour is not None and least is not None and least > line.per_hour:
        return least if span == "hour" else least * HOURS_PER_MONTH
    return Decimal(0) if most is None else most
