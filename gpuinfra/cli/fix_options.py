"""The options of `gpuinfra check --fix`; `check_fix` searches for and writes the fixes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpuinfra.cli import source as sources
from gpuinfra.cli.hints import command_with, running_command
from gpuinfra.cli.options import Command, FixOptions
from gpuinfra.cli.outputs import PRINTED_TABLE, OutputOptions
from gpuinfra.errors import InputError, Problem, command_line
from gpuinfra.report import Report
from gpuinfra.stackfile.file_names import PROJECT_FILES
from gpuinfra.today import today

if TYPE_CHECKING:
    from gpuinfra.api.checking import StackCheck
    from gpuinfra.fixes import Fix

FindFixes = Callable[[], "tuple[Fix, ...]"]
"""Looks for fixes."""

OPTIONS = ("fix", "yes", "partial")

SMALL = 50
"""Up to how many resources a table shows fixes unasked: each trial judges all of them."""


def options(command: Command) -> Command:
    """Add --fix, --yes and --partial."""
    command = click.option(
        "--partial",
        is_flag=True,
        help="With --fix --yes: also write an edit after which the check still fails.",
    )(command)
    command = click.option("--yes", is_flag=True, help="With --fix: write without confirmation.")(
        command
    )
    return click.option(
        "--fix",
        is_flag=True,
        help="Show the smallest edits that make the check pass, with their cost, then write them.",
    )(command)


def from_options(options: dict[str, Any]) -> FixOptions | None:
    """Return the fixing options, removed from `options`; None without --fix.

    Raises:
        InputError: --yes is there without --fix, or --partial without --yes.
    """
    fix, yes, partial = (bool(options.pop(name)) for name in OPTIONS)
    if partial and not yes:
        text = "--yes" if fix else "--fix --yes"
        raise InputError(
            [_missing_option("--partial", text, "an edit after which the check still fails")]
        )
    if yes and not fix:
        raise InputError([_missing_option("--yes", "--fix", "an edit without confirmation")])
    return FixOptions(yes=yes, partial=partial) if fix else None


def _missing_option(option: str, option_text: str, description: str) -> Problem:
    return Problem(
        message=f"{option} requires {option_text}, to write {description}",
        fix=f"add {option_text}, or remove {option}",
    )


@dataclass(frozen=True, kw_only=True)
class FixSearch:
    """A checked stack file, with the result of the fix search.

    Attributes:
        stack_check: the judgement of the file as it is now.
        search_quickly: gives the fixes of what refuses; they may be searched only then.
        showed_fix: whether a fix and the verdict after it were shown, and nothing was written.
    """

    stack_check: "StackCheck"
    search_quickly: FindFixes
    showed_fix: bool = False


def load(
    path: Path,
    as_of: datetime | None,
    rung: tuple[str, ...],
    fixing: FixOptions | None,
    outputs: Sequence[OutputOptions],
) -> FixSearch:
    """Return a stack file's check, after its fix with --fix, and fixes of failing findings.

    Raises:
        InputError: it can't be read or planned, or the fix can't be written.
        ChangedFileError: the file changed meanwhile.
    """
    if fixing is None:
        return _with_quick_search(sources.load(path, as_of=as_of, rung=rung))
    from gpuinfra.cli.commands import check_fix  # noqa: PLC0415  (only with --fix)

    day = as_of.date() if as_of else today()
    is_table_aside = PRINTED_TABLE not in outputs
    run = check_fix.FixContext(
        day=day, rungs=sources.parse_rungs(rung), notes_on_stderr=is_table_aside
    )
    try:
        loaded = sources.load(path, as_of=as_of, rung=rung)
    except InputError as error:
        check_fix.write_first_fix(path, error, fixing, run)
        return _with_quick_search(sources.load(path, as_of=as_of, rung=rung))
    offer, fixes = check_fix.search_stack_fixes(loaded, fixing, run)
    if offer == "written":
        return _with_quick_search(sources.load(path, as_of=as_of, rung=rung))
    return FixSearch(
        stack_check=loaded,
        search_quickly=lambda: fixes,
        showed_fix=offer == "shown" and not is_table_aside,
    )


def with_fixes(report: Report, look: FindFixes) -> Report:
    """Return the report with the fixes that a look finds."""
    return replace(report, fixes=look())


def lines(report: Report, *, looks_for_fixes: bool) -> Iterable[str]:
    """Return the lines of the table about the fixes found with --fix or by a short search."""
    if not report.fixes:
        proposal = f"look for edits that fix it: {fix_command(report)}"
        return () if report.verdict.ok or report.stop_reason or looks_for_fixes else (proposal,)
    from gpuinfra.cli.views import fix_text  # noqa: PLC0415  (only where something refuses)

    return fix_text.lines(
        report.fixes,
        ok=report.verdict.ok,
        writing_hint="" if looks_for_fixes else fix_command(report),
        runtime=_runtime(report.source),
    )


def _runtime(source: Path) -> str:
    """Return the runtime of the program whose project a source is; empty of another source."""
    if source.name not in PROJECT_FILES:
        return ""
    from gpuinfra.engine.program_preview import project  # noqa: PLC0415  (only with a program)

    return project.read_project(source.parent).runtime


def fix_command(report: Report) -> str:
    """Return the command that searches for fixes: the running check with --fix."""
    is_check = running_command().arguments[:1] == ("check",)
    return command_with("--fix") if is_check else command_line("check", report.source, "--fix")


def _with_quick_search(stack_check: "StackCheck") -> FixSearch:
    """Return a check with the fixes of a quick search; a stack that passes needs none."""

    def search_quickly() -> "tuple[Fix, ...]":
        if stack_check.verdict.ok:
            return ()
        from gpuinfra.cli.commands import check_fix  # noqa: PLC0415  (only where something refuses)

        return check_fix.quick(stack_check)

    return FixSearch(stack_check=stack_check, search_quickly=search_quickly)
