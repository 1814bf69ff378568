"""Waivers, which accept a finding for a reason until a date."""

import fnmatch
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from typing import Any, Final, Protocol

from gpuinfra.rules.rule import Finding, Rule, RuleInput, Setting
from gpuinfra.urns import name_of

WAIVER_RULE_ID: Final = "waiver"
"""The rule id of findings about waivers themselves."""

MOST_DAYS: Final = "most_days"
"""The setting that says how far ahead a waiver may end."""

_BRACKET: Final = re.compile(r"\[([*?[])\]|\[")

Names = Callable[[str], Collection[str]]
"""Tells every name that a waiver may call a finding's subject by."""


class Waiver(Protocol):
    """A waiver; `resource` is a pattern for any name of a finding's subject."""

    @property
    def rule(self) -> str:
        """The id of the rule."""
        ...

    @property
    def resource(self) -> str:
        """The workload, resource, URN or pattern with * and ? that the waiver covers."""
        ...

    @property
    def reason(self) -> str:
        """The reason why the finding is acceptable."""
        ...

    @property
    def owner(self) -> str:
        """The person or team responsible for the waiver."""
        ...

    @property
    def until(self) -> date:
        """The last day of the waiver."""
        ...


def short_name(subject: str) -> str:
    """Return the short name of a workload or resource from a stack path or a URN.

    A resource's name may hold colons itself: evil::bastion is not bastion.
    """
    return name_of(subject) if "::" in subject else subject.rpartition(".")[2]


def own_names(subject: str) -> tuple[str, ...]:
    """Return the names of a subject: its full name and its short name."""
    return (subject, short_name(subject))


def is_pattern(resource: str) -> bool:
    """Return whether a waiver's resource is a pattern, which may match several subjects."""
    return any(mark in resource for mark in ("*", "?", "[[]"))


def _matches_pattern(name: str, pattern: str) -> bool:
    """Return whether a name matches a pattern; bastion[0] is one resource, and never bastion0."""
    return fnmatch.fnmatchcase(name, _without_ranges(pattern))


@cache
def _without_ranges(pattern: str) -> str:
    """Return a pattern for fnmatch in which brackets only escape *, ? and [."""
    return _BRACKET.sub(lambda match: match[0] if match[1] else "[[]", pattern)


def matches_name(names: Iterable[str], pattern: str) -> bool:
    """Return whether one of a subject's names equals the pattern as written, or matches it."""
    return any(name == pattern or _matches_pattern(name, pattern) for name in names)


def pattern_of(subject: str, patterns: Collection[str], names: Names) -> str | None:
    """Return the first pattern that matches a subject; None if none does."""
    subject_names = names(subject) if patterns else ()
    return next((pattern for pattern in patterns if matches_name(subject_names, pattern)), None)


class WaiverIndex:
    """An index of waivers by rule and name, so that each finding takes one look-up.

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

    def matching(self, finding: Finding) -> Iterator[int]:
        """Yield the index of each waiver that matches a finding; an index may repeat."""
        if finding.rule not in self._rules:
            return
        for name in dict.fromkeys(self._names(finding.subject)):
            yield from self._exact.get((finding.rule, name), ())
            for index, pattern in self._patterns.get(finding.rule, ()):
                if _matches_pattern(name, pattern):
                    yield index


def date_finding(waiver: Waiver, index: int, today: date, days: int) -> Finding | None:
    """Return a finding if a waiver has expired, or ends too far ahead; None if neither."""
    waiver_text = f"the waiver of {waiver.rule} for {waiver.resource}, owned by {waiver.owner},"
    ahead = (waiver.until - today).days
    if ahead < 0:
        ended = f"{waiver_text} ended on {waiver.until}"
        return waiver_finding(waiver, index, ended, "fix the finding, or renew the waiver")
    if ahead > days:
        last = last_allowed_day(today, days)
        far = f"{waiver_text} ends on {waiver.until}, in {ahead} days; at most {days} are allowed"
        fix = f"set until to {last} or earlier, or raise {MOST_DAYS} of the rule {WAIVER_RULE_ID}"
        return waiver_finding(waiver, index, far, fix)
    return None


def last_allowed_day(today: date, days: int) -> date:
    """Return the last date that a waiver may have."""
    return today + timedelta(days=min(days, (date.max - today).days))


def unused_waiver_finding(waiver: Waiver, index: int) -> Finding:
    """Return a finding for a waiver that matches no finding."""
    waiver_text = f"the waiver of {waiver.rule} for {waiver.resource}, owned by {waiver.owner},"
    return waiver_finding(
        waiver, index, f"{waiver_text} matches no finding", "remove it, or correct its pattern"
    )


def invalid_waiver_finding(waiver: Waiver, index: int, reason: str, fix: str) -> Finding:
    """Return a finding for a waiver of a rule that can't be waived."""
    message = f"the waiver of {waiver.rule} for {waiver.resource}: {reason}"
    return waiver_finding(waiver, index, message, fix)


def waiver_finding(waiver: Waiver, index: int, message: str, fix: str) -> Finding:
    """Return a finding about a waiver, at its index in the list of waivers."""
    return Finding(
        outcome="violated",
        subject=f"waivers.{waiver.rule}",
        message=message,
        rule=WAIVER_RULE_ID,
        fix=fix,
        path=("waivers", index),
    )


def check(_: RuleInput, __: Mapping[str, Any]) -> Sequence[Finding]:
    """Return no findings; waivers are checked after all findings are known."""
    return ()


RULE: Final = Rule(
    id=WAIVER_RULE_ID,
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
"""The rule on waivers; it does not check a plan, so it is not in `RULES`."""
