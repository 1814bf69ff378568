"""A quote's line as `cost` shows it, in its table and below it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gpuinfra import cost as costs
from gpuinfra.cli.hints import command_with, running_command
from gpuinfra.cli.views.ladders import active_rung
from gpuinfra.cli.views.render import clean
from gpuinfra.cost.breakdown import ExcludedRunCosts, FallbackCost, excluded_run_costs, fallbacks
from gpuinfra.cost.line_names import line_name
from gpuinfra.cost.run_hours import shown_hours
from gpuinfra.model import Group
from gpuinfra.report.summary import hours, price_days, quantity, range_text, unit_text
from gpuinfra.rules.machine_counts import counted_at
from gpuinfra.units import (
    format_money,
    format_parts,
    format_unit_price,
    hourly_unit,
    round_half_up,
)
from gpuinfra.units.message_merging import texts_with_names

_MARKS: Final = {"user": "yours ", "bound": "bound of "}

_MAX_LISTED_NAMES: Final = 4
"""So many kinds of things beside a run are named; of further ones the number."""

_MONTHS: Final = re.compile(r"-months?$")


def title(quote: costs.Quote) -> str:
    """Return what the lines of a quote add up to."""
    return "known cost" if quote.unpriced else "maximum cost"


def rows(quote: costs.Quote, sources: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Yield the priced lines, the fallbacks and the total in the columns of `cost --detail`."""
    lines = [line for line in quote.lines if line.status != "rate"]
    extra = fallbacks(quote)
    price_rows = (
        *((*_line(line, quote), line.as_of, origin(line, sources)) for line in lines),
        *((*_fallback(part, quote), "", "") for part in extra),
    )
    parts: tuple[costs.Line | FallbackCost, ...] = (*lines, *extra)
    hour, month = quote.per_hour.ceiling, quote.per_month.ceiling
    unit = hourly_unit(part.per_hour for part in parts)
    hourly = format_parts([part.per_hour for part in parts], hour, unit)
    monthly = format_parts([part.per_month for part in parts], month)
    for (*row_cells, day, source), *amounts in zip(price_rows, hourly, monthly, strict=True):
        yield (*row_cells, *amounts, day, source)
    hour_text = format_money(hour, rounded=round_half_up(hour, unit))
    limit_text = "at least" if quote.unpriced else ""
    yield ("total", limit_text, "", "", hour_text, format_money(month), "", "")


def _line(line: costs.Line, quote: costs.Quote) -> tuple[str, ...]:
    """Return the owner, the name, the quantity and the unit price of a priced line."""
    limit_note = " (bound)" if line.origin == "bound" else ""
    return (
        clean(line.group or line.name),
        f"{line_name(line)}{limit_note}{hours(line.per_hour, line.per_month)}",
        quantity(line, quote) or "–",
        "free" if line.status == "free" else format_unit_price(line.rate),
    )


def short_row(row: tuple[str, ...]) -> tuple[str, ...]:
    """Return a row with a short unit."""
    workload, line, quantity, *other_cells = row
    return (workload, line, _MONTHS.sub("-mo", quantity), *other_cells)


def row_with_price(row: tuple[str, ...]) -> tuple[str, ...]:
    """Return a row with its unit price below its quantity, for a table without room for both."""
    workload, line, quantity, price, *other_cells = row
    below = f"\nat {price}" if price.startswith("$") else f"\n{price}" if price else ""
    return (workload, line, f"{quantity}{below}", *other_cells)


def update_machines(groups: Iterable[Group]) -> Iterator[str]:
    """Yield how many machines of each pool are counted, where some run only during an update."""
    yield from map(clean, counted_at(group for group in groups if group.lifecycle.surge))


def _fallback(fallback: FallbackCost, quote: costs.Quote) -> tuple[str, ...]:
    """Return the owner and the name of what the most expensive fallback rung costs beyond."""
    rung = fallback.rung or "the most expensive rungs"
    active = active_rung(quote, fallback.group)
    built = "" if active is None else active.rung.label
    if built.rpartition("@")[2] == rung.rpartition("@")[2]:
        built, rung = built.rpartition("@")[0], rung.rpartition("@")[0]
    fallback_name = (
        f"{rung} instead of {built or 'the first'}{hours(fallback.per_hour, fallback.per_month)}"
    )
    return fallback.group, fallback_name, "", ""


def charges(quote: costs.Quote, sources: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Yield the charges of unknown quantity, each with its price if that is known."""
    for line in quote.rates:
        price = "rate not known" if line.rate is None else format_unit_price(line.rate)
        unit, owner = unit_text(line.unit), clean(line.group or line.name)
        yield owner, line_name(line), price, unit, line.as_of, origin(line, sources)


def charge_names(quote: costs.Quote) -> Iterator[str]:
    """Yield the charges of unknown quantity of each workload, by name."""
    names: dict[str, list[str]] = {}
    for line in quote.rates:
        names.setdefault(line.group or line.name, []).append(line_name(line))
    for owner, charges in names.items():
        yield f"{clean(owner)}: billed by use, not counted: {'; '.join(dict.fromkeys(charges))}"


def origin(line: costs.Line, sources: Mapping[str, int]) -> str:
    """Return the number of a price's source, marked if it is the user's own or a bound."""
    if not line.source:
        return ""
    return f"{_MARKS.get(line.origin, '')}[{sources[line.source]}]"


def price_dates(quote: costs.Quote) -> Iterator[str]:
    """Yield the days of the prices, and the command that shows their sources."""
    days = price_days(quote)
    if days and running_command().arguments[:1] == ("cost",):
        yield f"prices of {range_text(days)}; sources: {command_with('--detail')}"


def runs(quote: costs.Quote) -> Iterator[str]:
    """Yield the cost of each run, and the costs during it that are not included.

    It is the maximum cost, or where a price of the workload is unknown, the least.
    """
    yield from texts_with_names(_run_cost_texts(quote))


def _run_cost_texts(quote: costs.Quote) -> Iterator[tuple[str, str]]:
    unpriced_groups = {line.group for line in quote.lines if line.status == "unpriced"}
    for run in quote.runs:
        hours = f"{shown_hours(run.hours)} h"
        most = format_money(run.total.ceiling)
        limit_text = "at least" if run.group in unpriced_groups else "at most"
        figure = f"{limit_text} {most} a run of {hours} for {quote.run_cost_kinds}"
        excluded_costs = excluded_run_costs(quote, run)
        excluded = f"{format_money(excluded_costs.amount)} in those hours"
        excluded_note = f"; not included: {excluded} for {_kinds(excluded_costs)}"
        yield clean(run.group), f"{figure}{excluded_note if excluded_costs.kinds else ''}"


def _kinds(excluded_costs: ExcludedRunCosts) -> str:
    """Return the kinds of things that a run's figure leaves out, the first of many by name."""
    kinds = excluded_costs.kinds
    is_many = len(kinds) > _MAX_LISTED_NAMES + 1
    listed_kinds = kinds[:_MAX_LISTED_NAMES] if is_many else kinds
    omitted_kinds = (f"{len(kinds) - len(listed_kinds)} other kinds",) if is_many else ()
    return ", ".join((*map(clean, listed_kinds), *omitted_kinds))
