"""A quote as a table: the lines, which add up to the maximum, and the items without a price."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import click

from gpuinfra import cost as costs
from gpuinfra.api.checking import StackCheck
from gpuinfra.api.results import CheckResult
from gpuinfra.catalog.fact_age import days_text, none_of_day
from gpuinfra.cli.options import Detail
from gpuinfra.cli.views import ladders, quote_lines
from gpuinfra.cli.views.layout import fits_whole, is_shown, wrap_text
from gpuinfra.cli.views.render import clean, heading, note, section, show_table
from gpuinfra.cost.machines import MONTH_DISCOUNT, expected_machines
from gpuinfra.cost.run_hours import run_hours, shown_hours
from gpuinfra.cost.spot_savings import maximum_notes
from gpuinfra.model import Group
from gpuinfra.report.nat_gateway_costs import gateways
from gpuinfra.report.summary import (
    UNINTERRUPTED,
    day_range,
    expected_at_most,
    expected_cost_text,
    expected_name,
    expected_unknown,
    range_text,
    spot_runs,
    totals,
)
from gpuinfra.units import format_count, format_money

UNIT_PRICE = "unit price"
COLUMNS = ("workload", "line", "quantity", UNIT_PRICE, "per hour", "per month")
RIGHT = ("quantity", UNIT_PRICE, "per hour", "per month", "from")
SPARE = ("price of", UNIT_PRICE, "quantity")
MOST_COUNTED = 3
CHARGES = ("workload", "charge", "price", "per", "price of", "from")
TOTALS = ("", "maximum", "pools at minimum")


def show(stack_check: CheckResult, *, detail: Detail = "normal") -> None:
    """Show the quote's lines, which add up to the maximum, and the items without a price.

    "verbose" adds the prices' sources; of "quiet" only the totals and what has no price are left.
    """
    quote = stack_check.quote
    if detail == "quiet":
        words = "; ".join(totals(quote, stack_check.plan.caps))
        click.echo(wrap_text(f"{clean(stack_check.name)}: {words}", "  "))
    else:
        _show_quote(stack_check, full=detail == "verbose")
    for name in quote.unpriced:
        click.secho(wrap_text(f"no price known: {clean(name)}", "  "), fg="red")
    age_note = none_of_day((line.as_of for line in quote.outdated), stack_check.as_of)
    if age_note and quote.accept_outdated and detail == "normal":
        note(f"note: {age_note}")
    for warning in quote.warnings if detail == "verbose" else ():
        note(f"note: {warning}")


def _show_quote(stack_check: CheckResult, *, full: bool) -> None:
    quote = stack_check.quote
    price_sources = dict.fromkeys(line.source for line in _every_line(quote) if line.source)
    numbers = {source: number for number, source in enumerate(price_sources, 1)}
    name = clean(stack_check.name)
    title = quote_lines.title(quote)
    heading(f"{name}: {title}, at list prices without tax or support plans")
    columns: tuple[str, ...] = (*COLUMNS, "price of", "from") if full else COLUMNS
    shown_rows: list[tuple[str, ...]] = [
        row[: len(columns)] for row in quote_lines.rows(quote, numbers)
    ]
    if not fits_whole(columns, shown_rows):
        shown_rows = list(map(quote_lines.short_row, shown_rows))
    if full and not is_shown(UNIT_PRICE, columns, shown_rows, SPARE):
        columns = tuple(column for column in columns if column != UNIT_PRICE)
        shown_rows = list(map(quote_lines.row_with_price, shown_rows))
    show_table(columns, shown_rows, right=RIGHT, total=True, spare=SPARE[:1] if full else SPARE)
    totals_text = "; ".join(totals(quote, stack_check.plan.caps, "" if full else " (-v)"))
    expected = expected_cost_line(stack_check, full=full)
    waiting = (
        ()
        if full
        else (wait_note for wait_note in _may_wait_notes(quote) if wait_note not in expected)
    )
    updates = quote_lines.update_machines(stack_check.plan.groups)
    dated = () if full else quote_lines.price_dates(quote)
    for line in (
        totals_text,
        *updates,
        expected,
        *map(clean, maximum_notes(quote)),
        *waiting,
        *_workload_notes(stack_check),
        *dated,
    ):
        if line:
            click.echo(wrap_text(line, "  "))
    if full:
        _show_detail(quote, numbers)


def _every_line(quote: costs.Quote) -> tuple[costs.Line, ...]:
    """Return the lines of the quote and of its inactive rungs."""
    rungs = ladders.inactive_rungs(quote)
    return (*quote.lines, *(line for rung in rungs for line in rung.machines))


def _show_detail(quote: costs.Quote, numbers: Mapping[str, int]) -> None:
    """Show the totals by pool size, the inactive rungs, the rates, and the sources of prices."""
    limit_text = "at least " if quote.unpriced else ""
    spans = (
        ("per hour", quote.per_hour),
        ("per month", quote.per_month),
        ("per run", quote.per_run),
    )
    columns = (*TOTALS, expected_name(quote))
    section("totals")
    show_table(
        columns,
        [
            (
                name,
                f"{limit_text}{format_money(total.ceiling)}",
                format_money(total.minimum),
                expected_cost_text(total) or "–",
            )
            for name, total in spans
            if total
        ],
        right=columns[1:],
    )
    ladders.show(quote, lambda line: quote_lines.origin(line, numbers))
    if quote.rates:
        section("billed by use, not counted")
        show_table(CHARGES, quote_lines.charges(quote, numbers), right=("price",), spare=SPARE)
    if numbers:
        section("sources of prices")
    lines = _every_line(quote)
    for source, number in numbers.items():
        days = day_range(line.as_of for line in lines if line.source == source)
        dated = f", {range_text(days)}" if days else ""
        click.echo(wrap_text(f"[{number}] {clean(source)}{dated}", "    "))


def expected_cost_line(stack_check: CheckResult, *, full: bool) -> str:
    """Return the expected cost: spot at the day's price, pools at their expected or minimum size.

    A month has one run. Where a spot price is missing or too old, it is an upper bound, with why.
    With `full` the sizes of pools are left to the notes.
    """
    quote = stack_check.quote
    basis = _expected_basis_note(stack_check.plan.groups, spot_runs(quote), full=full)
    if quote.per_hour.expected is None:
        return f"expected: {expected_at_most(quote)}{basis}: {expected_unknown(quote)}"
    spot = [line for line in quote.lines if line.kind == "spot" and line.expected_per_hour]
    days = dict.fromkeys(days_text(line.expected_as_of) for line in spot if not line.may_wait)
    month = quote.per_month.expected
    return (
        f"expected: {format_money(quote.per_hour.expected)}/h"
        + ("" if month is None else f", {format_money(month)}/month{_below_hourly_note(quote)}")
        + (f" at spot prices of {', '.join(days)}{_spot_at_maximum_note(spot)}" if days else "")
        + (" if the spot request is filled" if any(line.may_wait for line in spot) else "")
        + ("; up to the total above" if spot else "")
        + basis
    )


def _below_hourly_note(quote: costs.Quote) -> str:
    """Return that the expected month is below the hours' price; empty where it is not."""
    is_lower = any(MONTH_DISCOUNT in line.note for line in quote.lines)
    return f" with {MONTH_DISCOUNT}, which caps do not count (-v)" if is_lower else ""


