"""Waivers: findings that are accepted, for a reason, until a day."""

import fnmatch
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from typing import Any, Final, Protocol

from gpuinfra.rules.rule import Finding, Judged, Rule, Setting

ID: Final = "waiver"
"""The rule id of findings about waivers themselves."""

MOST_DAYS: Final = "most_days"
"""The setting that says how far ahead a waiver may end."""

_BEFORE_NAME: Final = 3
"""Separators before the name in urn:pulumi:STACK::PROJECT::TYPE::NAME."""

_BRACKET: Final = re.compile(r"\[([*?[])\]|\[")

Names = Callable[[str], Collection[str]]
"""Tells every name that a waiver may call a finding's subject by."""


class Waiver(Protocol):
    """What a waiver says; `resource` is a pattern for any name of a finding's subject."""

    @property
    def rule(self) -> str:
        """The id of the rule."""
        ...

    @property
    def resource(self) -> str:
        """A workload, a resource, a URN or a pattern with * and ?."""
        ...

    @property
    def reason(self) -> str:
        """Why this is fine."""
        ...

    @property
    def owner(self) -> str:
        """Who is responsible for it."""
        ...

    @property
    def until(self) -> date:
        """Its last day."""
        ...


def short_name(subject: str) -> str:
    """Return a workload's or a resource's own name out of a stack path or a URN.

    A resource's name may hold colons itself: evil::bastion is not bastion.
    """
    if "::" in subject:
        return subject.split("::", _BEFORE_NAME)[-1]
    return subject.rpartition(".")[2]


def own_names(subject: str) -> tuple[str, ...]:
    """Return what a subject is called by itself: in full, and in short."""
    return (subject, short_name(subject))


def is_pattern(resource: str) -> bool:
    """Whether a waiver's resource is a pattern, which may match several subjects."""
    return any(mark in resource for mark in ("*", "?", "[[]"))


def _fits(name: str, pattern: str) -> bool:
    """Whether a name fits a pattern: bastion[0] is that one resource, and never bastion0."""
    return fnmatch.fnmatchcase(name, _without_ranges(pattern))


@cache
def _without_ranges(pattern: str) -> str:
    """A pattern for fnmatch in which brackets only take the meaning of *, ? and [ away."""
    return _BRACKET.sub(lambda met: met[0] if met[1] else "[[]", pattern)


def goes_by(called: Iterable[str], pattern: str) -> bool:
    """Whether one of a subject's names is the pattern as written, or fits it."""
    return any(name == pattern or _fits(name, pattern) for name in called)


def pattern_of(subject: str, patterns: Collection[str], names: Names) -> str | None:
    """Return the first pattern that matches a subject, None where none does."""
    called = names(subject) if patterns else ()
    return next((pattern for pattern in patterns if goes_by(called, pattern)), None)


class WaiverIndex:
    """Waivers by what they match, so that each of a million findings takes one look-up.

    A resource that is written as it is called is that resource, with any characters.
    """

    def __init__(self, waivers: Mapping[int, Waiver], names: Names) -> None:
        self._names = names
        self._exact: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        self._patterns: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        self._rules = {waiver.rule for waiver in waivers.values()}
        for index, waiver in waivers.items():
            self._exact[waiver.rule, waiver.resource].append(index)
            if is_pattern(waiver.resource):
                self._patterns[waiver.rule].append((index, waiver.resource))

    def of(self, finding: Finding) -> Iterator[int]:
        """Yield the index of each waiver that matches a finding; one may come twice."""
        if finding.rule not in self._rules:
            return
        for name in dict.fromkeys(self._names(finding.subject)):
            yield from self._exact.get((finding.rule, name), ())
            for index, pattern in self._patterns.get(finding.rule, ()):
                if _fits(name, pattern):
                    yield index


def untimely(waiver: Waiver, index: int, today: date, days: int) -> Finding | None:
    """Say that a waiver is past its day, or that its day is too far ahead."""
    words = f"the waiver of {waiver.rule} for {waiver.resource}, owned by {waiver.owner},"
    ahead = (waiver.until - today).days
    if ahead < 0:
        ended = f"{words} ended on {waiver.until}"
        return wrong(waiver, index, ended, "fix the finding, or renew the waiver")
    if ahead > days:
        last = latest(today, days)
        far = f"{words} ends on {waiver.until}, in {ahead} days; at most {days} are allowed"
        way_out = f"set until to {last} or earlier, or raise {MOST_DAYS} of the rule {ID}"
        return wrong(waiver, index, far, way_out)
    return None


def latest(today: date, days: int) -> date:
    """Return the last day that a waiver may have."""
    return today + timedelta(days=min(days, (date.max - today).days))


def needless(waiver: Waiver, index: int) -> Finding:
    """A waiver that sets nothing aside."""
    words = f"the waiver of {waiver.rule} for {waiver.resource}, owned by {waiver.owner},"
    return wrong(waiver, index, f"{words} matches no finding", "remove it, or correct its pattern")


def refused(waiver: Waiver, index: int, why: str, fix: str) -> Finding:
    """A waiver of what can't be waived."""
    message = f"the waiver of {waiver.rule} for {waiver.resource}: {why}"
    return wrong(waiver, index, message, fix)


def wrong(waiver: Waiver, index: int, message: str, fix: str) -> Finding:
    """A finding about a waiver, at its place in the list of them."""
    return Finding(
        outcome="violated",
        subject=f"waivers.{waiver.rule}",
        message=message,
        rule=ID,
        fix=fix,
        path=("waivers", index),
    )


def check(_: Judged, __: Mapping[str, Any]) -> Sequence[Finding]:
    """Say nothing of a plan: waivers are weighed once all findings are there."""
    return ()


RULE: Final = Rule(
    id=ID,
    family="hygiene",
    title="Waivers are unexpired, end within the limit, and match a finding",
    why="A waiver without an end, or without a finding, disables the rule unnoticed.",
    fix="correct, renew or remove the waiver",
    source="https://dependency-check.github.io/DependencyCheck/general/suppression.html",
    check=check,
    firm=True,
    path=("waivers",),
    settings=(
        Setting(
            name=MOST_DAYS, kind="whole", default=180, why="how many days ahead a waiver may end"
        ),
    ),
)
"""What is demanded of waivers themselves; no rule over a plan, so it is not among `RULES`."""
