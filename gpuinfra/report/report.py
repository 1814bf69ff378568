"""The input of all reports: findings with positions, waivers and costs of any SOURCE."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, get_args

from gpuinfra.cost import Quote
from gpuinfra.errors import PathPart, Position, printable
from gpuinfra.model import Caps, NotJudged
from gpuinfra.records import record
from gpuinfra.report.checkout import relative
from gpuinfra.rules import FabricVerdict, Finding, Verdict, Waiver
from gpuinfra.rules.rule import Outcome
from gpuinfra.rules.verdict import ACTION_NEEDED
from gpuinfra.rules.waivers import Names, own_names
from gpuinfra.units.message_merging import first_in_words

if TYPE_CHECKING:
    from gpuinfra.cost.compare import Comparison
    from gpuinfra.fixes import Fix
    from gpuinfra.report.partial_check import StopReason

Weight = Literal["error", "warning"]

LONGEST_NAME: Final = 400
LONGEST_WORDS: Final = 2_000
"""The maximum shown lengths of a name and of a sentence; external names can be long."""


def cut(text: str, longest: int = LONGEST_WORDS) -> str:
    """Return a text with control characters escaped, and cut if long."""
    escaped = printable(text[: longest + 1])
    return escaped if len(escaped) <= longest else f"{escaped[:longest]}…"


def first_names(names: Iterable[str], limit: int, form: Callable[[str], str] = str) -> str:
    """Return the first distinct names, each in a form and cut if long, and how many more."""
    distinct_names = [cut(form(name), LONGEST_NAME) for name in dict.fromkeys(names)]
    return first_in_words(distinct_names, limit)


def short_subject(subject: str) -> str:
    """Return a subject in short: of a URN, only its own type and name."""
    _, project, urn_rest = subject.partition("::")
    if not project or not subject.startswith("urn:pulumi:"):
        return subject
    kind, _, name = urn_rest.partition("::")[2].partition("::")
    return f"{kind.rpartition('$')[2]} {name}"


def _no_position(_: tuple[PathPart, ...]) -> Position | None:
    return None


@record
class ReportEntry:
    """A finding as reports show it.

    Attributes:
        finding: what the rule says.
        place: where in the file; None where it is about a resource.
        waiver: what sets it aside, so that it does not count; None where it counts.
        accepted_at: where that waiver is written; None where it counts, or where it is not known.
        serial: how many findings before it have the same rule and subject.
    """

    finding: Finding
    place: Position | None
    waiver: Waiver | None = None
    accepted_at: Position | None = None
    serial: int = 0

    @property
    def is_waived(self) -> bool:
        """Whether a waiver accepts the finding."""
        return self.waiver is not None

    @property
    def weight(self) -> Weight:
        """The severity: a mandatory finding is an error, others are warnings."""
        return "error" if self.finding.level == "mandatory" else "warning"

    @property
    def sentence(self) -> str:
        """The subject in short and the message in one sentence."""
        return f"{self.short_subject}: {self.message}"

    @property
    def subject(self) -> str:
        """The subject of the finding, cut if long."""
        return cut(self.finding.subject, LONGEST_NAME)

    @property
    def short_subject(self) -> str:
        """The subject of the finding, of a URN only its own type and name, cut if long."""
        return cut(short_subject(self.finding.subject), LONGEST_NAME)

    @property
    def message(self) -> str:
        """The message of the finding, cut if long."""
        prefix = "not knowable yet: " if self.finding.outcome == "not-knowable" else ""
        return f"{prefix}{cut(self.finding.message)}"

    @property
    def fix(self) -> str:
        """The fix, cut if long."""
        return cut(self.finding.fix)

    @property
    def waiver_text(self) -> str:
        """The waiver's end, owner and reason; empty without a waiver."""
        waiver = self.waiver
        return f"waived until {waiver.until} by {waiver.owner}: {waiver.reason}" if waiver else ""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Report:
    """The result of a check, from which every format is written.

    Attributes:
        name: the stack.
        as_of: the day it was judged for.
        source: the file or folder that was judged.
        root: what paths are shown relative to: the checkout.
        verdict: the verdict of the rules.
        quote: the quote; None where it was not priced.
        caps: the caps; None where none are set.
        fabric: the fabric proof of each group that needs one.
        not_judged: the resources that no rule could judge.
        waivers: the accepted findings.
        names: what waivers may call a subject.
        locate: tells where in the source a finding's path is.
        base: the baseline of the cost comparison.
        comparison: the cost difference; None without a baseline.
        fixes: edits that settle findings: first that with which the whole passes.
        text: the stack file's text; empty where the source is none.
        doubts: own prices that ended, or can hardly be meant.
        stop_reason: why only a part of the stack was judged; None where all of it was.
    """

    name: str
    as_of: date
    source: Path
    root: Path
    verdict: Verdict
    quote: Quote | None
    caps: Caps | None = None
    fabric: tuple[FabricVerdict, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()
    waivers: Sequence[Waiver] = ()
    names: Names = own_names
    locate: Callable[[tuple[PathPart, ...]], Position | None] = _no_position
    base: str = ""
    comparison: "Comparison | None" = None
    fixes: "tuple[Fix, ...]" = ()
    text: str = ""
    doubts: tuple[str, ...] = ()
    stop_reason: "StopReason | None" = None

    @property
    def ok(self) -> bool:
        """Whether all of it was judged, and nothing refuses."""
        return self.stop_reason is None and self.verdict.ok

    @property
    def exit_code(self) -> int:
        """The exit code of the verdict, or of the error that left only a part to judge."""
        return (
            self.verdict.exit_code
            if self.stop_reason is None
            else self.stop_reason.error.exit_code
        )

    @cached_property
    def entries(self) -> tuple[ReportEntry, ...]:
        """All findings: those that count, then those that are waived."""
        return tuple(self._entries(get_args(Outcome)))

    @cached_property
    def _entries_to_show(self) -> tuple[ReportEntry, ...]:
        """The findings that are bad or noted, waived or not."""
        return tuple(self._entries({*ACTION_NEEDED, "noted"}))

    def relative_path(self, file: Path | str) -> str | None:
        """Return a file's path from the root; None if it is outside."""
        name = str(file)
        if name not in self._relative_paths:
            self._relative_paths[name] = relative(file, self.root)
        return self._relative_paths[name]

    def position_of(self, entry: ReportEntry) -> tuple[str, Position | None] | None:
        """Return the file of a finding from the root, with the place in it.

        Without a place it is the stack file; None where the source is none.
        """
        if entry.place is not None:
            return self.relative_path(entry.place.file) or entry.place.file, entry.place
        return (self.relative_path(self.source) or str(self.source), None) if self.text else None

    @cached_property
    def _relative_paths(self) -> dict[str, str | None]:
        return {}

    @cached_property
    def failing_findings(self) -> tuple[ReportEntry, ...]:
        """The findings that are violated or not knowable and not waived, errors first."""
        failing_entries = (
            entry for entry in self._entries_to_show if entry.finding.outcome in ACTION_NEEDED
        )
        entries = (entry for entry in failing_entries if not entry.is_waived)
        return tuple(sorted(entries, key=lambda report_entry: report_entry.weight))

    @cached_property
    def waived_findings(self) -> tuple[ReportEntry, ...]:
        """The waived findings."""
        return tuple(entry for entry in self._entries_to_show if entry.is_waived)

    @cached_property
    def noted_findings(self) -> tuple[ReportEntry, ...]:
        """The noted findings: advice, and what no key of the stack file fixes."""
        notes = (entry for entry in self._entries_to_show if entry.finding.outcome == "noted")
        return tuple(entry for entry in notes if not entry.is_waived)

    def fix_of(self, entry: ReportEntry) -> "Fix | None":
        """Return the first fix that settles a finding; None if there is none."""
        return self._fix_by_finding.get((entry.finding.rule, entry.finding.subject))

    @cached_property
    def _fix_by_finding(self) -> "dict[tuple[str, str], Fix]":
        return {key: fix for fix in reversed(self.fixes) for key in fix.settled_findings}

    @property
    def counts(self) -> dict[str, int]:
        """The number of findings of each outcome, and of waived ones."""
        outcomes = [finding.outcome for finding in self.verdict.findings]
        return dict(Counter((*outcomes, *("waived" for _ in self.verdict.waived))))

    @cached_property
    def not_judged_counts(self) -> dict[tuple[str, str], int]:
        """The number of resources not judged by type and reason, most frequent first."""
        return dict(
            Counter(
                (unjudged_row.type, unjudged_row.reason) for unjudged_row in self.not_judged
            ).most_common()
        )

    def _entries(self, outcomes: Collection[str]) -> Iterator[ReportEntry]:
        """Yield the findings of some outcomes, numbered within the same rule and subject."""
        counts_by_rule: dict[str, dict[str, int]] = {}
        verdict = self.verdict
        findings = ((finding, None) for finding in verdict.findings)
        waived = zip(verdict.waived, verdict.waiver_indexes, strict=True)
        for finding, index in chain(findings, waived):
            entries_before = counts_by_rule.setdefault(finding.rule, {})
            serial = entries_before[finding.subject] = entries_before.get(finding.subject, -1) + 1
            if finding.outcome in outcomes:
                yield ReportEntry(
                    finding=finding,
                    place=self.locate(finding.path) if finding.path else None,
                    waiver=None if index is None else self.waivers[index],
                    accepted_at=None if index is None else self.locate(("waivers", index)),
                    serial=serial,
                )
