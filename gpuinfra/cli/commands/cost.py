"""`gpuinfra cost`: the quote, by line, with date and source."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.api.results import CheckResult
from gpuinfra.catalog.age import none_of_day
from gpuinfra.catalog.commitment_terms import term
from gpuinfra.cli import any_source as sources
from gpuinfra.cli.differences import compare_options, differences
from gpuinfra.cli.options import Detail, details, formats
from gpuinfra.cli.source import load, plan_options, source_argument
from gpuinfra.cli.views import outlook, quote, rent_vs_buy
from gpuinfra.cli.views.render import note, show_json
from gpuinfra.model import OUTDATED_AFTER_DAYS


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
    quote.show(stack_check, detail=detail)
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
        quote.show(check_result, detail=detail)


def _refused(stack_check: CheckResult) -> bool:
    """Whether a price is not known, or outdated so that a cap may not hold; says the latter."""
    quoted = stack_check.quote
    outdated = bool(quoted.at_risk) and not quoted.accept_outdated
    if outdated:
        days = (
            stack_check.stack.prices.outdated_after_days
            if isinstance(stack_check, StackCheck)
            else None
        )
        words = none_of_day((line.as_of for line in quoted.outdated), stack_check.as_of) or (
            f"outdated: {len(quoted.outdated)} list prices are undated or older than"
            f" {days or OUTDATED_AFTER_DAYS} days, the oldest of {quoted.oldest}"
        )
        note(
            f"{words}: {'; '.join(quoted.at_risk)};"
            " write prices: {accept_outdated: true} where that is fine"
        )
    return bool(quoted.unpriced) or outdated


def _unused(stack_check: StackCheck) -> Iterator[str]:
    """The user's own prices of the stack's machines that none of them is bought at."""
    own = stack_check.source.own
    for row in () if own is None else own.unused(stack_check.plan):
        words = f"{row.at}: {row.row.mode} of {row.row.item} is not used by this stack"
        commits = term(row.row.mode) is not None
        yield f"{words}; `gpuinfra commitments` compares it" if commits else words
