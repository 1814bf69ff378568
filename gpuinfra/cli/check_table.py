"""The table of `gpuinfra check`: findings that say the same on one line, then the count."""

from collections.abc import Iterable, Sequence
from itertools import islice

import click

from gpuinfra.cli import fixing
from gpuinfra.errors import printable
from gpuinfra.report import Report
from gpuinfra.report.judged import LONGEST_NAME, cut
from gpuinfra.rules import Finding
from gpuinfra.rules.weighing import BAD

MARKS = {
    "fine": ("✓", "green"),
    "violated": ("✗", "red"),
    "not-knowable": ("?", "yellow"),
    "not-applicable": ("·", "bright_black"),
}

MOST_SUBJECTS = 8
MOST_ALIKE = 100
"""How many lines of a kind are shown, such as those of one rule that is violated."""


def show_judged(
    found: Report, notes: Iterable[str], *, everything: bool, looked: bool = False
) -> None:
    """A judgement of any SOURCE, with notes on what it was made from.

    `looked` says that --fix was given: it need not be named as the next thing to try.
    """
    _show_kinds(found, everything=everything)
    _show_waived(found)
    if found.comparison is not None:
        from gpuinfra.report.difference import headline  # noqa: PLC0415  (only with --base)

        click.echo(f"  since {printable(found.base)}: {headline(found.comparison)}")
    for proof in found.fabric[:MOST_ALIKE]:
        click.echo(f"  {cut(str(proof))}")
    _show_more(len(found.fabric), "fabric")
    for (type_, reason), count in sorted(islice(found.uncovered.items(), MOST_ALIKE)):
        click.echo(f"  not judged: {count} × {cut(type_, LONGEST_NAME)}: {cut(reason)}")
    _show_more(len(found.uncovered), "not judged")
    for line in (*notes, *fixing.lines(found, looked=looked)):
        click.echo(f"  {printable(line)}")
    _show_count(found)


def _show_count(found: Report) -> None:
    """What the verdict is, and how many findings of each outcome it stands on."""
    verdict = found.verdict
    counts = {
        outcome: sum(one.outcome == outcome for one in verdict.findings) for outcome in MARKS
    }
    bad = [one for one in verdict.findings if one.outcome in BAD and not one.later]
    said = [f"{count} {outcome}" for outcome, count in counts.items() if count]
    said += [f"{len(verdict.waived)} waived"] if verdict.waived else []
    advised = sum(one.level == "advisory" for one in bad)
    later = sum(one.later for one in verdict.findings)
    summary = ", ".join(said)
    summary += f"; {advised} of these advisory" if advised else ""
    summary += f"; {later} decided by the update" if later else ""
    click.secho(
        f"{printable(found.name)}: {'fine' if verdict.ok else 'violated'} ({summary})",
        fg="green" if verdict.ok else "red",
    )


def _show_kinds(found: Report, *, everything: bool) -> None:
    """The findings, those that say the same together."""
    alike: dict[tuple[str, str], dict[str, list[Finding]]] = {}
    for finding in found.verdict.findings:
        if everything or finding.outcome != "not-applicable":
            kinds = alike.setdefault((finding.rule, finding.outcome), {})
            kinds.setdefault(finding.message, []).append(finding)
    for (rule, outcome), kinds in alike.items():
        for findings in islice(kinds.values(), MOST_ALIKE):
            show_findings(findings, found)
        _show_more(len(kinds), f"{rule} ({outcome})")


def _show_waived(found: Report) -> None:
    """What is accepted, by the words of its waiver."""
    accepted: dict[tuple[str, str], list[str]] = {}
    for entry in found.waived:
        accepted.setdefault((entry.finding.rule, entry.accepted), []).append(entry.finding.subject)
    for (rule, words), subjects in islice(accepted.items(), MOST_ALIKE):
        click.echo(f"~ {rule}: {_named(subjects)}: {cut(words)}")
    _show_more(len(accepted), "waived")


def _show_more(count: int, what: str) -> None:
    """Say how much of many lines is left out."""
    if count > MOST_ALIKE:
        click.echo(f"  … and {count - MOST_ALIKE} more lines of {what}: --format json has all")


def _named(subjects: Sequence[str]) -> str:
    """The first of many subjects, each once, and how many more there are."""
    each = list(dict.fromkeys(subjects))
    more = f" and {len(each) - MOST_SUBJECTS} more" if len(each) > MOST_SUBJECTS else ""
    return ", ".join(cut(_brief(one), LONGEST_NAME) for one in each[:MOST_SUBJECTS]) + more


def _brief(subject: str) -> str:
    """A subject for people: of a URN, which JSON has in full, its own type and name."""
    _, project, rest = subject.partition("::")
    if not project or not subject.startswith("urn:pulumi:"):
        return subject
    kind, _, name = rest.partition("::")[2].partition("::")
    return f"{kind.rpartition('$')[2]} {name}"


def show_findings(findings: Sequence[Finding], found: Report) -> None:
    """Findings that say the same of several subjects; with place and fix when not fine."""
    first = findings[0]
    mark, colour = MARKS[first.outcome]
    advisory = " (advisory)" if first.level == "advisory" and first.outcome != "fine" else ""
    advisory = " (later)" if first.later else advisory
    subjects = _named([one.subject for one in findings])
    click.secho(mark, fg=colour, nl=False)
    click.echo(f" {first.rule}{advisory}: {subjects}: {cut(first.message)}")
    if first.outcome not in {"violated", "not-knowable"}:
        return
    shown = [one for one in findings[:MOST_SUBJECTS] if one.path]
    for place in filter(None, (found.locate(one.path) for one in shown)):
        click.echo(f"    at:  {printable(place.file)}:{place.line}:{place.column}")
    if first.fix:
        click.echo(f"    fix: {cut(first.fix)}")
