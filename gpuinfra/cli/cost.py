"""`gpuinfra cost`: the quote, by line, with date and source."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from gpuinfra import cost as costs
from gpuinfra.api.checking import StackCheck
from gpuinfra.catalog.terms import term
from gpuinfra.cli import against, ladders, outlook
from gpuinfra.cli.differences import compare_options, differences
from gpuinfra.cli.options import formats
from gpuinfra.cli.render import clean, heading, money, note, show_json, show_table
from gpuinfra.cli.source import load, plan_options, source_argument

CENT = Decimal("0.01")

TOTALS = ("", "ceiling", "pools at minimum", "expected")


@click.command("cost")
@source_argument
@formats("table", "json", "markdown")
@plan_options
@compare_options
@against.against_options
def command(
    source: Path,
    format_: str,
    as_of: datetime | None,
    rung: tuple[str, ...],
    **wanted: Any,
) -> int:
    """Quote SOURCE per hour, month (730 h) and run; exit 1 on an unknown or outdated price.

    With --compare or --diff, show what changed between two quotes instead.
    """
    asked = against.asked(wanted)
    if asked is not None and any(one is not None for one in wanted.values()):
        raise click.UsageError("--against goes with one quote, without --compare and --diff")
    compared = differences(source, format_, as_of, rung, **wanted)
    if compared is not None:
        return 1 if _refused(compared) else 0
    if format_ == "markdown":
        raise click.UsageError("--format markdown goes with --compare or --diff")
    loaded = load(source, as_of=as_of, rung=rung)
    bought = None if asked is None else against.compared(loaded, asked)
    if format_ == "json":
        shown = {"stack": loaded.stack.name, "as_of": loaded.as_of, "quote": loaded.quote}
        shown |= outlook.found(loaded)
        show_json(shown if bought is None else {**shown, "against": bought})
    else:
        show(loaded)
        outlook.show(loaded)
        if asked is not None and bought is not None:
            against.show(loaded, asked, bought)
    return 1 if _refused(loaded) else 0


def _refused(loaded: StackCheck) -> bool:
    """Whether a price is not known or outdated; the latter is said here."""
    quote = loaded.quote
    outdated = bool(quote.outdated) and not quote.accept_outdated
    if outdated:
        note(
            f"outdated: {len(quote.outdated)} list prices are undated or older than"
            f" {loaded.stack.prices.outdated_after_days} days, the oldest of {quote.oldest};"
            " write prices: {accept_outdated: true} where that is fine"
        )
    return bool(quote.unpriced) or outdated


def show(loaded: StackCheck) -> None:
    """The quote's lines, what has only a rate, the totals, and where each price comes from."""
    quote = loaded.quote
    heading(f"{loaded.plan.name}: the most it may cost, in USD; list prices without tax")
    lines = [line for line in quote.lines if line.status != "rate"]
    named = (*quote.lines, *(line for one in ladders.others(quote) for line in one.machines))
    known = dict.fromkeys(line.source for line in named if line.source)
    sources = {source: number for number, source in enumerate(known, 1)}
    show_table(
        ("of", "line", "quantity", "unit", "unit price", "$/h", "$/month", "price of", "from"),
        [_row(line, sources) for line in lines],
        right=("quantity", "unit price", "$/h", "$/month", "from"),
    )
    ladders.show(quote, lambda line: _origin(line, sources))
    bound = "at least " if quote.unpriced else ""
    totals = (
        ("per hour", quote.per_hour),
        ("per month (730 h)", quote.per_month),
        ("per run", quote.per_run),
    )
    show_table(
        TOTALS,
        [
            (name, f"{bound}{money(one.ceiling)}", money(one.minimum), money(one.expected))
            for name, one in totals
            if one
        ],
        right=TOTALS[1:],
    )
    for one in quote.chosen:
        click.echo(f"{clean(one.group)} stands on {clean(one.reason)}")
    for line in quote.rates:
        click.echo(_rate(line, sources))
    for source, number in sources.items():
        click.echo(f"[{number}] {clean(source)}")
    for name in quote.unpriced:
        click.secho(f"no price known: {clean(name)}", fg="red")
    for warning in quote.warnings:
        note(f"note: {warning}")
    for words in _unused(loaded):
        note(f"note: {words}")


def _unused(loaded: StackCheck) -> Iterator[str]:
    """The user's own prices of the stack's machines that none of them is bought at."""
    own = loaded.source.own
    for one in () if own is None else own.unused(loaded.plan):
        words = f"{one.at}: {one.row.mode} of {one.row.item} is not used by this stack"
        commits = term(one.row.mode) is not None
        yield f"{words}; gpuinfra commitments compares it" if commits else words


def _rate(line: costs.Line, sources: Mapping[str, int]) -> str:
    """An item of unknown quantity, with its rate where that is known."""
    owner = line.group or line.name
    of = f"{line.item} of {clean(owner)}"
    if line.rate is None:
        place = f" in {clean(line.region)}" if line.region not in {"", owner} else ""
        return f"+ rate not known: {of}{place}"
    return f"+ ${line.rate} per {line.unit}: {of}, {line.as_of} {_origin(line, sources)}"


def _origin(line: costs.Line, sources: Mapping[str, int]) -> str:
    """The number of a price's source, and whose it is where it is the user's own."""
    if not line.source:
        return ""
    return f"{'yours ' if line.origin == 'user' else ''}[{sources[line.source]}]"


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
        _origin(line, sources),
    )
