"""`gpuinfra check`: the rules over a stack file, or over what Pulumi wrote; offline."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import click

from gpuinfra.cli import base, outputs
from gpuinfra.cli.render import plain, show_json
from gpuinfra.cli.source import Loaded, load, plan_options, source_argument
from gpuinfra.errors import InputError, Problem, printable
from gpuinfra.lock import FILE_NAME
from gpuinfra.report import Entry, Report
from gpuinfra.rules import Finding

MARKS = {
    "fine": ("✓", "green"),
    "violated": ("✗", "red"),
    "not-knowable": ("?", "yellow"),
    "not-applicable": ("·", "bright_black"),
}

MOST_SUBJECTS = 8


@click.command("check")
@source_argument
@outputs.options
@plan_options
@click.option(
    "--settings",
    type=click.Path(path_type=Path),
    help="For a preview or a state: YAML with budget, prices, usage, rules, waivers.",
)
@click.option(
    "--stack",
    type=click.Path(path_type=Path),
    help="For a preview or a state: the stack file that says these.",
)
@base.option
@click.option("--all", "everything", is_flag=True, help="Also list what does not apply.")
def command(
    source: Path,
    format_: str,
    output: tuple[str, ...],
    as_of: datetime | None,
    rung: tuple[str, ...],
    settings: Path | None,
    stack: Path | None,
    everything: bool,
    **wanted: str | None,
) -> int:
    """Judge SOURCE by the rules: offline, no credentials, no Pulumi.

    SOURCE is a stack file, or what `pulumi preview --json --show-sames` or `pulumi stack export`
    wrote.
    """
    asked = outputs.wanted(format_, output)
    if _is_json(source):
        from gpuinfra.cli import check_evidence  # noqa: PLC0415  (a stack file needs none of it)

        if not check_evidence.is_stack_file(source):
            _refuse_base(wanted["base"])
            day = as_of.date() if as_of else date.today()  # noqa: DTZ011 - the user's own day
            return check_evidence.check(source, asked, settings, stack, rung, day, everything)
    _refuse_beside(settings, stack)
    loaded = load(source, as_of=as_of, rung=rung)
    since = base.comparison(wanted["base"], loaded, as_of, rung)
    found = replace(outputs.of(loaded), base=wanted["base"] or "", comparison=since)
    shown = {
        "table": lambda: show(loaded, everything=everything, found=found),
        "json": lambda: show_json(report(loaded, found)),
    }
    outputs.deliver(asked, found, shown)
    return loaded.verdict.exit_code


def _is_json(source: Path) -> bool:
    """Whether a file begins as JSON does, in UTF-8 or UTF-16; a stack file may, too."""
    try:
        with source.open("rb") as stream:
            head = stream.read(64)
    except (OSError, ValueError):
        return False
    return head.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1] in (b"{", b"[")


def _refuse_beside(settings: Path | None, stack: Path | None) -> None:
    for option, given in (("--settings", settings), ("--stack", stack)):
        if given:
            problem = Problem(
                message=f"{option} is for a preview or a state; a stack file says it itself",
                value=str(given),
                fix=f"leave {option} out",
            )
            raise InputError([problem])


def _refuse_base(given: str | None) -> None:
    if given is not None:
        problem = Problem(
            message="--base compares stack files; a preview or a state has none",
            value=given,
            fix="leave --base out, or name the stack file as SOURCE",
        )
        raise InputError([problem])


def report(loaded: Loaded, found: Report | None = None) -> dict[str, object]:
    """The verdict as documented in docs/json.md."""
    return {**judged(found or outputs.of(loaded)), "locked": loaded.source.held is not None}


def judged(found: Report) -> dict[str, object]:
    """What every SOURCE's verdict says, as documented in docs/json.md."""
    quote = found.quote
    return {
        "stack": found.name,
        "as_of": found.as_of,
        "ok": found.verdict.ok,
        "findings": [
            {**plain(one), "position": found.locate(one.path) if one.path else None}
            for one in found.verdict.findings
        ],
        "waived": [{**plain(one.finding), "waiver": waiver_of(one)} for one in found.waived],
        "not_judged": found.not_judged,
        "fabric": found.fabric,
        "per_hour": quote and quote.per_hour,
        "per_month": quote and quote.per_month,
        "per_run": quote and quote.per_run,
        "comparison": moved(found),
    }


