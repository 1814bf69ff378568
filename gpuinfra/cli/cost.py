"""`gpuinfra cost`: the quote, by line, with date and source."""

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
@click.option("--sources", is_flag=True, help="Show where each price comes from.")
def command(
    source: Path, format_: str, as_of: datetime | None, rung: tuple[str, ...], sources: bool
) -> int:
    """Quote SOURCE per hour, month (730 h) and run; exit 1 on an unknown or outdated price."""
    loaded = load(source, as_of=as_of, rung=rung)
    if format_ == "json":
        show_json({"stack": loaded.stack.name, "as_of": loaded.as_of, "quote": loaded.quote})
    else:
        show(loaded, sources=sources)
    quote = loaded.quote
    refused = quote.unpriced or (quote.outdated and not loaded.stack.prices.accept_outdated)
    return 1 if refused else 0


def show(loaded: Loaded, *, sources: bool) -> None:
    """The quote's lines, what has only a rate, the totals, and how old the prices are."""
    quote = loaded.quote
    heading(f"{loaded.plan.name}: the most it may cost, in USD; list prices without tax")
    columns = ("of", "line", "quantity", "unit", "unit price", "$/h", "$/month", "price of")
    show_table(
        (*columns, "source") if sources else columns,
        [_row(line, sources=sources) for line in quote.lines if line.status != "rate"],
        right=("quantity", "unit price", "$/h", "$/month"),
    )
    show_table(
        ("", "ceiling", "expected"),
        [
            (name, money(total.ceiling), money(total.expected))
            for name, total in (
                ("per hour", quote.per_hour),
                ("per month (730 h)", quote.per_month),
                ("per run", quote.per_run),
            )
            if total is not None
        ],
        right=("ceiling", "expected"),
    )
    for line in quote.rates:
        click.echo(
            f"+ ${line.rate} per {line.unit}: {line.item} of {clean(line.group or line.name)}"
        )
    for name in quote.unpriced:
        click.secho(f"no price known: {clean(name)}", fg="red")
    for warning in quote.warnings:
        note(f"note: {warning}")


def _row(line: costs.Line, *, sources: bool) -> tuple[str, ...]:
    shown = (
        line.group or line.name,
        f"{line.kind} {line.item}",
        "–" if line.quantity is None else f"{line.quantity.quantize(CENT).normalize():f}",
        line.unit,
        "free" if line.status == "free" else money(line.rate),
        money(line.per_hour),
        money(line.per_month),
        line.as_of,
    )
    return (*shown, line.source) if sources else shown