def _expected_basis_note(groups: Sequence[Group], on_spot: Collection[str], *, full: bool) -> str:
    """Return the end of a line: the runs and the sizes of pools that are expected; or nothing.

    Those `on_spot` are said to count no interruptions. With `full` pools are left to the notes.
    """
    parts = [
        f"{pool_note} {UNINTERRUPTED}" if group.name in on_spot else pool_note
        for group in groups
        if (pool_note := _size(group, full=full))
    ]
    if len(parts) > MOST_COUNTED:
        parts = [*parts[:MOST_COUNTED], f"{len(parts) - MOST_COUNTED} more"]
    return f", with {', '.join(parts)}" if parts else ""


def _size(group: Group, *, full: bool) -> str:
    machines, needs = expected_machines(group), group.needs
    if needs.hours is not None:
        hours = f"{shown_hours(run_hours(group) or needs.hours)} h"
        return f"{format_count(needs.runs, 'run')} of {hours} a month of {clean(group.name)}"
    if machines is None or full or group.minimum == group.maximum:
        return ""
    return f"{format_count(machines, 'machine')} of {clean(group.name)}"


def _spot_at_maximum_note(spot: list[costs.Line]) -> str:
    """Return a note on machines with a spot price at the maximum; empty if none."""
    at_maximum = [
        line for line in spot if line.expected_per_hour == line.per_hour and not line.may_wait
    ]
    items = ", ".join(dict.fromkeys(line.item for line in at_maximum))
    return f" ({items} at its maximum, in its most expensive zone)" if items else ""


def _may_wait_notes(quote: costs.Quote) -> Iterator[str]:
    """Yield notes on spot bids below the last known price; --detail has them in its notes."""
    for line in quote.lines:
        if line.may_wait and line.note:
            yield line.note


def _workload_notes(stack_check: CheckResult) -> Iterator[str]:
    """Yield notes on each workload: its run, its request, its NAT gateway, and its cloud."""
    yield from quote_lines.runs(stack_check.quote)
    if isinstance(stack_check, StackCheck):
        yield from map(clean, (*stack_check.open_notes, *stack_check.spot_notes))
    yield from map(clean, gateways(stack_check.plan, stack_check.quote))
    yield from _reasons(stack_check.quote)


def _reasons(quote: costs.Quote) -> Iterator[str]:
    for chosen_rung in quote.chosen:
        yield f"{clean(chosen_rung.group)} runs on {clean(chosen_rung.reason)}"
