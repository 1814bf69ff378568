"""`gpuinfra cost`: the quote by line, with dates and sources."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.api.results import CheckResult
from gpuinfra.catalog.commitment_terms import term
from gpuinfra.catalog.fact_age import none_of_day
from gpuinfra.cli import any_source, each_source
from gpuinfra.cli.each_source import SourceAnswer, select_sources
from gpuinfra.cli.options import Detail, details, formats
from gpuinfra.cli.quote_comparison import compare_options, differences
from gpuinfra.cli.source import load, plan_options, sources_argument
from gpuinfra.cli.views import outlook, quote, rent_vs_buy
from gpuinfra.cli.views.render import note
from gpuinfra.cost.outdated_prices import are_negligible
from gpuinfra.model import OUTDATED_AFTER_DAYS


@click.command("cost")
@sources_argument
@formats("table", "json", "markdown")
@plan_options
@compare_options
@rent_vs_buy.against_options
@any_source.options
@details("--quiet", quiet="Print only the totals, and what has no known price.")
@click.option(
    "-v",
    "--verbose",
    "--detail",
    "detail",
    flag_value="verbose",
    help="Also show dates and sources of prices, other rungs, interruptions, energy.",
)
def command(
    sources: tuple[Path, ...],
    format_: str,
    as_of: datetime | None,
    rung: tuple[str, ...],
    detail: Detail,
    **options: Any,
) -> int:
    """Quote each SOURCE per hour, month (730 h) and run; exit 1 on an unknown price.

    Outdated prices are named; they exit 1 where a cap would be exceeded if they had doubled.

    SOURCE is a stack file, a preview, a state or a program, as for check; there may be several.
    With --compare or --diff, show what changed between the quotes of two stack files instead.
    """
    comparison = rent_vs_buy.from_options(options)
    pair, revision = options.pop("pair"), options.pop("revision")
    if comparison is not None and (pair is not None or revision is not None):
        raise click.UsageError("--against can't be combined with --compare or --diff")
    if detail == "quiet" and (comparison or pair or revision is not None):
        raise click.UsageError("--quiet can't be combined with --against, --compare or --diff")
    selection = select_sources(sources, options, rung)
    if len(selection.sources) > 1 and pair is not None:
        raise click.UsageError("--compare takes no SOURCE: it names both files itself")
    if len(selection.sources) > 1 and revision is not None:
        raise click.UsageError("--diff takes one SOURCE")
    read = partial(load, as_of=as_of, rung=rung)
    compared = differences(
        selection.sources[0],
        format_,
        read,
        before_and_after=pair,
        revision=revision,
        detail=detail,
    )
    if compared is not None:
        _tell_outdated(compared)
        return 1 if _has_unusable_price(compared) else 0
    if format_ == "markdown" and comparison is not None:
        raise click.UsageError("--against can't be combined with --format markdown")

    def answer(
        source: Path, source_options: dict[str, Any], rung: tuple[str, ...]
    ) -> SourceAnswer:
        loaded = any_source.check_source(source, as_of, rung, source_options)
        shown = _source_answer(loaded, comparison, detail=detail)
        return _with_markdown(shown, loaded) if format_ == "markdown" else shown

    return each_source.show(selection, answer, format_)


def _with_markdown(answer: SourceAnswer, loaded: CheckResult) -> SourceAnswer:
    """Return the answer with Markdown in place of the table."""
    from gpuinfra.cli.views.quote_markdown import as_markdown  # noqa: PLC0415  (only with --format)

    return replace(answer, print_table=lambda: click.echo(as_markdown(loaded)))


def _source_answer(
    loaded: CheckResult, comparison: rent_vs_buy.PurchaseComparison | None, *, detail: Detail
) -> SourceAnswer:
    """Return the cost of a source; a purchase can be compared with a stack file only.

    Raises:
        click.UsageError: another source is to be compared with a purchase.
    """
    fails, tell = _has_unusable_price(loaded), partial(_tell_outdated, loaded)
    json_content = {"stack": loaded.name, "as_of": loaded.as_of, "quote": loaded.quote}
    if not isinstance(loaded, StackCheck):
        if comparison is not None:
            raise click.UsageError("--against requires a stack file")
        table = partial(quote.show, loaded, detail=detail)
        return SourceAnswer(
            print_table=table, document=lambda: json_content, fails=fails, print_notes=tell
        )
    bought = None if comparison is None else rent_vs_buy.compare_with_renting(loaded, comparison)
    against = {} if bought is None else {"against": bought}
    return SourceAnswer(
        print_table=partial(_show_stack, loaded, comparison, bought, detail=detail),
        document=lambda: {**json_content, **outlook.as_json(loaded), **against},
        fails=fails,
        print_notes=tell,
    )


def _show_stack(
    stack_check: StackCheck,
    comparison: rent_vs_buy.PurchaseComparison | None,
    bought: Any,
    *,
    detail: Detail,
) -> None:
    quote.show(stack_check, detail=detail)
    for price_note in _unused_prices(stack_check) if detail != "quiet" else ():
        note(f"note: {price_note}")
    if detail == "verbose":
        outlook.show(stack_check)
    if comparison is not None and bought is not None:
        rent_vs_buy.show(stack_check, comparison, bought)


def _has_cap_risk(stack_check: CheckResult) -> bool:
    """Return whether a list price is outdated so that a cap may not hold."""
    return bool(stack_check.quote.at_risk) and not stack_check.quote.accept_outdated


def _has_unusable_price(stack_check: CheckResult) -> bool:
    """Return whether a price is not known, or outdated so that a cap may not hold."""
    return bool(stack_check.quote.unpriced) or _has_cap_risk(stack_check)


def _tell_outdated(check: CheckResult) -> None:
    """Say that prices are outdated, as the rule `price-outdated` does, and the caps at risk."""
    quoted = check.quote
    if not quoted.outdated or quoted.accept_outdated or are_negligible(quoted):
        return
    days = check.stack.prices.outdated_after_days if isinstance(check, StackCheck) else None
    age_note = none_of_day((line.as_of for line in quoted.outdated), check.as_of) or (
        f"outdated: {len(quoted.outdated)} list prices are undated or older than"
        f" {days or OUTDATED_AFTER_DAYS} days, the oldest of {quoted.oldest}"
    )
    risk = f": {'; '.join(quoted.at_risk)}" if quoted.at_risk else ""
    note(
        f"{age_note}{risk}; fetch current prices with `gpuinfra catalog"
        " refresh`, or accept these: write prices: {accept_outdated: true}"
    )


def _unused_prices(stack_check: StackCheck) -> Iterator[str]:
    """Yield the stack's own prices that no machine is bought at."""
    own_prices = stack_check.source.own_prices
    for row in () if own_prices is None else own_prices.unused_prices(stack_check.plan):
        unused_note = f"{row.location}: {row.row.mode} of {row.row.item} is not used by this stack"
        is_commitment = term(row.row.mode) is not None
        yield (
            f"{unused_note}; `gpuinfra commitments` compares it" if is_commitment else unused_note
        )
