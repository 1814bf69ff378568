"""Fixes of a stack file: the search, the diff with costs, and writing them."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import date
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from gpuinfra import source as sources
from gpuinfra.api.checking import StackCheck, caps_of_machines, judge
from gpuinfra.cli.fix_writing import new_text, replace_stack_file
from gpuinfra.cli.options import FixOptions
from gpuinfra.cli.views.fix_text import effect_lines, stop_text, unfixed_lines
from gpuinfra.cli.views.fix_text import lines as fix_lines
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.progress import is_watched, show_waiting
from gpuinfra.cli.views.render import clean, note
from gpuinfra.errors import InputError
from gpuinfra.fixes import Fix, Proposal
from gpuinfra.fixes.stack_file_edits import difference
from gpuinfra.fixes.stack_file_fixes import edited_source, propose_stack_fixes
from gpuinfra.report.summary import ending
from gpuinfra.rules import Verdict
from gpuinfra.rules.rule import Finding
from gpuinfra.source import Source

if TYPE_CHECKING:
    from gpuinfra.api.pulumi_files import PulumiCheck

LARGE: Final = 40
"""Workloads and buckets from which on a table shows no fixes: each trial judges all of them."""


SEARCH: Final = "searching for a fix"

NOTHING_TO_FIX: Final = "no finding fails the check: there is nothing to fix"

ONLY_FAILING: Final = "no finding fails the check: --fix writes no edit for a warning"

NO_EDIT: Final = "nothing was written: no edit was found that makes the check pass"

REFUSES: Final = "the check still fails after it"

SearchResult = Literal["nothing", "shown", "written"]
"""The result of a search: no fix, one that was shown only, or one that was written."""


@dataclass(frozen=True, kw_only=True)
class FixContext:
    """The day, the rungs and the output stream of a search for fixes.

    `notes_on_stderr` says that the result is no table, so that what is said goes to the error
    stream.
    """

    day: date
    rungs: Mapping[str, str]
    notes_on_stderr: bool = False

    def print_fix_notes(self, text: str) -> None:
        """Print a fix's notes, wrapped at word boundaries."""
        self.show(wrap_text(text, "  "))

    def show(self, text: str) -> None:
        """Print a text without wrapping it."""
        click.echo(clean(text), err=self.notes_on_stderr)


def quick(stack_check: StackCheck) -> tuple[Fix, ...]:
    """Return the fixes that a short search finds; none for a stack that passes or is large."""
    stack = stack_check.stack
    size = len(stack.training) + len(stack.inference) + len(stack.buckets)
    if stack_check.verdict.ok or size > LARGE:
        return ()
    return _proposal(stack_check, thorough=False).fixes


def search_stack_fixes(
    stack_check: StackCheck, fixing: FixOptions, context: FixContext
) -> tuple[SearchResult, tuple[Fix, ...]]:
    """Search for fixes of a stack file; show the first, write it, and return the result.

    Raises:
        InputError: it can't be written into the file.
        RefusedError: the file changed meanwhile.
    """
    proposal = _proposal(stack_check, thorough=True)
    if stack_check.verdict.ok:
        note(_passing_hint(stack_check.verdict))
        return "nothing", proposal.advisory_fixes
    offer = _offer_first_fix(
        stack_check.source, proposal, fixing, context, stack_check.verdict.findings
    )
    if offer != "nothing":
        for line in fix_lines(proposal.advisory_fixes, ok=True, writing_hint=""):
            context.print_fix_notes(line)
    return offer, (*proposal.fixes, *proposal.advisory_fixes)


def write_first_fix(
    path: Path, error: InputError, fixing: FixOptions, context: FixContext
) -> None:
    """Look for fixes of a stack file that can't be planned, and write the first.

    Raises:
        InputError: the file itself has faults, or nothing was found or written.
        RefusedError: the file changed meanwhile.
    """
    try:
        source = sources.read_for_comparison(path, context.day)
    except InputError:
        raise error from None
    with show_waiting(SEARCH) as show_progress:
        proposal = propose_stack_fixes(
            source,
            _counted_trials(context, show_progress),
            error,
            thorough=True,
            caps=lambda fix: caps_of_machines(fix, context.rungs, context.day),
        )
    if not proposal.fixes or _offer_first_fix(source, proposal, fixing, context) != "written":
        raise error


