"""`gpuinfra check` of Pulumi's output: a preview or an exported state."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gpuinfra import cost, pulumi_files
from gpuinfra.api.check_settings import WAIVER_FILE, waivers_for
from gpuinfra.api.check_settings import read as read_beside
from gpuinfra.api.check_settings_model import CheckSettings
from gpuinfra.api.pulumi_files import PulumiCheck, check_file
from gpuinfra.cli import cost_baseline as base
from gpuinfra.cli import outputs
from gpuinfra.cli.fix_options import SMALL, FindFixes
from gpuinfra.cli.options import Detail, FixOptions
from gpuinfra.cli.views.check_table import show_judged
from gpuinfra.cli.views.render import note, show_problems
from gpuinfra.cli.views.verdict_json import verdict_fields
from gpuinfra.cli.waiver_options import WaiverOptions
from gpuinfra.errors import GpuinfraError, InputError, Problem
from gpuinfra.pulumi_files.secret_redaction import hide
from gpuinfra.records import record
from gpuinfra.report import Report
from gpuinfra.report.partial_check import BOUND, StopReason

if TYPE_CHECKING:
    from gpuinfra.fixes import Fix

PROGRAM_FILE = "Pulumi.yaml"
"""The file that reports give for findings of a program."""


@record
class CheckOptions:
    """The options of a check of a Pulumi file.

    Attributes:
        day: the day to judge for.
        settings: a file of settings that the Pulumi file lacks.
        stack: a stack file that says it.
        waivers: the file of waivers; None for the one beside the source, if there is one.
        base: what to compare the cost with: a file like this one, or a git revision.
        waiver_options: what new waivers say; None where none are to be written.
        fix_options: whether edits are sought that settle findings; None where they are not.
        detail: how much the table shows.
        source: the origin of the file, for example a program's folder; None for itself.
        notes: remarks on how it was made.
        preview: makes a preview of a program's folder, for the base of a program.
        program_error: what stopped the program that was previewed; None where it ran to its end.
        shows_verdict_first: whether edits are sought only once the verdict is shown, as a table
            alone allows.
    """

    day: date
    settings: Path | None = None
    stack: Path | None = None
    waivers: Path | None = None
    base: str | None = None
    waiver_options: WaiverOptions | None = None
    fix_options: FixOptions | None = None
    detail: Detail = "normal"
    source: Path | None = None
    notes: Sequence[str] = ()
    preview: Callable[[Path], Path] | None = None
    program_error: GpuinfraError | None = None
    shows_verdict_first: bool = False


def check(path: Path, options: CheckOptions) -> outputs.CheckOutput:
    """Judge a file.

    Raises:
        InputError: the file, or its settings file, can't be read.
    """
    source = options.source or path
    pulumi_check = _check_file(path, source, options)
    look: FindFixes | None = None
    if pulumi_check.report.stop_reason is not None:
        _tell_stopped(pulumi_check.report.stop_reason, options)
        report = pulumi_check.report
    else:
        if options.waiver_options is not None and _write_waivers(pulumi_check, source, options):
            pulumi_check = _check_file(path, source, options)
        report = _with_cost_difference(pulumi_check, source, options)
        look = partial(fixes_of, pulumi_check, options.fix_options)
        if options.fix_options is not None or not options.shows_verdict_first:
            report, look = replace(report, fixes=look()), None
    return outputs.CheckOutput(
        report=report,
        table=lambda: show_judged(
            report,
            (),
            detail=options.detail,
            looks_for_fixes=options.fix_options is not None,
            look=look,
            earlier_notes=(*pulumi_check.file_notes, *options.notes),
        ),
        document=lambda: verdict_as_json(replace(pulumi_check, report=report), options.notes),
    )


def _tell_stopped(stopped: StopReason, options: CheckOptions) -> None:
    """Print why only a part is checked, and which options are ignored."""
    show_problems(stopped.error)
    undone = (
        ("--fix", "no edit was searched for, and nothing was changed", options.fix_options),
        ("--write-waivers", "no waiver was written", options.waiver_options),
        ("--base", "the cost was not compared", options.base),
    )
    for option, words, is_given in undone:
        if is_given is not None:
            note(f"{option}: {words}: only a part of the stack was judged")


def fixes_of(check: PulumiCheck, fixing: FixOptions | None) -> "tuple[Fix, ...]":
    """Return edits of properties that would fix the failing findings; none if all pass."""
    is_large = len(check.pulumi_stack.resources) > SMALL
    if fixing is None and (is_large or check.judgement.verdict.ok):
        return ()
    from gpuinfra.cli.commands import check_fix  # noqa: PLC0415  (only where something refuses)

    return hide(check_fix.resource_fixes_for(check, fixing), check.pulumi_stack.secrets)


def _check_file(path: Path, source: Path, options: CheckOptions) -> PulumiCheck:
    settings = _check_settings(options, waivers_of(source, options))
    check = check_file(path, settings, options.day, partial=True)
    file = source / PROGRAM_FILE if source.is_dir() else source
    report = replace(check.report, source=file, root=outputs.checkout(source))
    if report.stop_reason is not None and options.program_error is not None:
        stopped = replace(report.stop_reason, error=options.program_error, is_program=True)
        report = replace(report, stop_reason=stopped)
    return replace(check, report=report)


def _check_settings(options: CheckOptions, waivers: Path | None = None) -> CheckSettings:
    return read_beside(options.settings, options.stack, options.day, waivers)


def waivers_of(source: Path, options: CheckOptions) -> Path | None:
    """Return the waiver file in use; None for one that is still to be written."""
    is_new = (
        options.waiver_options is not None
        and options.waivers is not None
        and not options.waivers.exists()
    )
    return None if is_new else waivers_for(source, options.waivers)


def _write_waivers(check: PulumiCheck, source: Path, options: CheckOptions) -> bool:
    """Write waivers for failing findings; return whether any were added."""
    if options.waiver_options is None:
        return False
    from gpuinfra.cli.commands import check_waive  # noqa: PLC0415  (few runs write)

    folder = source if source.is_dir() else source.parent
    path = waivers_for(source, options.waivers) or folder / WAIVER_FILE
    return check_waive.write(
        check.report,
        options.waiver_options,
        check_waive.WaiverPlace(path=path, max_days=check.max_waiver_days),
    )


def _with_cost_difference(check: PulumiCheck, source: Path, options: CheckOptions) -> Report:
    """Return the report with the cost difference from its base."""
    if options.base is None:
        return check.report

    def quote_base(folder: Path) -> cost.Quote:
        if folder.is_dir() and options.preview is not None:
            folder = options.preview(folder)
        if folder.is_dir() or pulumi_files.detect_kind(folder) == "stackfile":
            raise InputError([_not_comparable(folder)])
        return check_file(folder, _check_settings(options), options.day).quote

    source_kind = "program" if source.is_dir() else "file"
    since = base.comparison(options.base, source, check.quote, quote_base, source_kind)
    return replace(check.report, base=options.base, comparison=since)


def _not_comparable(folder: Path) -> Problem:
    return Problem(
        message="a preview or a state can only be compared with a preview or a state",
        value=str(folder),
        fix="use a file written by pulumi preview --json --show-sames or pulumi stack export",
    )


def verdict_as_json(check: PulumiCheck, preview_notes: Sequence[str] = ()) -> dict[str, object]:
    """Return the verdict as in docs/json.md; `preview_notes` say how the file was made."""
    pulumi_stack = check.pulumi_stack
    return {
        **verdict_fields(check.report),
        "locked": False,
        "kind": pulumi_stack.kind,
        "resources": len(pulumi_stack.resources) + len(pulumi_stack.not_read),
        "coverage": [
            {"type": type_, "reason": reason, "count": count}
            for (type_, reason), count in sorted(check.report.not_judged_counts.items())
        ],
        "leaving": hide(pulumi_stack.leaving, pulumi_stack.secrets),
        "notes": [
            *((BOUND,) if check.report.stop_reason else ()),
            *hide(pulumi_stack.notes, pulumi_stack.secrets),
            *check.unmatched_settings,
            *check.price_notes,
            *preview_notes,
        ],
    }
