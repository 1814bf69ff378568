"""`gpuinfra check`: the rules over a stack file, offline."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click

from gpuinfra.cli.render import clean, plain, show_json
from gpuinfra.cli.source import Loaded, format_options, load, plan_options, source_argument
from gpuinfra.rules import Finding, fabric_verdict

MARKS = {
    "fine": ("✓", "green"),
    "violated": ("✗", "red"),
    "not-knowable": ("?", "yellow"),
    "not-applicable": ("·", "bright_black"),
}

MOST_SUBJECTS = 8


@click.command("check")
@source_argument
@format_options
@plan_options
@click.option("--all", "everything", is_flag=True, help="Also list what does not apply.")
def command(
    source: Path, format_: str, as_of: datetime | None, rung: tuple[str, ...], everything: bool
) -> int:
    """Judge SOURCE by the rules: offline, no credentials, no Pulumi."""
    loaded = load(source, as_of=as_of, rung=rung)
    if format_ == "json":
        show_json(report(loaded))
    else:
        show(loaded, everything=everything)
    return loaded.verdict.exit_code


def report(loaded: Loaded) -> dict[str, object]:
    """The verdict as documented in docs/json.md."""
    return {
        "stack": loaded.stack.name,
        "as_of": loaded.as_of,
        "ok": loaded.verdict.ok,
        "findings": [
            {**plain(one), "position": loaded.document.locate(one.path) if one.path else None}
            for one in loaded.verdict.findings
        ],
        "waived": loaded.verdict.waived,
        "not_judged": loaded.plan.not_judged,
        "fabric": fabric_verdict(loaded.plan),
        "per_hour": loaded.quote.per_hour,
        "per_month": loaded.quote.per_month,
        "per_run": loaded.quote.per_run,
    }


def show(loaded: Loaded, *, everything: bool) -> None:
    """One line per finding, the violated ones with why and the way out; then the count."""
    verdict = loaded.verdict
    alike: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in verdict.findings:
        if everything or finding.outcome != "not-applicable":
            alike.setdefault((finding.rule, finding.outcome, finding.message), []).append(finding)
    for findings in alike.values():
        show_findings(findings, loaded)
    for finding in verdict.waived:
        click.echo(f"~ {finding.rule}: {clean(finding.subject)}: waived")
    for line in fabric_verdict(loaded.plan):
        click.echo(f"  {clean(str(line))}")
    counts = {
        outcome: sum(one.outcome == outcome for one in verdict.findings) for outcome in MARKS
    }
    summary = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
    waived = f", {len(verdict.waived)} waived" if verdict.waived else ""
    click.secho(
        f"{loaded.stack.name}: {'fine' if verdict.ok else 'violated'} ({summary}{waived})",
        fg="green" if verdict.ok else "red",
    )


def show_findings(findings: Sequence[Finding], loaded: Loaded) -> None:
    """Findings that say the same of several subjects; with place and fix when not fine."""
    first = findings[0]
    mark, colour = MARKS[first.outcome]
    advisory = " (advisory)" if first.level == "advisory" and first.outcome != "fine" else ""
    more = f" and {len(findings) - MOST_SUBJECTS} more" if len(findings) > MOST_SUBJECTS else ""
    subjects = clean(", ".join(one.subject for one in findings[:MOST_SUBJECTS])) + more
    click.secho(mark, fg=colour, nl=False)
    click.echo(f" {first.rule}{advisory}: {subjects}: {clean(first.message)}")
    if first.outcome not in {"violated", "not-knowable"}:
        return
    for place in filter(None, (loaded.document.locate(one.path) for one in findings if one.path)):
        click.echo(f"    at:  {clean(place.file)}:{place.line}:{place.column}")
    if first.fix:
        click.echo(f"    fix: {clean(first.fix)}")
