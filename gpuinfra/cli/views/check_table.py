"""The table of `gpuinfra check`: findings, fabric, totals and the verdict."""

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

import click

from gpuinfra.cli import fix_options
from gpuinfra.cli.options import Detail
from gpuinfra.cli.views.layout import place_line, wrap_text
from gpuinfra.cost import Quote
from gpuinfra.errors import printable
from gpuinfra.report import Report, summary
from gpuinfra.report.report import LONGEST_NAME, cut, first_names, short_subject
from gpuinfra.report.user_inputs import sentence
from gpuinfra.rules import FabricVerdict, Finding
from gpuinfra.rules.budget import UNCOUNTED_PREFIX
from gpuinfra.rules.verdict import ACTION_NEEDED

MARKS = {
    "fine": ("✓", "green"),
    "violated": ("✗", "red"),
    "not-knowable": ("?", "red"),
    "noted": ("·", "bright_black"),
    "not-applicable": ("·", "bright_black"),
}

WARNING = ("!", "yellow")
DEFERRED_MARK = ("?", "yellow")

UNKNOWN = "? marks an unknown result: a mandatory rule then fails as if it were violated"

NOTED = "· marks what is noted: it does not fail the check"

MOST_SUBJECTS = 8
MAX_LINES_PER_RULE = 100
"""The maximum number of lines of one kind, for example of one violated rule."""

OUTCOMES_BY_DETAIL: dict[Detail, frozenset[str]] = {
    "verbose": ACTION_NEEDED | {"fine", "noted"},
    "all": frozenset(MARKS),
}
"""The outcomes shown with --verbose and with --all."""


def show_judged(
    report: Report,
    notes: Iterable[str],
    *,
    detail: Detail = "normal",
    looks_for_fixes: bool = False,
    look: fix_options.FindFixes | None = None,
    earlier_notes: Iterable[str] = (),
) -> None:
    """Print a report of any SOURCE: findings, notes, totals and verdict.

    Args:
        report: the judgement.
        notes: the notes shown with more detail.
        detail: how much is shown.
        looks_for_fixes: --fix was given: it need not be named as the next thing to try.
        look: finds the fixes once the verdict is printed; None where the report has them.
        earlier_notes: the notes always shown.
    """
    influence_text = sentence(report)
    if influence_text and detail != "quiet":
        click.secho(wrap_text(influence_text, "  "), fg="yellow")
    _show_kinds(report, detail)
    if detail == "quiet":
        if report.stop_reason is not None:
            _show_ending(report)
        return
    is_full = detail != "normal"
    if is_full:
        _show_waived(report)
    shown_notes = dict.fromkeys((*_part(report), *earlier_notes, *(notes if is_full else ())))
    for line in _lines_below_findings(report, shown_notes, full=is_full):
        click.echo(wrap_text(f"  {line}", "    "))
    _show_ending(report)
    sys.stdout.flush()
    report_with_fixes = report if look is None else fix_options.with_fixes(report, look)
    for line in map(
        printable, fix_options.lines(report_with_fixes, looks_for_fixes=looks_for_fixes)
    ):
        indent = len(line) - len(line.lstrip())
        click.echo(wrap_text(f"  {line}", " " * (4 + indent)))


def _part(report: Report) -> Iterator[str]:
    """Yield a note that only a part was checked, and its consequence."""
    if report.stop_reason is not None:
        from gpuinfra.report.partial_check import BOUND  # noqa: PLC0415  (seldom needed)

        yield BOUND


def _show_ending(report: Report) -> None:
    good = "green" if report.ok else "red"
    click.secho(wrap_text(summary.ending(report, merged=True), "  "), fg=good, bold=True)


def _lines_below_findings(report: Report, notes: Iterable[str], *, full: bool) -> Iterator[str]:
    """Yield the lines between the findings and the summary."""
    if report.comparison is not None:
        from gpuinfra.report.quote_diff import headline  # noqa: PLC0415  (only with --base)

        yield f"since {printable(report.base)}: {headline(report.comparison)}"
    shown = {finding.fix for finding in _findings_to_show(report, "verbose" if full else "normal")}
    yield from _fabric(report.fabric, shown, full=full)
    yield from _not_judged(report, full=full)
    yield from map(printable, notes)
    if any(
        finding.outcome == "not-knowable" and (full or finding.refuses)
        for finding in report.verdict.findings
    ):
        yield UNKNOWN
    if full and any(finding.outcome == "noted" for finding in report.verdict.findings):
        yield NOTED
    if report.quote is not None:
        yield from _charges(report.quote) if full else ()
        hint = "" if full else " (-v)"
        is_partial = report.stop_reason is not None
        totals = "; ".join(summary.totals(report.quote, report.caps, hint, is_partial=is_partial))
        yield f"{cut(report.name, LONGEST_NAME)}: {totals}"


def _charges(quote: Quote) -> Iterator[str]:
    """Yield the charges of each workload that the totals do not count."""
    from gpuinfra.cli.views.quote_lines import charge_names  # noqa: PLC0415  (only with -v)

    names = list(charge_names(quote))
    yield from names[:MAX_LINES_PER_RULE]
    yield from _omitted_count(len(names), "charges")


