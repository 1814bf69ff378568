"""The SOURCE argument and the options of the commands that read a stack, and its loading."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpuinfra.cli import shell_completion
from gpuinfra.cli.options import DAY, Command
from gpuinfra.cli.options import format_options as format_options  # noqa: PLC0414
from gpuinfra.cli.views import damaged_files_note
from gpuinfra.cli.views.render import note
from gpuinfra.errors import InputError, Problem
from gpuinfra.today import today

if TYPE_CHECKING:
    from gpuinfra.api.checking import StackCheck
    from gpuinfra.source import UseLock

CONFIG_OPTION = "--rung"


def source_argument(command: Command) -> Command:
    """Add SOURCE: a stack file or its folder, the current folder by default."""
    return click.argument(
        "source",
        default=".",
        type=click.Path(path_type=Path),
        shell_complete=shell_completion.stacks,
    )(command)


def sources_argument(command: Command) -> Command:
    """Add SOURCE, any number of times; without any it is the current folder."""
    return click.argument(
        "sources",
        nargs=-1,
        metavar="[SOURCE]...",
        type=click.Path(path_type=Path),
        shell_complete=shell_completion.stacks,
    )(command)


def plan_options(command: Command) -> Command:
    """Add --as-of and --rung."""
    command = click.option(
        "--as-of",
        type=DAY,
        default=None,
        help="Use the prices of this day; default today.",
    )(command)
    return click.option(
        CONFIG_OPTION,
        "rung",
        multiple=True,
        metavar="WORKLOAD=RUNG",
        shell_complete=shell_completion.rungs,
        help="Use this rung of the ladder, for example trainer=on-demand.",
    )(command)


def parse_rungs(pairs: tuple[str, ...]) -> dict[str, str]:
    """Return the pairs as a mapping: `("trainer=on-demand",)`.

    Raises:
        InputError: a pair has no `=`.
    """
    problems = [
        Problem(
            message="--rung takes WORKLOAD=RUNG",
            value=pair,
            fix=f"for example {CONFIG_OPTION} trainer=on-demand",
        )
        for pair in pairs
        if "=" not in pair
    ]
    if problems:
        raise InputError(problems)
    return dict(pair.split("=", 1) for pair in pairs)


def _refuse_early(check: "StackCheck") -> None:
    """Refuse a day before the date of every price that the stack uses.

    Raises:
        InputError: no price of the stack is known on that day.
    """
    from gpuinfra.catalog.fact_age import first_day, none_of_day  # noqa: PLC0415  (only with --as-of)

    dates = [line.as_of for line in check.quote.outdated]
    early = none_of_day(dates, check.as_of)
    if early and not check.quote.accept_outdated:
        fix = f"use --as-of {first_day(dates)} or a later day"
        raise InputError.of(early, value=str(check.as_of), fix=fix)


def load(
    path: Path, *, as_of: Any = None, rung: tuple[str, ...] = (), lock: "UseLock" = "enforce"
) -> "StackCheck":
    """Check a stack file, and print notes on its prices and the files beside it.

    Raises:
        InputError: with all structural and planning problems, positioned.
    """
    from gpuinfra.api.checking import check_stack  # noqa: PLC0415  (a preview needs none of it)

    damaged_files_note.note_damaged_files()
    day = as_of.date() if as_of else today()
    check = check_stack(path, parse_rungs(rung), day, lock)
    if as_of:
        _refuse_early(check)
    if lock != "silent":
        for line in check.source.notes:
            note(line)
    return check
