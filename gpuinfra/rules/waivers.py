"""Waivers: findings that somebody accepts, for a reason, until a day."""

import fnmatch
from collections.abc import Callable, Collection, Sequence
from datetime import date
from typing import Final, Protocol

from gpuinfra.rules.rule import Finding, violated

ID: Final = "waiver"
"""The rule id of findings about waivers themselves."""

Names = Callable[[str], Collection[str]]
"""Tells every name that a waiver may call a finding's subject by."""


class Waiver(Protocol):
    """What a waiver says; `resource` is a pattern for any name of a finding's subject."""

    @property
    def rule(self) -> str:
        """The id of the rule."""

    @property
    def resource(self) -> str:
        """A workload, a resource, a URN or a pattern with * and ?."""

    @property
    def reason(self) -> str:
        """Why this is fine."""

    @property
    def owner(self) -> str:
        """Who answers for it."""

    @property
    def until(self) -> date:
        """Its last day."""


def short_name(subject: str) -> str:
    """Return a workload's or a resource's own name out of a stack path or a URN."""
    return subject.rpartition("::")[2] if "::" in subject else subject.rpartition(".")[2]


def own_names(subject: str) -> tuple[str, ...]:
    """Return what a subject is called by itself: in full, and in short."""
    return (subject, short_name(subject))


def matches(waiver: Waiver, finding: Finding, names: Names) -> bool:
    """Say whether a waiver speaks of a finding."""
    return waiver.rule == finding.rule and any(
        fnmatch.fnmatchcase(name, waiver.resource) for name in names(finding.subject)
    )


def pattern_of(subject: str, patterns: Collection[str], names: Names) -> str | None:
    """Return the first pattern that a subject goes by, None where none does."""
    called = names(subject) if patterns else ()
    return next(
        (one for one in patterns if any(fnmatch.fnmatchcase(name, one) for name in called)), None
    )


def trouble(
    waiver: Waiver, findings: Sequence[Finding], today: date, names: Names
) -> Finding | None:
    """Say what is wrong with a waiver: unknown, past its day, or waiving nothing."""
    words = f"the waiver of {waiver.rule} for {waiver.resource}, by {waiver.owner}"
    if waiver.until < today:
        return _wrong(waiver, f"{words}, ended on {waiver.until}", "fix the finding, or renew it")
    spoken = [finding for finding in findings if matches(waiver, finding, names)]
    if not any(finding.outcome in {"violated", "not-knowable"} for finding in spoken):
        return _wrong(waiver, f"{words}, matches no finding", "remove it, or correct its pattern")
    return None


def refused(waiver: Waiver, why: str, fix: str) -> Finding:
    """A waiver of what can't be waived."""
    return _wrong(waiver, f"the waiver of {waiver.rule} for {waiver.resource}: {why}", fix)


def _wrong(waiver: Waiver, message: str, fix: str) -> Finding:
    return violated(f"waivers.{waiver.rule}", message, fix=fix)
