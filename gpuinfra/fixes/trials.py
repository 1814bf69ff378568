"""Trials of edits: each set is planned, priced and judged once, within a budget."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from gpuinfra.cost import Quote
from gpuinfra.errors import InputError, Problem, RefusedError
from gpuinfra.fixes.fix import Edit, FindingKey, Identity, identity
from gpuinfra.model import Plan
from gpuinfra.records import record
from gpuinfra.rules import Finding, Verdict

INPUT = "input"
"""The rule of a key for a planning problem: a request that nothing fits or no cloud sells."""


class PlanAndQuote(Protocol):
    """A plan and its quote."""

    @property
    def plan(self) -> Plan:
        """The plan."""
        ...

    @property
    def quote(self) -> Quote:
        """The quote of the plan."""
        ...


class Judgement(PlanAndQuote, Protocol):
    """The result of a check of any source: a plan, its quote and the verdict."""

    @property
    def verdict(self) -> Verdict:
        """The verdict of the rules."""
        ...


@record
class KeptJudgement:
    """The plan and quote of a judgement, without the verdict, to save memory."""

    plan: Plan
    quote: Quote


@record
class TrialOutcome:
    """The result of judging a stack with edits.

    Attributes:
        open_findings: every finding that needs action.
        refusing_findings: those of them that refuse.
        noted_findings: those that need no action and stay as advice.
        messages: what these say, in words: an edit that changes the words has some effect.
        judged: plan and quote; None where it can't even be planned.
        relock: whether the lock beside it no longer holds.
        judged_subjects: the subjects of what is judged: nothing is settled by hiding it.
        unjudged_subjects: the subjects of what is not.
        follow_up_edits: edits that the tried ones make needful, for example of a run that takes
            longer.
    """

    open_findings: frozenset[FindingKey]
    refusing_findings: frozenset[FindingKey]
    noted_findings: frozenset[FindingKey] = frozenset()
    messages: frozenset[str] = frozenset()
    judged: PlanAndQuote | None = None
    relock: bool = False
    judged_subjects: frozenset[str] = frozenset()
    unjudged_subjects: frozenset[str] = frozenset()
    follow_up_edits: tuple[Edit, ...] = ()

    def removed_by(self, after: "TrialOutcome") -> frozenset[FindingKey]:
        """Return the findings that edits remove; one that refused may stay as a warning."""
        lowered = self.refusing_findings - after.refusing_findings
        return (self.open_findings - after.open_findings) | lowered


Try = Callable[[tuple[Edit, ...]], tuple[Judgement, bool]]
"""Judges a stack with edits in it, and says whether its lock must be rewritten; raises
InputError or RefusedError where that can't be."""


def _no_edits(_: PlanAndQuote) -> tuple[Edit, ...]:
    return ()


def _no_caps(_: tuple[Edit, ...]) -> frozenset[FindingKey]:
    return frozenset()


def _same_outcome(outcome: "TrialOutcome") -> "TrialOutcome":
    return outcome


