"""`gpuinfra check` of what Pulumi wrote: a preview, or an exported state."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from gpuinfra import cost, pulumi_files
from gpuinfra.api.check_settings import WAIVER_FILE, CheckSettings, waivers_for
from gpuinfra.api.check_settings import read as read_beside
from gpuinfra.api.pulumi_files import PulumiCheck, check_file
from gpuinfra.cli import cost_baseline as base
from gpuinfra.cli import outputs
from gpuinfra.cli.check import of_report
from gpuinfra.cli.check_table import show_judged
from gpuinfra.cli.fixing import SMALL, Fixing
from gpuinfra.cli.options import Detail
from gpuinfra.cli.render import show_json
from gpuinfra.cli.waiving import Waiving
from gpuinfra.errors import InputError, Problem
from gpuinfra.pulumi_files.hiding import hide
from gpuinfra.records import record
from gpuinfra.report import Report

if TYPE_CHECKING:
    from gpuinfra.fixes import Fix

PROJECT = "Pulumi.yaml"
"""What stands for a program in reports that want a file."""


@record
class CheckOptions:
    """What is asked of a file besides its judgement.

    Attributes:
        day: the day to judge for.
        settings: a file of settings that says what the file does not.
        stack: a stack file that says it.
        waivers: the file of waivers; None for the one beside the source, if there is one.
        base: what to compare the cost with: a file like this one, or a git revision.
        waiving: what new waivers say; None where none are to be written.
        fixing: whether edits are sought that settle findings; None where they are not.
        detail: how much the table shows.
        source: what the file was made from, such as a program's folder; None for itself.
        notes: what a reader has to know of how it was made.
        preview: makes a preview of a program's folder, for the base of a program.
    """

    day: date
    settings: Path | None = None
    stack: Path | None = None
    waivers: Path | None = None
    base: str | None = None
    waiving: Waiving | None = None
    fixing: Fixing | None = None
    detail: Detail = "normal"
    source: Path | None = None
    notes: Sequence[str] = ()
    preview: Callable[[Path], Path] | None = None


def check(path: Path, wanted: Sequence[outputs.Output], asked: CheckOptions) -> int:
    """Judge a file and write it in every format that was asked for; the exit code.

    Raises:
        InputError: the file, or what was given beside it, can't be read.
    """
    source = asked.source or path
    found = _judged(path, source, asked)
    if asked.waiving is not None and _waived(found, source, asked):
        found = _judged(path, source, asked)
    report = replace(_compared(found, source, asked), fixes=_fixes(found, asked))
    shown = {
        "table": lambda: show_judged(
            report,
            (),
            detail=asked.detail,
            looked=asked.fixing is not None,
            told=(*found.file_notes, *asked.notes),
        ),
        "json": lambda: show_json(in_json(replace(found, report=report), asked.notes)),
    }
    outputs.deliver(wanted, report, shown)
    return report.verdict.exit_code


def _fixes(found: PulumiCheck, asked: CheckOptions) -> "tuple[Fix, ...]":
    """The properties that would settle what refuses; none for a stack that is fine."""
    large = len(found.shown.resources) > SMALL
    if asked.fixing is None and (large or found.judgement.verdict.ok):
        return ()
    from gpuinfra.cli import fix  # noqa: PLC0415  (only where something refuses)

    return hide(fix.of_resources(found, asked.fixing), found.shown.secrets)


def _judged(path: Path, source: Path, asked: CheckOptions) -> PulumiCheck:
    found = check_file(path, _beside(asked, waivers_of(source, asked)), asked.day)
    shown = source / PROJECT if source.is_dir() else source
    return replace(
        found, report=replace(found.report, source=shown, root=outputs.checkout(source))
    )


def _beside(asked: CheckOptions, waivers: Path | None = None) -> CheckSettings:
    return read_beside(asked.settings, asked.stack, asked.day, waivers)


def waivers_of(source: Path, asked: CheckOptions) -> Path | None:
    """The file of waivers that holds; one that is to be written need not be there yet."""
    new = asked.waiving is not None and asked.waivers is not None and not asked.waivers.exists()
    return None if new else waivers_for(source, asked.waivers)


def _waived(found: PulumiCheck, source: Path, asked: CheckOptions) -> bool:
    """Write waivers of what refuses; whether there are new ones."""
    if asked.waiving is None:
        return False
    from gpuinfra.cli import waive  # noqa: PLC0415  (few runs write)

    folder = source if source.is_dir() else source.parent
    path = waivers_for(source, asked.waivers) or folder / WAIVER_FILE
    return waive.write(
        found.report, asked.waiving, waive.WaiverPlace(path=path, most_days=found.most_days)
    )


def _compared(found: PulumiCheck, source: Path, asked: CheckOptions) -> Report:
    """The report with what it costs more or less than its base."""
    if asked.base is None:
        return found.report

    def read(there: Path) -> cost.Quote:
        if there.is_dir() and asked.preview is not None:
            there = asked.preview(there)
        if there.is_dir() or pulumi_files.sniff(there) == "stackfile":
            raise InputError([_unlike(there)])
        return check_file(there, _beside(asked), asked.day).quote

    what = "program" if source.is_dir() else "file"
    since = base.comparison(asked.base, source, found.quote, read, what)
    return replace(found.report, base=asked.base, comparison=since)


def _unlike(there: Path) -> Problem:
    return Problem(
        message="a preview or a state can only be compared with a preview or a state",
        value=str(there),
        fix="use a file written by pulumi preview --json --show-sames or pulumi stack export",
    )


def in_json(found: PulumiCheck, made: Sequence[str] = ()) -> dict[str, object]:
    """The verdict as documented in docs/json.md; `made` are notes on how the file was made."""
    shown = found.shown
    return {
        **of_report(found.report),
        "locked": False,
        "kind": shown.kind,
        "resources": len(shown.resources) + len(shown.not_read),
        "coverage": [
            {"type": type_, "reason": reason, "count": count}
            for (type_, reason), count in sorted(found.report.uncovered.items())
        ],
        "leaving": hide(shown.leaving, shown.secrets),
        "notes": [*hide(shown.notes, shown.secrets), *found.idle, *made],
    }