def resource_fixes_for(check: "PulumiCheck", fixing: FixOptions | None) -> tuple[Fix, ...]:
    """Return edits of properties that fix the failing findings of a preview, state or program.

    They are named, not written: only a user knows where in the program a value comes from.
    """
    from gpuinfra.fixes.resource_fixes import propose_resource_fixes  # noqa: PLC0415  (a stack file needs none)

    with _search(only_on_terminal=fixing is None):
        proposal = propose_resource_fixes(
            check.pulumi_stack.resources,
            check.judge,
            check.judgement,
            check.prices,
            thorough=fixing is not None,
        )
    if fixing is not None:
        for line in unfixed_lines(proposal, check.judgement.verdict.findings):
            note(line)
        if proposal.is_incomplete and proposal.fixes:
            note(stop_text(proposal))
        note(_program_hint(proposal, check.judgement.verdict))
    return (*proposal.fixes, *proposal.advisory_fixes)


def _passing_hint(verdict: Verdict) -> str:
    """Return what there is to fix of a stack that passes."""
    return ONLY_FAILING if verdict.needs_action else NOTHING_TO_FIX


def _program_hint(proposal: Proposal, verdict: Verdict) -> str:
    """Return what to do with the edits of a program, which only its author can write."""
    if proposal.fixes or proposal.advisory_fixes:
        return "nothing was written: edit the program at the places that the edits name"
    return _passing_hint(verdict) if verdict.ok else NO_EDIT


def _search(*, only_on_terminal: bool) -> AbstractContextManager[Callable[[str], None] | None]:
    """Show that a search for fixes runs; with `only_on_terminal`, only on a terminal."""
    return nullcontext() if only_on_terminal and not is_watched() else show_waiting(SEARCH)


def _proposal(stack_check: StackCheck, *, thorough: bool) -> Proposal:
    run = FixContext(day=stack_check.as_of, rungs=stack_check.rungs)
    with _search(only_on_terminal=not thorough) as show_progress:
        return propose_stack_fixes(
            stack_check.source,
            _counted_trials(run, show_progress),
            stack_check,
            thorough=thorough,
            caps=lambda source: caps_of_machines(source, run.rungs, run.day),
        )


def _counted_trials(
    context: FixContext, show_progress: Callable[[str], None] | None
) -> Callable[[Source], StackCheck]:
    """Return what judges a source with edits, and shows how many it has judged."""
    numbers = count(1)

    def judge_next(source: Source) -> StackCheck:
        if show_progress is not None:
            show_progress(f"{next(numbers)} tried")
        return _trial(source, context)

    return judge_next


def _trial(source: Source, context: FixContext) -> StackCheck:
    return judge(source, sources.plan(source, context.rungs), dict(context.rungs), context.day)


def _offer_first_fix(
    source: Source,
    proposal: Proposal,
    fixing: FixOptions,
    context: FixContext,
    findings: Sequence[Finding] = (),
) -> SearchResult:
    """Show the first fix, write it if requested, and return the result."""
    if proposal.fixes:
        _show(source, proposal.fixes[0], context)
    for line in unfixed_lines(proposal, findings):
        context.print_fix_notes(line)
    if not proposal.fixes:
        note(NO_EDIT)
        return "nothing"
    if proposal.is_incomplete:
        context.print_fix_notes(stop_text(proposal))
    fix, document = proposal.fixes[0], source.document
    if not _is_to_be_written(fix, fixing):
        return "shown"
    replace_stack_file(document, new_text(document, fix))
    context.print_fix_notes(f"wrote {document.path}")
    return "written"


def _show(source: Source, fix: Fix, context: FixContext) -> None:
    """Print a fix's diff, the verdict after it, and its effects."""
    document = source.document
    new = new_text(document, fix)
    context.show(difference(document.text, new, document.path.name))
    context.print_fix_notes(_verdict_after_fix(_trial(edited_source(source, fix.edits), context)))
    for line in effect_lines(fix, document.path):
        context.print_fix_notes(line)


def _verdict_after_fix(stack_check: StackCheck) -> str:
    """Return the verdict with a fix, and what still refuses."""
    refusing = [
        failing_finding
        for failing_finding in stack_check.verdict.findings
        if failing_finding.refuses
    ]
    findings_text = ", ".join(f"{finding.rule} ({finding.subject})" for finding in refusing)
    return f"after it: {ending(stack_check.report)}{f': {findings_text}' if findings_text else ''}"


def _is_to_be_written(fix: Fix, fixing: FixOptions) -> bool:
    """Return whether a fix is confirmed.

    A partial fix, after which the check still fails, needs --partial.
    """
    if fixing.yes and (fix.passes_check or fixing.partial):
        return True
    if fix.passes_check:
        return _is_confirmed("write it?", "add --yes to write it without confirmation")
    return _is_confirmed(
        f"{REFUSES}: write it anyway?",
        f"{REFUSES}; add {'' if fixing.yes else '--yes '}--partial to write it anyway",
    )


def _is_confirmed(question: str, way_to_write: str) -> bool:
    """Return whether the user at the terminal answers yes; False without a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        note(f"not written: {way_to_write}")
        return False
    return click.confirm(question, default=False, err=True)
