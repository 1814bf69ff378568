"""The cost change of a preview, up, refresh or destroy, by workload."""

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
from gpuinfra.engine.contract import Outcome, RunRequest, StackStatus
from gpuinfra.errors import GpuinfraError
from gpuinfra.report.summary import totals
from gpuinfra.stackfile import StackDocument
from gpuinfra.units import format_change, format_money

COLUMNS = ("workload", "per hour", "per month")


def show(movement: CostMovement) -> None:
    """Print a table of the workloads whose cost changes, with the total of several.

    One line if none changes. Where nothing was deployed before or is after, there is one amount.
    """
    if movement.is_unchanged:
        rate = movement.total.after
        if rate is not None:
            click.echo(f"cost stays at {_rate_text(rate)}")
        return
    moved = [move for move in movement.moves if not move.is_unchanged]
    still = sum(move.is_unchanged and _costs(move) for move in movement.moves)
    title = _one_sided_title(movement.total)
    row = _amounts if title else _row
    rows = [row(move) for move in moved]
    if still:
        rows.append((f"{still} unchanged", *[""] * (len(COLUMNS) - 1)))
    several = len(rows) > 1
    if several:
        rows.append(row(movement.total))
    show_table(COLUMNS, rows, right=COLUMNS[1:], total=several, title=title)


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
        bounds = next(totals(check.quote, check.plan.caps, ""))
        click.echo(wrap_text(f"with {steps}: {bounds}", "  "))


def _fallback(part: FallbackCost) -> str:
    return f"{part.group or 'all'} on {part.rung or 'the most expensive rungs'}"


def change_to_stack(status: StackStatus | None, after: StackCheck) -> CostMovement:
    """Return the change from the deployed resources to the stack file."""
    document = after.document
    before = deployed_quote(status, document, after.as_of)
    return movement(before, after.quote, workload_finder(document))


def change_between(
    status_before: StackStatus | None,
    after: StackStatus | None,
    document: StackDocument,
    day: date | None = None,
) -> CostMovement:
    """Return the change between two states of a stack; None is an empty one."""
    then, now = (deployed_quote(status, document, day) for status in (status_before, after))
    return movement(then, now, workload_finder(document))


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
        after = lifecycle.current_status(request)
    except GpuinfraError:
        return None
    return change_between(status_before, after, document, day)


def outcome_as_json(outcome: Outcome, movement: CostMovement | None) -> dict[str, Any]:
    """Return an outcome with its costs, as in docs/json.md."""
    return {**json_value(outcome), "money": movement and movement_json(movement)}


def movement_json(movement: CostMovement) -> dict[str, Any]:
    """Return a cost change, as in docs/json.md."""
    return {"workloads": movement.moves, "total": movement.total}


def _costs(move: WorkloadCostChange) -> bool:
    return any(
        rate is not None and (rate.per_hour or not rate.is_complete)
        for rate in (move.before, move.after)
    )


def _rate_text(rate: CostRate) -> str:
    bound = "" if rate.is_complete else "at least "
    return f"{bound}{format_money(rate.per_hour)}/h, {format_money(rate.per_month)}/month"


def _amounts(move: WorkloadCostChange) -> tuple[str, ...]:
    """Return a row with the cost of the side that is deployed."""
    rate = move.before or move.after
    return clean(move.workload), amount(rate, "per_hour"), amount(rate, "per_month")


def _row(move: WorkloadCostChange) -> tuple[str, ...]:
    return (
        clean(move.workload),
        _change(move.before, move.after, move.per_hour, "per_hour"),
        _change(move.before, move.after, move.per_month, "per_month"),
    )


def _change(before: CostRate | None, after: CostRate | None, change: Decimal, span: str) -> str:
    whole = (before is None or before.is_complete) and (after is None or after.is_complete)
    difference = format_change(change if whole else None)
    return f"{amount(before, span)} → {amount(after, span)} ({difference})"


def amount(rate: CostRate | None, span: str) -> str:
    """Return a cost per hour or month, marked as a bound if a part of it is unknown."""
    if rate is None:
        return format_money(Decimal(0))
    return f"{'' if rate.is_complete else '≥ '}{format_money(getattr(rate, span))}"
