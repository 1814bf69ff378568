"""The verdict on what Pulumi wrote, by what is said beside it and by what its program says."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from gpuinfra import cost, rules
from gpuinfra.crossguard.settings import Said
from gpuinfra.model import Plan
from gpuinfra.rules import WAIVERS, Locked, Verdict, Waiver
from gpuinfra.rules.waivers import MOST_DAYS
from gpuinfra.rules.weighing import BAD

Settings = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What is judged, and what of it is accepted."""

    plan: Plan
    quote: cost.Quote
    waivers: Sequence[Waiver]
    day: date
    names: Callable[[str], tuple[str, ...]]
    locked: Locked | None = None


def verdict(ground: Ground, beside: Settings, programs: Sequence[Said]) -> Verdict:
    """The verdict by what is said beside the file, then by what the program says otherwise.

    Only a rule knows which of two settings is the stricter, so each is judged by; levels are
    for whoever judges to say.
    """
    given = settings_of(beside, programs)
    first = rules.judge(
        ground.plan,
        ground.quote,
        given,
        ground.waivers,
        ground.day,
        names=ground.names,
        locked=ground.locked,
    )
    later = [
        (rule, _alone(ground, rule, {**given, rule: theirs}))
        for rule, theirs in _theirs(beside, programs)
        if theirs != given[rule]
    ]
    return _together(first, later, ground.waivers) if later else first


def settings_of(beside: Settings, programs: Sequence[Said]) -> dict[str, Mapping[str, Any]]:
    """What is said beside the file; what it says nothing of is the first program's to say.

    Of how far ahead a waiver may end, the least that anybody says holds.
    """
    given = dict(beside)
    for rule, theirs in _theirs(beside, programs):
        given.setdefault(rule, theirs)
    said = [one for one in (beside, *(program.rules for program in programs)) if WAIVERS.id in one]
    if said:
        given[WAIVERS.id] = {MOST_DAYS: min(map(rules.most_days, said))}
    return given


def _theirs(beside: Settings, programs: Sequence[Said]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What programs say of rules over a plan, at the level that is said beside them."""
    for program in programs:
        for rule, settings in program.rules.items():
            if rule != WAIVERS.id:
                level = {key: one for key, one in beside.get(rule, {}).items() if key == "level"}
                yield rule, {**settings, **level}


def _alone(ground: Ground, rule: str, settings: Settings) -> Verdict:
    return rules.judge(
        ground.plan,
        ground.quote,
        settings,
        ground.waivers,
        ground.day,
        only={rule},
        names=ground.names,
        locked=ground.locked,
    )


def _together(
    first: Verdict, later: Sequence[tuple[str, Verdict]], waivers: Sequence[Waiver]
) -> Verdict:
    """The first verdict, and what another reading of a rule has against the stack besides.

    A waiver is wrong only where every reading says so: what one lets pass, another may not.
    """
    known = {(one.rule, one.subject, one.message) for one in (*first.findings, *first.waived)}
    more, waived, accepted = [], [], []
    for rule, found in later:
        for finding in found.findings:
            key = (rule, finding.subject, finding.message)
            if finding.rule == rule and finding.outcome in BAD and key not in known:
                more.append(finding)
                known.add(key)
        for finding, index in zip(found.waived, found.accepted, strict=True):
            key = (rule, finding.subject, finding.message)
            if key not in known:
                waived.append(finding)
                accepted.append(index)
                known.add(key)
    spared = {
        one
        for rule, found in later
        for one in first.findings
        if one.rule == WAIVERS.id
        and waivers[int(one.path[1])].rule == rule
        and one not in found.findings
    }
    return replace(
        first,
        findings=(*(one for one in first.findings if one not in spared), *more),
        waived=(*first.waived, *waived),
        accepted=(*first.accepted, *accepted),
    )
