"""`gpuinfra check` of what Pulumi wrote: a preview, or an exported state."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial, reduce
from pathlib import Path
from typing import Any

from gpuinfra import cost, evidence, planning, rules, source
from gpuinfra.catalog import CATALOG, Book
from gpuinfra.cli import outputs, refreshed
from gpuinfra.cli.check import judged as json_of
from gpuinfra.cli.check import show_judged
from gpuinfra.cli.render import show_json
from gpuinfra.clouds.building.names import bucket_resource, group_resource
from gpuinfra.crossguard.settings import ROOT, Said, of_program
from gpuinfra.crossguard.subjects import names_of
from gpuinfra.errors import InputError, PathPart, Position, Problem
from gpuinfra.evidence import KINDS
from gpuinfra.evidence import settings as settings_file
from gpuinfra.evidence.hiding import hide
from gpuinfra.model import Caps, Plan, Usage
from gpuinfra.report import Report
from gpuinfra.report.judged import BAD
from gpuinfra.rules.settings import plain
from gpuinfra.stackfile.schema import Budget, Prices, RuleSettings, Stack

Locate = Callable[[Sequence[PathPart]], Position | None]


def _nowhere(_: Sequence[PathPart]) -> Position | None:
    return None


@dataclass(frozen=True, kw_only=True)
class Beside:
    """What somebody says beside the file: settings, or a stack file.

    `prices` is a stack file's own book; without one, a program's own prices make the book.
    """

    said: Said = field(default_factory=Said)
    rules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    region: str | None = None
    prices: Book | None = None
    locate: Locate = _nowhere


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
    found = judged(path, beside(settings, stack, day), day)
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


def beside(settings: Path | None, stack: Path | None, day: date) -> Beside:
    """What holds besides the file: at most one of settings and a stack file.

    Raises:
        InputError: both are given, or one has faults.
    """
    if settings and stack:
        problem = Problem(
            message="--settings and --stack both say what a stack may cost",
            fix="give one of them",
        )
        raise InputError([problem])
    if settings:
        return _of_settings(settings)
    return _of_stack(stack, day) if stack else Beside()


def _of_settings(path: Path) -> Beside:
    filed = settings_file.read(path, _rule_problems)
    form = filed.form
    said = Said(
        caps=_caps(form.budget),
        usage=settings_file.to_usage(form),
        waivers=form.waivers,
        **_prices(form.prices),
    )
    return Beside(
        said=said,
        rules={name: plain(one) for name, one in form.rules.items()},
        region=form.region,
        locate=filed.marks.locate,
    )


def _rule_problems(value: Any) -> Iterator[Problem]:
    """What is wrong with the settings of rules, as far as the grammar takes them."""
    from gpuinfra.stackfile.files import sound  # noqa: PLC0415  (only where settings are given)

    found = {str(name): one for name, one in sound(value, "rules", RuleSettings)}
    yield from rules.settings_problems(found)


def _of_stack(path: Path, day: date) -> Beside:
    read = source.compared(path, day)
    stack = read.stack
    problems = rules.settings_problems(stack.rules)
    if problems:
        raise InputError(_with_positions(problems, read))
    said = Said(
        caps=planning.caps(stack),
        usage=_seen_usage(stack),
        waivers=stack.waivers,
        **_prices(stack.prices),
    )
    return Beside(
        said=said,
        rules={name: plain(one) for name, one in stack.rules.items()},
        prices=read.prices,
        locate=read.document.locate,
    )


def _with_positions(problems: Iterable[Problem], read: source.Source) -> tuple[Problem, ...]:
    from gpuinfra.stackfile import with_positions  # noqa: PLC0415  (only where something is wrong)

    return with_positions(problems, read.document)


def _seen_usage(stack: Stack) -> Usage:
    """A stack file's usage, under the names of its workloads and of their resources."""
    usage = planning.to_usage(stack)

    def machines(values: Mapping[str, Any]) -> dict[str, Any]:
        return {**values, **{group_resource(name): one for name, one in values.items()}}

    def stores(values: Mapping[str, Any]) -> dict[str, Any]:
        return {**values, **{bucket_resource(name): one for name, one in values.items()}}

    return replace(
        usage,
        hours=machines(usage.hours),
        expected=machines(usage.expected),
        checkpoints=machines(usage.checkpoints),
        purpose=machines(usage.purpose),
        nvlink=machines(usage.nvlink),
        gigabytes=stores(usage.gigabytes),
        reads=stores(usage.reads),
        writes=stores(usage.writes),
    )


def _caps(budget: Budget | None) -> Caps:
    if budget is None:
        return Caps()
    return Caps(per_hour=budget.per_hour, per_run=budget.per_run, per_month=budget.per_month)


def _prices(prices: Prices | None) -> dict[str, Any]:
    """What is said of prices; what is not said is left to the program."""
    said = prices.model_fields_set if prices else set()
    return {name: getattr(prices, name) for name in Prices.model_fields if name in said}


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
    theirs = [
        {**settings, **_level(beside.rules.get(rule, {}))} | {"_rule": rule}
        for program in programs
        for rule, settings in program.rules.items()
    ]
    given = dict(beside.rules)
    further: list[tuple[str, Mapping[str, Any]]] = []
    for one in theirs:
        rule = one.pop("_rule")
        if given.setdefault(rule, one) != one:
            further.append((rule, one))
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
