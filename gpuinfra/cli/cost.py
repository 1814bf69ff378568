"""`gpuinfra cost`: the quote, by line, with date and source."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import click

from gpuinfra import cost as costs
from gpuinfra.cli.render import clean, heading, money, note, show_json, show_table
from gpuinfra.cli.source import Loaded, format_options, load, plan_options, source_argument

CENT = Decimal("0.01")


@click.command("cost")
@source_argument
@format_options
@plan_options
def command(source: Path, format_: str, as_of: datetime | None, rung: tuple[str, ...]) -> int:
    """Quote SOURCE per hour, month (730 h) and run; exit 1 on an unknown or outdated price."""
    loaded = load(source, as_of=as_of, rung=rung)
    if format_ == "json":
        show_json({"stack": loaded.stack.name, "as_of": loaded.as_of, "quote": loaded.quote})
    else:
        show(loaded)
    quote = loaded.quote
    refused = quote.unpriced or (quote.outdated and not loaded.stack.prices.accept_outdated)
    return 1 if refused else 0


def show(loaded: Loaded) -> None:
    """The quote's lines, what has only a rate, the totals, and where each price comes from."""
    quote = loaded.quote
    heading(f"{loaded.plan.name}: the most it may cost, in USD; list prices without tax")
    lines = [line for line in quote.lines if line.status != "rate"]
    sources = {line.source: number for number, line in enumerate(first_of_each(quote.lines), 1)}
    show_table(
        ("of", "line", "quantity", "unit", "unit price", "$/h", "$/month", "price of", "from"),
        [_row(line, sources) for line in lines],
        right=("quantity", "unit price", "$/h", "$/month", "from"),
    )
    totals = (
        ("per hour", quote.per_hour),
        ("per month (730 h)", quote.per_month),
        ("per run", quote.per_run),
    )
    show_table(
        ("", "ceiling", "expected"),
        [(name, money(total.ceiling), money(total.expected)) for name, total in totals if total],
        right=("ceiling", "expected"),
    )
    for one in quote.chosen:
        click.echo(f"{clean(one.group)} stands on {clean(one.reason)}")
    for line in quote.rates:
        of = clean(line.group or line.name)
        origin = f"{line.as_of} [{sources[line.source]}]"
        click.echo(f"+ ${line.rate} per {line.unit}: {line.item} of {of}, {origin}")
    for source, number in sources.items():
        click.echo(f"[{number}] {clean(source)}")
    for name in quote.unpriced:
        click.secho(f"no price known: {clean(name)}", fg="red")
    for warning in quote.warnings:
        note(f"note: {warning}")


def first_of_each(lines: Sequence[costs.Line]) -> list[costs.Line]:
    """The first line of each source, in the order of the quote."""
    return list({line.source: line for line in reversed(lines) if line.source}.values())[::-1]


def _row(line: costs.Line, sources: Mapping[str, int]) -> tuple[str, ...]:
    return (
        line.group or line.name,
        f"{line.kind} {line.item}",
        "–" if line.quantity is None else f"{line.quantity.quantize(CENT).normalize():f}",
        line.unit,
        "free" if line.status == "free" else money(line.rate),
        money(line.per_hour),
        money(line.per_month),
        line.as_of,
        f"[{sources[line.source]}]" if line.source else "",
    )
