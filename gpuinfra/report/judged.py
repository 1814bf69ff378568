"""What a report is written from: findings with their places, waivers and money, of any SOURCE."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gpuinfra.cost import Quote
from gpuinfra.errors import PathPart, Position
from gpuinfra.model import NotJudged
from gpuinfra.report.places import relative
from gpuinfra.rules import Finding, Proof, Verdict, Waiver
from gpuinfra.rules.waivers import Names, matches, own_names

if TYPE_CHECKING:
    from gpuinfra.cost.compare import Comparison

Weight = Literal["error", "warning"]

BAD = frozenset({"violated", "not-knowable"})
"""The outcomes that somebody has to do something about."""


def _nowhere(_: tuple[PathPart, ...]) -> Position | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A finding as reports show it.

    Attributes:
        finding: what the rule says.
        place: where in the file; None where it is about a resource.
        waived: whether somebody accepted it, so that it does not count.
        waiver: what sets it aside; None where it counts, or where its name was hidden since.
        serial: how many findings before it have the same rule and subject.
    """

    finding: Finding
    place: Position | None
    waived: bool = False
    waiver: Waiver | None = None
    serial: int = 0

    @property
    def weight(self) -> Weight:
        """How heavy it is: an error refuses, a warning is said."""
        return "error" if self.finding.level == "mandatory" else "warning"

    @property
    def words(self) -> str:
        """What is wrong with what, in one sentence."""
        unsure = "not knowable yet: " if self.finding.outcome == "not-knowable" else ""
        return f"{self.finding.subject}: {unsure}{self.finding.message}"

    @property
    def accepted(self) -> str:
        """Until when it is waived, by whom and why."""
        if self.waiver is None:
            return "waived"
        said = self.waiver
        return f"waived until {said.until} by {said.owner}: {said.reason}"


@dataclass(frozen=True, kw_only=True)
class Report:
    """One judgement, from which every format is written.

    Attributes:
        name: the stack.
        as_of: the day it was judged for.
        source: the file or folder that was judged.
        root: what paths are shown relative to: the checkout.
        verdict: what the rules say.
        quote: what it costs; None where nobody priced it.
        fabric: the fabric proof of each group that needs one.
        not_judged: what no rule could look at.
        waivers: what somebody accepted.
        names: what waivers may call a subject.
        locate: tells where in the source a finding's path is.
        base: what it is compared with in money.
        comparison: what it costs more or less; None where nothing is compared.
    """

    name: str
    as_of: date
    source: Path
    root: Path
    verdict: Verdict
    quote: Quote | None
    fabric: tuple[Proof, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()
    waivers: Sequence[Waiver] = ()
    names: Names = own_names
    locate: Callable[[tuple[PathPart, ...]], Position | None] = _nowhere
    base: str = ""
    comparison: "Comparison | None" = None

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All findings: those that count, then those that are waived."""
        return tuple(self._entries())

    def called(self, file: Path | str) -> str | None:
        """A file's path from the root; None outside of it."""
        name = str(file)
        if name not in self._called:
            self._called[name] = relative(file, self.root)
        return self._called[name]

    @cached_property
    def _called(self) -> dict[str, str | None]:
        return {}

    @property
    def bad(self) -> tuple[Entry, ...]:
        """What is violated or not knowable and counts, errors first."""
        found = (one for one in self.entries if one.finding.outcome in BAD and not one.waived)
        return tuple(sorted(found, key=lambda one: one.weight))

    @property
    def waived(self) -> tuple[Entry, ...]:
        """What somebody accepted."""
        return tuple(one for one in self.entries if one.waived)

    @property
    def counts(self) -> dict[str, int]:
        """How many findings there are of each outcome, and how many are waived."""
        outcomes = [one.outcome for one in self.verdict.findings]
        return dict(Counter((*outcomes, *("waived" for _ in self.verdict.waived))))

    @property
    def uncovered(self) -> dict[tuple[str, str], int]:
        """How many resources were not judged, by type and reason."""
        return dict(Counter((one.type, one.reason) for one in self.not_judged))

    def _entries(self) -> Iterator[Entry]:
        seen: Counter[tuple[str, str]] = Counter()
        sides = ((self.verdict.findings, False), (self.verdict.waived, True))
        for findings, waived in sides:
            for finding in findings:
                key = (finding.rule, finding.subject)
                yield Entry(
                    finding=finding,
                    place=self.locate(finding.path) if finding.path else None,
                    waived=waived,
                    waiver=self._waiver(finding) if waived else None,
                    serial=seen[key],
                )
                seen[key] += 1

    def _waiver(self, finding: Finding) -> Waiver | None:
        speaking = (one for one in self.waivers if matches(one, finding, self.names))
        return next(speaking, None)
