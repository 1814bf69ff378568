"""`gpuinfra cost`: the quote, by line, with date and source."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from gpuinfra import cost as costs
from gpuinfra.api.checking import StackCheck
from gpuinfra.api.results import CheckResult
from gpuinfra.catalog.age import none_of_day
from gpuinfra.catalog.commitment_terms import term
from gpuinfra.cli import any_source as sources
from gpuinfra.cli.differences import compare_options, differences
from gpuinfra.cli.options import Detail, details, formats
from gpuinfra.cli.source import load, plan_options, source_argument
from gpuinfra.cli.views import ladders, lines, outlook, rent_vs_buy
from gpuinfra.cli.views.layout import is_room, wrapped
from gpuinfra.cli.views.render import clean, heading, money, note, show_json, show_table
from gpuinfra.cost.breakdown import fallbacks
from gpuinfra.model import OUTDATED_AFTER_DAYS
from gpuinfra.report.gateways import gateways
from gpuinfra.report.summary import expected_at_most, expected_unknown, totals

COLUMNS = ("of", "line", "quantity", "each", "$/h", "$/month")
RIGHT = ("quantity", "each", "$/h", "$/month", "from")
SPARE = ("each", "quantity")
TOTALS = ("", "maximum", "pools at minimum", "expected")


@click.command("cost")
@source_argument
@formats("table", "json", "markdown")
@plan_options
@compare_options
@rent_vs_buy.against_options
@sources.options
@details("--quiet")
@click.option(
    "-v",
    "--verbose",
    "--detail",
    "detail",
    flag_value="verbose",
    help="Also show dates and sources of prices, other rungs, interruptions, energy.",
)
def command(
    source: Path,
    format_: str,
    as_of: datetime | None,
    rung: tuple[str, ...],
    detail: Detail,
    **options: Any,
) -> int:
    """Quote SOURCE per hour, month (730 h) and run; exit 1 on an unknown price.

    An outdated price also exits 1, where a cap would be exceeded if it had doubled.

    SOURCE is a stack file, a preview, a state or a program, as for check. With --compare or
    --diff, show what changed between the quotes of two stack files instead.
    """
    comparison = rent_vs_buy.from_options(options)
    pair, revision = options.pop("pair"), options.pop("revision")
    if comparison is not None and (pair is not None or revision is not None):
        raise click.UsageError("--against can't be combined with --compare or --diff")
    if detail == "quiet" and (comparison or pair or revision is not None):
        raise click.UsageError("--quiet can't be combined with --against, --compare or --diff")
    read = partial(load, as_of=as_of, rung=rung)
    compared = differences(source, format_, read, pair=pair, revision=revision, detail=detail)
    if compared is not None:
        return 1 if _refused(compared) else 0
    if format_ == "markdown":
        raise click.UsageError("--format markdown requires --compare or --diff")
    loaded = sources.any_of(source, as_of, rung, options)
    if not isinstance(loaded, StackCheck):
        _of_resources(loaded, comparison, format_, detail=detail)
    else:
        _of_stack(loaded, comparison, format_, detail=detail)
    return 1 if _refused(loaded) else 0


def _of_stack(
    stack_check: StackCheck,
    comparison: rent_vs_buy.PurchaseComparison | None,
    format_: str,
    *,
    detail: Detail,
) -> None:
    bought = None if comparison is None else rent_vs_buy.compared(stack_check, comparison)
    if format_ == "json":
        name, day = stack_check.stack.name, stack_check.as_of
        shown = {"stack": name, "as_of": day, "quote": stack_check.quote}
        shown |= outlook.as_json(stack_check)
        show_json(shown if bought is None else {**shown, "against": bought})
        return
    show(stack_check, detail=detail)
    for words in _unused(stack_check) if detail != "quiet" else ():
        note(f"note: {words}")
    if detail == "verbose":
        outlook.show(stack_check)
    if comparison is not None and bought is not None:
        rent_vs_buy.show(stack_check, comparison, bought)


def _of_resources(
    check_result: CheckResult,
    comparison: rent_vs_buy.PurchaseComparison | None,
    format_: str,
    *,
    detail: Detail,
) -> None:
    """What a preview, a state or a program costs."""
    if comparison is not None:
        raise click.UsageError("--against requires a stack file")
    if format_ == "json":
        show_json(
            {"stack": check_result.name, "as_of": check_result.as_of, "quote": check_result.quote}
        )
    else:
        show(check_result, detail=detail)


def _refused(stack_check: CheckResult) -> bool:
    """Whether a price is not known, or outdated so that a cap may not hold; says the latter."""
    quote = stack_check.quote
    outdated = bool(quote.at_risk) and not quote.accept_outdated
    if outdated:
        days = (
            stack_check.stack.prices.outdated_after_days
            if isinstance(stack_check, StackCheck)
            else None
        )
        words = none_of_day((line.as_of for line in quote.outdated), stack_check.as_of) or (
            f"outdated: {len(quote.outdated)} list prices are undated or older than"
            f" {days or OUTDATED_AFTER_DAYS} days, the oldest of {quote.oldest}"
        )
        note(
            f"{words}: {'; '.join(quote.at_risk)};"
            " write prices: {accept_outdated: true} where that is fine"
        )
    return bool(quote.unpriced) or outdated


def show(stack_check: CheckResult, *, detail: Detail = "normal") -> None:
    """The quote's lines, which add up to the ceiling, and what has no price.

    "verbose" adds the prices' sources; of "quiet" only what has no price is left.
    """
    quote = stack_check.quote
    if detail != "quiet":
        _show_quote(stack_check, full=detail == "verbose")
    for name in quote.unpriced:
        click.secho(wrapped(f"no price known: {clean(name)}", "  "), fg="red")
    later = none_of_day((line.as_of for line in quote.outdated), stack_check.as_of)
    if later and not quote.at_risk and detail == "normal":
        note(f"note: {later}")
    for warning in quote.warnings if detail == "verbose" else ():
        note(f"note: {warning}")


def _show_quote(stack_check: CheckResult, *, full: bool) -> None:
    quote = stack_check.quote
    counted = [line for line in quote.lines if line.status != "rate"]
    named = (
        *quote.lines,
        *(line for rung_quote in ladders.inactive_rungs(quote) for line in rung_quote.machines),
    )
    known = dict.fromkeys(line.source for line in named if line.source)
    numbers = {source: number for number, source in enumerate(known, 1)}
    name = clean(stack_check.name)
    heading(f"{name}: maximum cost in USD; list prices without tax or support plans")
    columns = (*COLUMNS, "price of", "from") if full else COLUMNS
    rows = [
        *(lines.row(line, numbers, quote) for line in counted),
        *(lines.fallback(part, quote) for part in fallbacks(quote)),
        (
            "total",
            "",
            "",
            "",
            money(quote.per_hour.ceiling),
            money(quote.per_month.ceiling),
            "",
            "",
        ),
    ]
    shown = [row[: len(columns)] for row in rows]
    if not is_room(columns, shown):
        shown = list(map(lines.brief, shown))
    show_table(columns, shown, right=RIGHT, total=True, spare=() if full else SPARE)
    if full:
        _show_detail(quote, numbers)
    told = "; ".join(totals(quote, stack_check.plan.caps, "" if full else " (--detail)"))
    expected = _expected(quote)
    waiting = () if full else (words for words in _waiting(quote) if words not in expected)
    updates = lines.update_machines(stack_check.plan.groups)
    dated = () if full else lines.dated(quote)
    for line in (told, *updates, expected, *waiting, *_below(stack_check), *dated):
        if line:
            click.echo(wrapped(line, "  "))


def _show_detail(quote: costs.Quote, numbers: Mapping[str, int]) -> None:
    """The other rungs, the totals by how full pools are, rates, and the sources of prices."""
    ladders.show(quote, lambda line: lines.origin(line, numbers))
    bound = "at least " if quote.unpriced else ""
    spans = (
        ("per hour", quote.per_hour),
        ("per month", quote.per_month),
        ("per run", quote.per_run),
    )
    show_table(
        TOTALS,
        [
            (
                name,
                f"{bound}{money(total.ceiling)}",
                money(total.minimum),
                money(total.expected),
            )
            for name, total in spans
            if total
        ],
        right=TOTALS[1:],
    )
    for line in quote.rates:
        click.echo(wrapped(lines.rate(line, numbers), "  "))
    for source, number in numbers.items():
        click.echo(wrapped(f"[{number}] {clean(source)}", "    "))


def _expected(quote: costs.Quote) -> str:
    """What is expected: spot at the day's price, pools at their expected or least size.

    A month has one run. Where a spot price is missing or too old, it is an upper bound, with why.
    """
    if quote.per_hour.expected is None:
        return f"expected: {expected_at_most(quote)}: {expected_unknown(quote)}"
    spot = [line for line in quote.lines if line.kind == "spot" and line.expected_per_hour]
    days = dict.fromkeys(line.expected_as_of for line in spot if not line.may_wait)
    month = quote.per_month.expected
    return (
        f"expected: ${money(quote.per_hour.expected)}/h"
        + ("" if month is None else f", ${money(month)}/month")
        + (f" at spot prices of {', '.join(days)}{_unsaved(spot)}" if days else "")
        + (" if the spot request is filled" if any(line.may_wait for line in spot) else "")
        + ("; up to the total above" if spot else "")
    )


def _unsaved(spot: list[costs.Line]) -> str:
    """The machines whose spot price is as high as their maximum."""
    dear = [line for line in spot if line.expected_per_hour == line.per_hour and not line.may_wait]
    items = ", ".join(dict.fromkeys(line.item for line in dear))
    return f" ({items} at its maximum, in its most expensive zone)" if items else ""


def _waiting(quote: costs.Quote) -> Iterator[str]:
    """Name spot requests that bid below the last known price; --detail has them in its notes."""
    for line in quote.lines:
        if line.may_wait and line.note:
            yield line.note


def _below(stack_check: CheckResult) -> Iterator[str]:
    """What is said of single workloads: a run, a gateway beside it, why it runs where it does."""
    yield from lines.runs(stack_check.quote)
    yield from map(clean, gateways(stack_check.plan, stack_check.quote))
    yield from _reasons(stack_check.quote)


def _reasons(quote: costs.Quote) -> Iterator[str]:
    for chosen in quote.chosen:
        yield f"{clean(chosen.group)} runs on {clean(chosen.reason)}"


def _unused(stack_check: StackCheck) -> Iterator[str]:
    """The user's own prices of the stack's machines that none of them is bought at."""
    own = stack_check.source.own
    for row in () if own is None else own.unused(stack_check.plan):
        words = f"{row.at}: {row.row.mode} of {row.row.item} is not used by this stack"
        commits = term(row.row.mode) is not None
        yield f"{words}; `gpuinfra commitments` compares it" if commits else words
