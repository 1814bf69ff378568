"""The effect of a change on the cost rate of each workload, on the active rungs."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.cost.compare import ROUNDING_TOLERANCE, CostSummary
from gpuinfra.cost.quote import ZERO, Line, add
from gpuinfra.records import record

REST_LABEL: Final = "the rest"


@record
class CostRate:
    """The maximum cost per hour and month; a lower bound if `is_complete` is False."""

    per_hour: Decimal = ZERO
    per_month: Decimal = ZERO
    is_complete: bool = True


@record
class WorkloadCostChange:
    """The rate of one workload before and after; None where it doesn't exist."""

    workload: str
    before: CostRate | None
    after: CostRate | None

    @property
    def per_hour(self) -> Decimal:
        """The change of the hourly cost."""
        return _rate_or_zero(self.after).per_hour - _rate_or_zero(self.before).per_hour

    @property
    def per_month(self) -> Decimal:
        """The change of the monthly cost."""
        return _rate_or_zero(self.after).per_month - _rate_or_zero(self.before).per_month

    @property
    def is_unchanged(self) -> bool:
        """Whether neither cost changes."""
        return max(abs(self.per_hour), abs(self.per_month)) < ROUNDING_TOLERANCE


@record
class CostMovement:
    """The changes of the workloads, the largest first, and their total."""

    moves: tuple[WorkloadCostChange, ...]
    total: WorkloadCostChange

    @property
    def is_unchanged(self) -> bool:
        """Whether no workload's rate changes."""
        return all(cost_change.is_unchanged for cost_change in self.moves)


def movement(
    earlier_summary: CostSummary | None,
    later_summary: CostSummary | None,
    name_of: Callable[[str], str],
) -> CostMovement:
    """Compare two quotes; None is the quote of no resources.

    Args:
        earlier_summary: of the deployed stack.
        later_summary: of the planned stack.
        name_of: the workload of a name in a quote, which in a state is that of a resource.
    """
    old, new = (
        _lines_by_workload(_lines(quote), name_of) for quote in (earlier_summary, later_summary)
    )
    moves = [
        WorkloadCostChange(workload=name, before=_rate(old.get(name)), after=_rate(new.get(name)))
        for name in dict.fromkeys((*old, *new))
    ]
    ordered = sorted(
        moves,
        key=lambda cost_change: (cost_change.workload == REST_LABEL, -abs(cost_change.per_month)),
    )
    total = WorkloadCostChange(
        workload="total", before=_rate(_lines(earlier_summary)), after=_rate(_lines(later_summary))
    )
    return CostMovement(moves=tuple(ordered), total=total)


def _lines_by_workload(
    lines: Iterable[Line], name_of: Callable[[str], str]
) -> dict[str, list[Line]]:
    grouped: dict[str, list[Line]] = {}
    for line in lines:
        # A line of the whole stack follows a workload, and is no part of its cost.
        owner = line.name if line.subject == line.name else line.group or line.name
        grouped.setdefault(name_of(owner), []).append(line)
    return grouped


def _lines(quote: CostSummary | None) -> Sequence[Line]:
    return () if quote is None else [line for line in quote.lines if line.status != "rate"]


def _rate(lines: Sequence[Line] | None) -> CostRate | None:
    if not lines:
        return None
    total = add(lines)
    return CostRate(
        per_hour=total.per_hour, per_month=total.per_month, is_complete=not total.missing
    )


def _rate_or_zero(rate: CostRate | None) -> CostRate:
    return rate or CostRate()