def _fabric(
    proofs: Sequence[FabricVerdict], shown_fixes: Collection[str], *, full: bool
) -> Iterator[str]:
    """Yield the fabric verdicts one by one, or a line for groups with the same verdict."""
    if full:
        lines = [cut(proof.details(shown_fixes)) for proof in proofs]
    else:
        names_by_verdict: dict[str, list[str]] = {}
        for proof in proofs:
            verdict_text = summary.fabric(proof, shown_fixes)
            names_by_verdict.setdefault(verdict_text, []).append(proof.name)
        lines = [
            f"{_first_subjects(names)}: {cut(verdict_text)}"
            for verdict_text, names in names_by_verdict.items()
        ]
    yield from lines[:MAX_LINES_PER_RULE]
    yield from _omitted_count(len(lines), "fabric")


def _not_judged(report: Report, *, full: bool) -> Iterator[str]:
    """Yield the resources that no rule covers, by type and reason, or only how many."""
    if not full:
        rows = [row for row in report.not_judged if not row.unseen_rights]
        if rows:
            names = first_names((row.type for row in rows), MOST_SUBJECTS)
            yield f"not judged: {len(rows)} of {names} (-v says why)"
        unseen = [name for row in report.not_judged for name in row.unseen_rights]
        if unseen:
            names = first_names(map(_last_part, unseen), MOST_SUBJECTS)
            yield f"not judged: the permissions of {names}, declared elsewhere (-v says more)"
        return
    for (type_, reason), count in sorted(
        islice(report.not_judged_counts.items(), MAX_LINES_PER_RULE)
    ):
        yield f"not judged: {count} × {cut(type_, LONGEST_NAME)}: {cut(reason)}"
    yield from _omitted_count(len(report.not_judged_counts), "not judged")


def _last_part(name: str) -> str:
    """Return the last part of an id or an ARN."""
    return name.rstrip("/").rpartition("/")[2]


def _show_kinds(report: Report, detail: Detail) -> None:
    """Print the findings, merging equal ones, errors first."""
    kinds_of: dict[tuple[str, str], dict[tuple[str, ...], list[Finding]]] = {}
    for finding in _findings_to_show(report, detail):
        kinds = kinds_of.setdefault((finding.rule, finding.outcome), {})
        kinds.setdefault(summary.merge_key(finding), []).append(finding)
    for (rule, outcome), kinds in kinds_of.items():
        for findings in islice(kinds.values(), MAX_LINES_PER_RULE):
            show_findings(findings, report, full=detail in {"verbose", "all"})
        for line in _omitted_count(len(kinds), f"{rule} ({outcome})"):
            click.echo(f"  {line}")


def _findings_to_show(report: Report, detail: Detail) -> Iterable[Finding]:
    """Return the findings to show: those not fine, errors before warnings."""
    if detail in OUTCOMES_BY_DETAIL:
        return (
            finding
            for finding in report.verdict.findings
            if finding.outcome in OUTCOMES_BY_DETAIL[detail]
        )
    bad = (entry.finding for entry in report.failing_findings if not entry.finding.is_deferred)
    return (finding for finding in bad if finding.refuses) if detail == "quiet" else bad


def _show_waived(report: Report) -> None:
    """Print the waived findings with the reasons of their waivers."""
    accepted: dict[tuple[str, str], list[str]] = {}
    for entry in report.waived_findings:
        accepted.setdefault((entry.finding.rule, entry.waiver_text), []).append(
            entry.finding.subject
        )
    for (rule, finding_text), subjects in islice(accepted.items(), MAX_LINES_PER_RULE):
        click.echo(
            wrap_text(f"~ {rule}: {_first_subjects(subjects)}: {cut(finding_text)}", "    ")
        )
    for line in _omitted_count(len(accepted), "waived"):
        click.echo(f"  {line}")


def _omitted_count(count: int, content: str) -> Iterator[str]:
    """Yield how many lines are omitted, if any."""
    if count > MAX_LINES_PER_RULE:
        yield f"… and {count - MAX_LINES_PER_RULE} more lines of {content}: --format json has all"


def _first_subjects(subjects: Sequence[str]) -> str:
    """Return the first distinct subjects, and how many more there are."""
    return first_names(subjects, MOST_SUBJECTS, short_subject)


def show_findings(findings: Sequence[Finding], report: Report, *, full: bool = True) -> None:
    """Print findings with the same message for several subjects, with location and fix."""
    first = findings[0]
    mark, colour = _mark(first)
    subjects = _first_subjects([finding.subject for finding in findings])
    message = first.message.partition(UNCOUNTED_PREFIX)[0]
    deferred_note = " (later)" if first.is_deferred else ""
    click.secho(mark, fg=colour, nl=False)
    text = f"{mark} {first.rule}{deferred_note}: {subjects}: {cut(message)}"
    click.echo(wrap_text(text, "    ")[len(mark) :])
    if first.outcome == "noted":
        click.echo(wrap_text(f"    note: {cut(first.fix)}", " " * 10))
    if first.outcome not in ACTION_NEEDED:
        return
    findings_with_path = [finding for finding in findings[:MOST_SUBJECTS] if finding.path]
    for place in filter(None, (report.locate(finding.path) for finding in findings_with_path)):
        click.echo(place_line(place))
    if first.fix:
        click.echo(wrap_text(f"    fix: {cut(first.fix)}", " " * 9))
    if full:
        from gpuinfra.report.rule_address import more_about  # noqa: PLC0415  (only with -v)

        click.echo(f"    more: {more_about(first.rule)}")


def _mark(finding: Finding) -> tuple[str, str]:
    """Return the mark and colour of a finding; warnings differ from failures."""
    if finding.outcome not in ACTION_NEEDED:
        return MARKS[finding.outcome]
    if finding.is_deferred:
        return DEFERRED_MARK
    return MARKS[finding.outcome] if finding.refuses else WARNING