@dataclass
class Trials:
    """Trials of sets of edits, each tried once, at most `budget` sets.

    Attributes:
        attempt: judges a stack with edits in it.
        budget: how many sets are tried.
        follow_up_edits: the edits that what was judged makes needful; raises InputError where none
            help.
        seen: what an outcome comes to where no edit says what follows from it.
        caps: the caps that machines alone exceed with edits, at a fraction of the time.
    """

    attempt: Try
    budget: int
    follow_up_edits: Callable[[PlanAndQuote], tuple[Edit, ...]] = _no_edits
    seen: Callable[[TrialOutcome], TrialOutcome] = _same_outcome
    caps: Callable[[tuple[Edit, ...]], frozenset[FindingKey]] = _no_caps
    tried: int = 0
    stopped: bool = False
    _most: int | None = None
    _known: dict[frozenset[Identity], TrialOutcome] = field(default_factory=dict)
    _exceeded: dict[frozenset[Identity], frozenset[FindingKey]] = field(default_factory=dict)

    def exceeded_caps(self, edits: Sequence[Edit]) -> frozenset[FindingKey]:
        """Return the caps that machines alone exceed with these edits; none without a check.

        A look counts as a trial, so that a search ends after as many.
        """
        key = identity(edits)
        if key in self._known:
            return frozenset()
        if key not in self._exceeded:
            if self.is_exhausted:
                self.stopped = True
                return frozenset()
            self.tried += 1
            self._exceeded[key] = self.caps(tuple(edits))
        return self._exceeded[key]

    def outcome_of(self, edits: Sequence[Edit]) -> TrialOutcome | None:
        """Return the outcome of the stack with these edits; None when the budget is spent."""
        key = identity(edits)
        if key not in self._known:
            if key not in self._exceeded:
                if self.is_exhausted:
                    self.stopped = True
                    return None
                self.tried += 1
            self._known[key] = self._outcome(tuple(edits))
        return self._known[key]

    @contextmanager
    def limited_trials(self, maximum: int) -> Generator[None]:
        """Limit the trials in a block, so that some are left for later searches."""
        outer = self._most
        self._most = min(self.tried + maximum, self.tried + self.trials_left)
        try:
            yield
        finally:
            self._most = outer

    @contextmanager
    def extra_trials(self, added_trials: int) -> Generator[None]:
        """Allow more trials than the budget in a block, to shrink a result."""
        budget, most, stopped = self.budget, self._most, self.stopped
        self.budget, self._most = max(budget, self.tried + added_trials), None
        try:
            yield
        finally:
            self.budget, self._most, self.stopped = budget, most, stopped

    @property
    def is_exhausted(self) -> bool:
        """Whether the budget of trials is used up."""
        return not self.trials_left

    @property
    def trials_left(self) -> int:
        """The number of sets that may still be tried now."""
        most = self.budget if self._most is None else min(self.budget, self._most)
        return max(0, most - self.tried)

    def _outcome(self, edits: tuple[Edit, ...]) -> TrialOutcome:
        try:
            judgement, relock = self.attempt(edits)
            follows = self.follow_up_edits(judgement)
            if follows:
                judgement, relock = self.attempt((*edits, *follows))
        except InputError as error:
            return refused_outcome(error.problems)
        except RefusedError:
            return TrialOutcome(
                open_findings=frozenset({(INPUT, "lock")}),
                refusing_findings=frozenset({(INPUT, "lock")}),
            )
        return replace(self.seen(outcome(judgement, relock=relock)), follow_up_edits=follows)


def outcome(judgement: Judgement, *, relock: bool = False) -> TrialOutcome:
    """Return the outcome of a judgement, from its findings."""
    bad = [finding for finding in judgement.verdict.findings if is_bad(finding)]
    plan = judgement.plan
    judged_rows = (plan.groups, plan.buckets, plan.file_systems, plan.listeners)
    return TrialOutcome(
        open_findings=frozenset(map(key_of, bad)),
        refusing_findings=frozenset(key_of(finding) for finding in bad if finding.refuses),
        noted_findings=frozenset(
            key_of(finding) for finding in judgement.verdict.findings if finding.outcome == "noted"
        ),
        messages=frozenset(finding.message for finding in bad if finding.refuses),
        judged=KeptJudgement(plan=plan, quote=judgement.quote),
        relock=relock,
        judged_subjects=frozenset(row.subject for rows in judged_rows for row in rows),
        unjudged_subjects=frozenset(not_judged.subject for not_judged in plan.not_judged),
    )


def refused_outcome(problems: Sequence[Problem]) -> TrialOutcome:
    """Return the outcome of a stack that can't be planned."""
    keys = frozenset(
        (INPUT, ".".join(map(str, problem.path)) or problem.message) for problem in problems
    )
    return TrialOutcome(open_findings=keys, refusing_findings=keys)


def is_bad(finding: Finding) -> bool:
    """Return whether a finding needs action: it is violated, or it refuses."""
    return finding.outcome == "violated" or finding.refuses


def key_of(finding: Finding) -> FindingKey:
    """Return a finding's key: its rule and its subject."""
    return (finding.rule, finding.subject)
