"""`gpuinfra check`: the rules over a stack file, or over what Pulumi wrote; offline."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import click

from gpuinfra.cli import base, fixing, outputs, programs, waiving
from gpuinfra.cli.render import note, plain, show_json
from gpuinfra.cli.source import Loaded, load, plan_options, source_argument
from gpuinfra.cost import Quote
from gpuinfra.errors import InputError, Problem, printable
from gpuinfra.lock import FILE_NAME
from gpuinfra.report import Entry, Report
from gpuinfra.report.judged import LONGEST_NAME, cut
from gpuinfra.rules import Finding, most_days
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
@click.option(
    "--waivers",
    type=click.Path(path_type=Path),
    help="For a preview or a state: the file of waivers; default gpuinfra.waivers.yaml beside it.",
)
@fixing.options
@waiving.options
@programs.options
@base.option
@click.option("--all", "everything", is_flag=True, help="Also list what does not apply.")
def command(
    source: Path,
    format_: str,
    output: tuple[str, ...],
    as_of: datetime | None,
    rung: tuple[str, ...],
    everything: bool,
    **wanted: Any,
) -> int:
    """Judge SOURCE by the rules: offline, no credentials, no Pulumi.

    SOURCE is a stack file, or what `pulumi preview --json --show-sames` or `pulumi stack export`
    wrote; or the folder of a Pulumi program without a stack file, whose code is then run for a
    preview in the sandbox.
    """
    asked = outputs.wanted(format_, output)
    accepted = waiving.asked(wanted)
    wanted["fixing"] = fixing.asked(wanted)
    program = programs.asked(source, wanted)
    if program is not None:
        from gpuinfra.cli import check_evidence, check_program  # noqa: PLC0415  (a file needs none)

        beside = check_evidence.Asked(
            day=as_of.date() if as_of else date.today(),  # noqa: DTZ011 - the user's own day
            waiving=accepted,
            everything=everything,
            **wanted,
        )
        return check_program.check(program, asked, beside, rung)
    if _is_json(source):
        from gpuinfra.cli import check_evidence  # noqa: PLC0415  (a stack file needs none of it)

        if not check_evidence.is_stack_file(source):
            if rung:
                raise InputError([_one_rung(rung[0])])
            beside = check_evidence.Asked(
                day=as_of.date() if as_of else date.today(),  # noqa: DTZ011 - the user's own day
                waiving=accepted,
                everything=everything,
                **wanted,
            )
            return check_evidence.check(source, asked, beside)
    _refuse_empty(source, wanted)
    _refuse_beside(wanted)
    loaded, fixes = fixing.load(source, as_of, rung, wanted["fixing"], asked)
    if accepted is not None and _waived(loaded, accepted):
        if loaded.source.held is not None:
            note(f"{FILE_NAME} no longer matches: write it anew with gpuinfra lock --update")
        loaded, fixes = load(source, as_of=as_of, rung=rung, lock="told"), ()
    found = replace(outputs.of(loaded), fixes=fixes)
    if wanted["base"] is not None:

        def read(there: Path) -> Quote:
            _refuse_unlike(there)
            return load(there, as_of=as_of, rung=rung, lock="told").quote

        since = base.comparison(
            wanted["base"], loaded.document.path, loaded.quote, read, what="stack"
        )
        found = replace(found, base=wanted["base"], comparison=since)
    shown = {
        "table": lambda: show(loaded, everything=everything, found=found),
        "json": lambda: show_json(report(loaded, found)),
    }
    outputs.deliver(asked, found, shown)
    return loaded.verdict.exit_code


def _is_json(source: Path) -> bool:
    """Whether a file begins as JSON does, in UTF-8 or UTF-16; a stack file may, too."""
    if not source.is_file():
        return False  # opening a pipe would wait for somebody to write
    try:
        with source.open("rb") as stream:
            head = stream.read(64)
    except (OSError, ValueError):
        return False
    return head.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1] in (b"{", b"[")


def _waived(loaded: Loaded, accepted: waiving.Waiving) -> bool:
    """Write waivers of what refuses into the stack file; whether there are new ones."""
    from gpuinfra.cli import waive  # noqa: PLC0415  (few runs write)

    days = most_days(loaded.stack.rules)
    place = waive.Place(path=loaded.document.path, most_days=days, owner=loaded.stack.owner)
    return waive.write(outputs.of(loaded), accepted, place)


def _one_rung(given: str) -> Problem:
    message = "a preview or a state stands on one rung: what it shows"
    return Problem(message=message, value=given, fix="leave --rung out")


def _refuse_unlike(there: Path) -> None:
    if _is_json(there):
        from gpuinfra.cli.check_evidence import is_stack_file  # noqa: PLC0415  (seldom JSON)

        if not is_stack_file(there):
            problem = Problem(
                message="a stack file is compared with a stack file",
                value=str(there),
                fix="name a stack file or a git revision",
            )
            raise InputError([problem])


def _refuse_empty(source: Path, wanted: Mapping[str, Any]) -> None:
    """Refuse an empty file beside which something is said that only a preview or state needs."""
    if (wanted["settings"] or wanted["stack"]) and source.is_file() and not source.stat().st_size:
        problem = Problem(
            message="the file is empty: the preview that wrote it failed?",
            value=str(source),
            fix="run it again, and see what it says: pulumi preview --json --show-sames",
        )
        raise InputError([problem])


def _refuse_beside(wanted: Mapping[str, Any]) -> None:
    for option in ("settings", "stack", "waivers"):
        given = wanted[option]
        if given:
            problem = Problem(
                message=f"--{option} is for a preview or a state; a stack file says it itself",
                value=str(given),
                fix=f"leave --{option} out",
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
        "fixes": found.fixes,
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
    for line in (*notes, *fixing.lines(found)):
        click.echo(f"  {printable(line)}")
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
    """The first of many subjects, and how many more there are."""
    more = f" and {len(subjects) - MOST_SUBJECTS} more" if len(subjects) > MOST_SUBJECTS else ""
    return ", ".join(cut(_brief(one), LONGEST_NAME) for one in subjects[:MOST_SUBJECTS]) + more


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


def waiver_of(entry: Entry) -> dict[str, object] | None:
    """A waiver as docs/json.md has it."""
    if entry.waiver is None:
        return None
    words = ("rule", "resource", "reason", "owner", "until")
    return {name: getattr(entry.waiver, name) for name in words}
