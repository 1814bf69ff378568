"""The cost change of a preview, up, refresh or destroy, by workload."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.api.deployed_cost import deployed_quote
from gpuinfra.api.resource_workloads import workload_finder
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import clean, json_value, show_table
from gpuinfra.cost.breakdown import FallbackCost, fallbacks
from gpuinfra.cost.cost_rate_changes import CostMovement, CostRate, WorkloadCostChange, movement
from gpuinfra.cost.quote import ZERO
from gpuinfra.engine.contract import Outcome, RunRequest, StackStatus
from gpuinfra.errors import GpuinfraError
from gpuinfra.report.summary import totals
from gpuinfra.stackfile import StackDocument
from gpuinfra.units import (
    CENT,
    format_change,
    format_money,
    hourly_unit,
    round_half_up,
    round_to_total,
)

COLUMNS = ("workload", "per hour", "per month")
SPANS = ("per_hour", "per_month")


def show(movement: CostMovement, caption: str = "") -> None:
    """Print a table of the workloads whose cost changes, with the total of several.

    One line if none changes. Where nothing was deployed before or is after, there is one amount,
    and the title says that in place of the caption.
    """
    if movement.is_unchanged:
        rate = movement.total.after
        if rate is not None:
            click.echo(f"cost stays at {_rate_text(rate)}")
        return
    title = _one_sided_title(movement.total)
    rows = list(_rows(movement, one_sided=bool(title)))
    show_table(COLUMNS, rows, right=COLUMNS[1:], total=len(rows) > 1, title=title or caption)


def _rows(movement: CostMovement, *, one_sided: bool) -> Iterator[tuple[str, ...]]:
    """Yield the workloads whose cost changes, the sum of the others, and the total of several."""
    changed_workloads = [change for change in movement.moves if not change.is_unchanged]
    still = [
        cost_change.after
        for cost_change in movement.moves
        if cost_change.is_unchanged and costs(cost_change)
    ]
    other_workloads = _together(filter(None, still)) if still else None
    names = [clean(cost_change.workload) for cost_change in changed_workloads]
    names += [f"{len(still)} unchanged"] if still else []
    names += [movement.total.workload] if len(names) > 1 else []
    columns = (
        _column(movement.total, changed_workloads, other_workloads, span, one_sided=one_sided)
        for span in SPANS
    )
    yield from zip(names, *columns, strict=False)  # one row is its own total


def _together(rates: Iterable[CostRate]) -> CostRate:
    """Return the sum of the rates of workloads."""
    rate_list = list(rates)
    return CostRate(
        per_hour=sum((rate.per_hour for rate in rate_list), ZERO),
        per_month=sum((rate.per_month for rate in rate_list), ZERO),
        is_complete=all(rate.is_complete for rate in rate_list),
    )


def _column(
    total: WorkloadCostChange,
    changed_workloads: Sequence[WorkloadCostChange],
    rest_rate: CostRate | None,
    span: str,
    *,
    one_sided: bool,
) -> Iterator[str]:
    """Yield the cells of a span, which add up to the last one, the total, as they are shown."""
    before_rates = [cost_change.before for cost_change in (*changed_workloads, total)]
    after_rates = [cost_change.after for cost_change in (*changed_workloads, total)]
    every = [getattr(rate, span) for rate in (*before_rates, *after_rates, rest_rate) if rate]
    unit = hourly_unit(every) if span == "per_hour" else CENT
    unchanged = ZERO if rest_rate is None else round_half_up(getattr(rest_rate, span), unit)
    cells_before = _rounded(before_rates, unchanged, span, unit)
    cells_after = _rounded(after_rates, unchanged, span, unit)
    cells = [
        amount(cost_change.before or cost_change.after, span, max(earlier_rate, current_rate))
        if one_sided
        else _change(cost_change, span, (earlier_rate, current_rate))
        for cost_change, earlier_rate, current_rate in zip(
            (*changed_workloads, total), cells_before, cells_after, strict=True
        )
    ]
    yield from cells[:-1]
    if rest_rate is not None:
        yield amount(rest_rate, span, unchanged)
    yield cells[-1]


def _rounded(
    rates: Sequence[CostRate | None], unchanged: Decimal, span: str, unit: Decimal
) -> list[Decimal]:
    """Return amounts in a unit, of which the last one is the total; `unchanged` is part of it."""
    *parts, total = (ZERO if rate is None else getattr(rate, span) for rate in rates)
    rounded = (*round_to_total(parts, total - unchanged, unit), round_half_up(total, unit))
    return [ZERO if amount is None else amount for amount in rounded]


def _one_sided_title(total: WorkloadCostChange) -> str:
    """Return what the amounts are if nothing was deployed before or is after; else nothing."""
    if total.before is None:
        return "new cost; nothing was deployed before"
    return "cost that ends; nothing remains deployed" if total.after is None else ""


def show_fallbacks(check: StackCheck) -> None:
    """Print the maximum cost on the other rungs, which is the cost that caps count.

    A line where some rung costs more than the one that is built.
    """
    steps = ", ".join(map(_fallback, fallbacks(check.quote)))
    if steps:
        cost_totals = next(totals(check.quote, check.plan.caps, ""))
        click.echo(wrap_text(f"with {steps}: {cost_totals}", "  "))


def _fallback(fallback: FallbackCost) -> str:
    return f"{fallback.group or 'all'} on {fallback.rung or 'the most expensive rungs'}"


def change_to_stack(status: StackStatus | None, stack_check: StackCheck) -> CostMovement:
    """Return the change from the deployed resources to the stack file."""
    document = stack_check.document
    deployed = deployed_quote(status, document, stack_check.as_of)
    return movement(deployed, stack_check.quote, workload_finder(document))


def change_between(
    status_before: StackStatus | None,
    status_after: StackStatus | None,
    document: StackDocument,
    day: date | None = None,
) -> CostMovement:
    """Return the change between two states of a stack; None is an empty one."""
    earlier_quote, current_quote = (
        deployed_quote(status, document, day) for status in (status_before, status_after)
    )
    return movement(earlier_quote, current_quote, workload_finder(document))


def change_of_run(
    outcome: Outcome,
    movement: CostMovement,
    request: RunRequest,
    status_before: StackStatus | None,
    document: StackDocument,
    day: date | None = None,
) -> CostMovement | None:
    """Return the cost change of a run: `movement` if it succeeded, else read from the state.

    None where it did nothing, or the state can't be read.
    """
    if outcome.ok:
        return movement
    if outcome.is_unchanged:
        return None
    from gpuinfra.engine import lifecycle  # noqa: PLC0415  (a quote needs no engine)

    try:
        status_after = lifecycle.current_status(request)
    except GpuinfraError:
        return None
    return change_between(status_before, status_after, document, day)


def outcome_as_json(outcome: Outcome, movement: CostMovement | None) -> dict[str, Any]:
    """Return an outcome with its costs, as in docs/json.md."""
    return {**json_value(outcome), "money": movement and movement_json(movement)}


def movement_json(movement: CostMovement) -> dict[str, Any]:
    """Return a cost change, as in docs/json.md."""
    return {"workloads": movement.moves, "total": movement.total}


def costs(cost_change: WorkloadCostChange) -> bool:
    """Return whether a workload costs something, or may, before or after."""
    return any(
        rate is not None and (rate.per_hour or not rate.is_complete)
        for rate in (cost_change.before, cost_change.after)
    )


def _rate_text(rate: CostRate) -> str:
    limit_text = "" if rate.is_complete else "at least "
    return f"{limit_text}{format_money(rate.per_hour)}/h, {format_money(rate.per_month)}/month"


def _change(cost_change: WorkloadCostChange, span: str, rounded: tuple[Decimal, Decimal]) -> str:
    """Return the amount before and after, and their difference as they are shown."""
    rates, (earlier_rate, current_rate) = (cost_change.before, cost_change.after), rounded
    are_rates_complete = all(rate is None or rate.is_complete for rate in rates)
    difference = format_change(
        getattr(cost_change, span) if are_rates_complete else None,
        rounded=current_rate - earlier_rate,
    )
    amount_before, amount_after = (
        amount(rate, span, amounts) for rate, amounts in zip(rates, rounded, strict=True)
    )
    return f"{amount_before} → {amount_after} ({difference})"


def amount(rate: CostRate | None, span: str, rounded: Decimal | None = None) -> str:
    """Return a cost per hour or month, marked as a bound if a part of it is unknown.

    `rounded` is the amount as it is rounded together with others.
    """
    if rate is None:
        return format_money(ZERO)
    money_text = format_money(getattr(rate, span), rounded=rounded)
    return f"{'' if rate.is_complete else '≥ '}{money_text}"