def moved(found: Report) -> dict[str, object] | None:
    """The difference in cost as docs/json.md has it; None where nothing is compared."""
    if found.comparison is None:
        return None
    from gpuinfra.cli import compare  # noqa: PLC0415  (only with --base)

    return compare.shown(found.comparison)


def show(loaded: Loaded, *, everything: bool, found: Report | None = None) -> None:
    """One line per finding, the violated ones with why and the way out; then the count."""
    held = loaded.source.held is not None
    notes = [f"machines, prices and images are those of {FILE_NAME}"] if held else []
    notes += [f"{group.name}: {one}" for group in loaded.plan.groups for one in group.notes]
    notes += loaded.plan.notes
    show_judged(found or outputs.of(loaded), notes, everything=everything)


def show_judged(found: Report, notes: Iterable[str], *, everything: bool) -> None:
    """A judgement of any SOURCE, with notes on what it was made from."""
    verdict = found.verdict
    alike: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in verdict.findings:
        if everything or finding.outcome != "not-applicable":
            alike.setdefault((finding.rule, finding.outcome, finding.message), []).append(finding)
    for findings in alike.values():
        show_findings(findings, found)
    for entry in found.waived:
        finding = entry.finding
        click.echo(f"~ {finding.rule}: {printable(finding.subject)}: {printable(entry.accepted)}")
    if found.comparison is not None:
        from gpuinfra.report.difference import headline  # noqa: PLC0415  (only with --base)

        click.echo(f"  since {printable(found.base)}: {headline(found.comparison)}")
    for line in found.fabric:
        click.echo(f"  {printable(str(line))}")
    for (type_, reason), count in sorted(found.uncovered.items()):
        click.echo(f"  not judged: {count} × {printable(type_)}: {printable(reason)}")
    for note in notes:
        click.echo(f"  {printable(note)}")
    counts = {
        outcome: sum(one.outcome == outcome for one in verdict.findings) for outcome in MARKS
    }
    summary = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
    waived = f", {len(verdict.waived)} waived" if verdict.waived else ""
    click.secho(
        f"{printable(found.name)}: {'fine' if verdict.ok else 'violated'} ({summary}{waived})",
        fg="green" if verdict.ok else "red",
    )


def show_findings(findings: Sequence[Finding], found: Report) -> None:
    """Findings that say the same of several subjects; with place and fix when not fine."""
    first = findings[0]
    mark, colour = MARKS[first.outcome]
    advisory = " (advisory)" if first.level == "advisory" and first.outcome != "fine" else ""
    more = f" and {len(findings) - MOST_SUBJECTS} more" if len(findings) > MOST_SUBJECTS else ""
    subjects = printable(", ".join(one.subject for one in findings[:MOST_SUBJECTS])) + more
    click.secho(mark, fg=colour, nl=False)
    click.echo(f" {first.rule}{advisory}: {subjects}: {printable(first.message)}")
    if first.outcome not in {"violated", "not-knowable"}:
        return
    for place in filter(None, (found.locate(one.path) for one in findings if one.path)):
        click.echo(f"    at:  {printable(place.file)}:{place.line}:{place.column}")
    if first.fix:
        click.echo(f"    fix: {printable(first.fix)}")


def waiver_of(entry: Entry) -> dict[str, object] | None:
    """A waiver as docs/json.md has it."""
    if entry.waiver is None:
        return None
    words = ("rule", "resource", "reason", "owner", "until")
    return {name: getattr(entry.waiver, name) for name in words}
