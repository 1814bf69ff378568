"""What Pulumi wrote, read, planned, priced and judged by what is said beside it and within."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial, reduce
from pathlib import Path

from gpuinfra import cost, evidence, planning, rules
from gpuinfra.catalog import Book
from gpuinfra.cli import outputs, refreshed
from gpuinfra.cli.beside import Beside, idle
from gpuinfra.cli.locked import locked
from gpuinfra.crossguard.settings import ROOT, Said, of_program
from gpuinfra.crossguard.subjects import names_of
from gpuinfra.crossguard.terms import terms
from gpuinfra.errors import InputError
from gpuinfra.evidence.hiding import hide
from gpuinfra.model import Plan, Resource
from gpuinfra.report import Report
from gpuinfra.rules.later import Foreseen, left_to_the_update
from gpuinfra.rules.readings import Ground, Reading, given_of, readings, strictest


@dataclass(frozen=True, kw_only=True)
class Weighed:
    """What resources come to, before anything that is secret is taken out."""

    plan: Plan
    quote: cost.Quote
    verdict: rules.Verdict


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A file of Pulumi's, read, planned, priced and judged; and how far ahead waivers may end.

    `weigh` judges its resources with other properties, at the same `prices`. `idle` says which
    words of the settings speak of nothing in it.
    """

    shown: evidence.Evidence
    plan: Plan
    quote: cost.Quote
    report: Report
    most_days: int
    weighed: Weighed
    weigh: Callable[[Sequence[Resource]], Weighed]
    prices: Book
    idle: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Scales:
    """All that resources are weighed by; what was said is that of the file and of its program."""

    shown: evidence.Evidence
    beside: Beside
    said: Said
    readings: tuple[Reading, ...]
    day: date
    names: Callable[[str], tuple[str, ...]]

    def terms(self, prices: Book | None = None) -> cost.Terms:
        """The terms of a quote, by other prices than the file's where some are named."""
        return terms(self.said, self.day, prices or self.beside.prices)

    def weigh(self, resources: Sequence[Resource]) -> Weighed:
        """Plan, price and judge resources."""
        plan = planning.from_resources(
            resources,
            name=self.shown.name,
            caps=self.said.caps,
            usage=self.said.usage,
            outputs=self.shown.outputs,
        )
        plan = replace(plan, not_judged=(*plan.not_judged, *self.shown.not_read))
        quote = cost.estimate(plan, self.terms())
        verdict = self._verdict(plan, quote)
        if self.shown.made:
            foreseen = Foreseen({one.urn: one for one in resources}, self.shown.is_written_later)
            verdict = left_to_the_update(verdict, rules.RULES, foreseen)
        return Weighed(plan=plan, quote=quote, verdict=verdict)

    def _verdict(self, plan: Plan, quote: cost.Quote) -> rules.Verdict:
        lock = None
        if self.beside.stack is not None:
            lock = locked(self.beside.stack, lambda book: cost.estimate(plan, self.terms(book)))
        ground = Ground(
            plan=plan,
            quote=quote,
            waivers=self.said.waivers,
            today=self.day,
            names=self.names,
            locked=lock,
        )
        return strictest(ground, self.readings, rules.RULES)


def judged(path: Path, beside: Beside, day: date) -> Judged:
    """Judge what Pulumi wrote, for a day.

    Raises:
        InputError: the file can't be read, or shows only a part of a stack.
    """
    refreshed.tell()
    scales = _scales(evidence.read(path, beside.region), beside, day)
    shown, names = scales.shown, scales.names
    weighed = scales.weigh(shown.resources)
    plan = weighed.plan
    if beside.own is not None and (beyond := beside.own.uncovered(plan)):
        raise InputError(beyond)
    return Judged(
        shown=shown,
        plan=plan,
        quote=hide(weighed.quote, shown.secrets),
        report=_without_secrets(_report(path, scales, weighed), shown),
        most_days=rules.most_days(scales.readings[0].settings),
        weighed=weighed,
        weigh=scales.weigh,
        prices=scales.terms().prices,
        idle=tuple(idle(beside, _called(shown, plan), map(names, _subjects(shown, plan)))),
    )


def _scales(shown: evidence.Evidence, beside: Beside, day: date) -> Scales:
    programs = [of_program(one.inputs) for one in shown.resources if one.type == ROOT]
    return Scales(
        shown=shown,
        beside=beside,
        said=reduce(Said.stricter, programs, beside.said),
        readings=readings(rules.RULES, given_of(beside.rules), programs),
        day=day,
        names=partial(names_of, seen={one.urn: one for one in shown.resources}),
    )


def _report(path: Path, scales: Scales, weighed: Weighed) -> Report:
    return Report(
        name=scales.shown.name,
        as_of=scales.day,
        source=path,
        root=outputs.checkout(path),
        verdict=weighed.verdict,
        quote=weighed.quote,
        fabric=rules.fabric_verdict(weighed.plan),
        not_judged=weighed.plan.not_judged,
        waivers=scales.said.waivers,
        names=scales.names,
        locate=scales.beside.locate,
    )


def _called(shown: evidence.Evidence, plan: Plan) -> set[str]:
    """The names by which settings speak of a stack's resources."""
    made = {one.name for one in plan.groups} | {one.name for one in plan.buckets}
    return made | {one.name for one in shown.resources}


def _subjects(shown: evidence.Evidence, plan: Plan) -> set[str]:
    """What findings may be about."""
    return {plan.name} | {one.urn for one in shown.resources}


def _without_secrets(report: Report, shown: evidence.Evidence) -> Report:
    return replace(
        report,
        verdict=hide(report.verdict, shown.secrets),
        quote=hide(report.quote, shown.secrets),
        fabric=hide(report.fabric, shown.secrets),
        not_judged=hide(report.not_judged, shown.secrets),
    )
