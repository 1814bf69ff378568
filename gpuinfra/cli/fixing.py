"""`gpuinfra check --fix`: what is asked for; the search and the writing are in `fix`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpuinfra.cli import source as sources
from gpuinfra.cli.options import Command
from gpuinfra.cli.outputs import Output
from gpuinfra.cli.source import Loaded
from gpuinfra.errors import InputError, Problem
from gpuinfra.report import Report

if TYPE_CHECKING:
    from gpuinfra.fixes import Fix

OPTIONS = ("fix", "yes")

SMALL = 50
"""Up to how many resources a table shows fixes unasked: each trial judges all of them."""


@dataclass(frozen=True, kw_only=True)
class Fixing:
    """Fixes are to be shown and written; `yes` asks nobody."""

    yes: bool = False


def options(command: Command) -> Command:
    """Add --fix and --yes."""
    command = click.option("--yes", is_flag=True, help="With --fix: write without asking.")(
        command
    )
    return click.option(
        "--fix",
        is_flag=True,
        help="Show the smallest edits with which the check passes, in dollars, then write them.",
    )(command)


def asked(wanted: dict[str, Any]) -> Fixing | None:
    """What the options ask for, which leave `wanted`; None without --fix.

    Raises:
        InputError: --yes is there without --fix.
    """
    fix, yes = (bool(wanted.pop(name)) for name in OPTIONS)
    if yes and not fix:
        problem = Problem(message="--yes without --fix", fix="add --fix, or leave --yes out")
        raise InputError([problem])
    return Fixing(yes=yes) if fix else None


def load(
    path: Path,
    as_of: datetime | None,
    rung: tuple[str, ...],
    fixing: Fixing | None,
    outputs: Sequence[Output],
) -> "tuple[Loaded, tuple[Fix, ...]]":
    """A stack file judged, after its fix where that is asked for, and the fixes of what refuses.

    Raises:
        InputError: it can't be read or planned, or the fix can't be written.
        RefusedError: the file changed meanwhile.
    """
    if fixing is None:
        loaded = sources.load(path, as_of=as_of, rung=rung)
        return loaded, _quick(loaded)
    from gpuinfra.cli import fix  # noqa: PLC0415  (only with --fix)

    day = as_of.date() if as_of else date.today()  # noqa: DTZ011 - the user's own day
    aside = not any(one.file is None and one.format == "table" for one in outputs)
    run = fix.Run(day=day, rungs=sources.parse_rungs(rung), aside=aside)
    try:
        loaded = sources.load(path, as_of=as_of, rung=rung)
    except InputError as error:
        fix.of_refused(path, error, fixing, run)
        return sources.load(path, as_of=as_of, rung=rung), ()
    changed, fixes = fix.of_loaded(loaded, fixing, run)
    if not changed:
        return loaded, fixes
    loaded = sources.load(path, as_of=as_of, rung=rung)
    return loaded, _quick(loaded)


def lines(found: Report) -> Iterable[str]:
    """What a table says of the fixes that were found."""
    if not found.fixes:
        name = found.source
        hint = f"gpuinfra check {name} --fix looks for edits that settle it"
        return () if found.verdict.ok else (hint,)
    from gpuinfra.cli import fix  # noqa: PLC0415  (only where something refuses)

    return fix.lines(found.fixes, str(found.source), ok=found.verdict.ok)


def _quick(loaded: Loaded) -> "tuple[Fix, ...]":
    """What a short look finds; a stack that is fine needs none."""
    if loaded.verdict.ok:
        return ()
    from gpuinfra.cli import fix  # noqa: PLC0415  (only where something refuses)

    return fix.quick(loaded)
