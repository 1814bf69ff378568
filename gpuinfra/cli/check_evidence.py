"""`gpuinfra check` of what Pulumi wrote: a preview, or an exported state."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial, reduce
from pathlib import Path
from typing import Any

from gpuinfra import cost, evidence, planning, rules
from gpuinfra.catalog import CATALOG, Book
from gpuinfra.cli import outputs, refreshed
from gpuinfra.cli.beside import Beside
from gpuinfra.cli.beside import read as read_beside
from gpuinfra.cli.check import judged as json_of
from gpuinfra.cli.check import show_judged
from gpuinfra.cli.render import show_json
from gpuinfra.crossguard.settings import ROOT, Said, of_program
from gpuinfra.crossguard.subjects import names_of
from gpuinfra.errors import InputError, Problem
from gpuinfra.evidence import KINDS
from gpuinfra.evidence.hiding import hide
from gpuinfra.model import Plan
from gpuinfra.report import Report
from gpuinfra.report.judged import BAD
from gpuinfra.stackfile.schema import Prices


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A file of Pulumi's, read, planned, priced and judged."""

    shown: evidence.Evidence
    plan: Plan
    report: Report


def is_stack_file(path: Path) -> bool:
    """Whether a file that begins as JSON does is a stack file all the same."""
    return evidence.sniff(path) == "stackfile"


def check(
    path: Path,
    asked: Sequence[outputs.Output],
    settings: Path | None,
    stack: Path | None,
    rung: Sequence[str],
    day: date,
    everything: bool,
) -> int:
    """Judge a file and write it in every format that was asked for; the exit code.

    Raises:
        InputError: the file, or what was given beside it, can't be read.
    """
    if rung:
        message = "a preview or a state stands on one rung: what it shows"
        raise InputError([Problem(message=message, value=rung[0], fix="leave --rung out")])
    found = judged(path, read_beside(settings, stack, day), day)
    shown = {
        "table": lambda: show_judged(found.report, notes(found), everything=everything),
        "json": lambda: show_json(in_json(found)),
    }
    outputs.deliver(asked, found.report, shown)
    return found.report.verdict.exit_code


def judged(path: Path, beside: Beside, day: date) -> Judged:
    """Judge what Pulumi wrote, for a day.

    Raises:
        InputError: the file can't be read, or shows only a part of a stack.
    """
    refreshed.tell()
    shown = evidence.read(path, beside.region)
    programs = [of_program(one.inputs) for one in shown.resources if one.type == ROOT]
    said = reduce(Said.stricter, programs, beside.said)
    plan = planning.from_resources(
        shown.resources, name=shown.name, caps=said.caps, usage=said.usage
    )
    plan = replace(plan, not_judged=(*plan.not_judged, *shown.not_read))
    quote = cost.estimate(plan, _terms(said, beside.prices, day))
    names = partial(names_of, seen={one.urn: one for one in shown.resources})
    verdict = _verdict(plan, quote, beside, programs, said, day, names)
    report = Report(
        name=shown.name,
        as_of=day,
        source=path,
        root=outputs.checkout(path),
        verdict=verdict,
        quote=quote,
        fabric=rules.fabric_verdict(plan),
        not_judged=plan.not_judged,
        waivers=said.waivers,
        names=names,
        locate=beside.locate,
    )
    return Judged(shown=shown, plan=plan, report=_without_secrets(report, shown))


def _terms(said: Said, prices: Book | None, day: date) -> cost.Terms:
    if prices is None:
        rates = said.exchange_rates or {}
        prices = Book(said.own, rates=rates) if said.own or rates else CATALOG
    return cost.Terms(
        as_of=day,
        prices=prices,
        accept_outdated=bool(said.accept_outdated),
        outdated_after_days=said.outdated_after_days or Prices().outdated_after_days,
        not_counted=said.not_counted or (),
    )


def _verdict(
    plan: Plan,
    quote: cost.Quote,
    beside: Beside,
    programs: Sequence[Said],
    said: Said,
    day: date,
    names: Callable[[str], tuple[str, ...]],
) -> rules.Verdict:
    """The verdict by what is said beside the file, then by what the program says otherwise.

    Only a rule knows which of two settings is the stricter, so each is judged by; levels are
    for whoever judges to say.
    """
    given = dict(beside.rules)
    further: list[tuple[str, Mapping[str, Any]]] = []
    for rule, settings in (one for program in programs for one in program.rules.items()):
        theirs = {**settings, **_level(beside.rules.get(rule, {}))}
        if given.setdefault(rule, theirs) != theirs:
            further.append((rule, theirs))
    verdict = rules.judge(plan, quote, given, said.waivers, day, names=names)
    known = {(one.rule, one.subject, one.message) for one in verdict.findings}
    more = [
        finding
        for rule, settings in further
        for finding in rules.judge(
            plan, quote, {rule: settings}, said.waivers, day, only={rule}, names=names
        ).findings
        if finding.rule == rule
        and finding.outcome in BAD
        and (rule, finding.subject, finding.message) not in known
    ]
    return replace(verdict, findings=(*verdict.findings, *more)) if more else verdict


def _level(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {"level": settings["level"]} if "level" in settings else {}


def _without_secrets(report: Report, shown: evidence.Evidence) -> Report:
    return replace(
        report,
        verdict=hide(report.verdict, shown.secrets),
        quote=hide(report.quote, shown.secrets),
        fabric=hide(report.fabric, shown.secrets),
        not_judged=hide(report.not_judged, shown.secrets),
    )


def notes(found: Judged) -> Iterator[str]:
    """What a reader of the verdict has to know of the file, one sentence each."""
    shown = found.shown
    count = len(shown.resources) + len(shown.not_read)
    unjudged = len(found.report.not_judged)
    yield f"{count} resources of {KINDS[shown.kind]}" + (
        f", {unjudged} not judged" if unjudged else ""
    )
    gone = Counter(one.type for one in shown.leaving)
    many = ", ".join(f"{count} × {type_}" for type_, count in sorted(gone.items()))
    if gone and shown.kind == "state":
        yield f"replaced, waiting to be deleted, and counted until then: {many}"
    elif gone:
        yield f"not counted, though they stand until the update has deleted them: {many}"
    yield from hide(shown.notes, shown.secrets)


def in_json(found: Judged) -> dict[str, object]:
    """The verdict as documented in docs/json.md."""
    shown = found.shown
    return {
        **json_of(found.report),
        "locked": False,
        "kind": shown.kind,
        "resources": len(shown.resources) + len(shown.not_read),
        "coverage": [
            {"type": type_, "reason": reason, "count": count}
            for (type_, reason), count in sorted(found.report.uncovered.items())
        ],
        "leaving": hide(shown.leaving, shown.secrets),
        "notes": hide(shown.notes, shown.secrets),
    }
