"""Fixes of a stack file: the possible changes, each tried by the check itself."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gpuinfra.errors import InputError
from gpuinfra.fixes import (
    count_edits,
    location_edits,
    machine_edits,
    purchase_edits,
    setting_edits,
    storage_edits,
)
from gpuinfra.fixes.fix import Edit, FindingKey, Fix, Proposal
from gpuinfra.fixes.longer_runs import duration_edits
from gpuinfra.fixes.options import Dimension, OptionContext
from gpuinfra.fixes.proposing import MAX_TRIED_VALUES, MOST_EDITS, QUICK_EDITS, FixRequest, propose
from gpuinfra.fixes.result_fixes import fix_of
from gpuinfra.fixes.search import Search
from gpuinfra.fixes.stack_file_edits import stack_of, with_edits
from gpuinfra.fixes.tradeoffs import WorkloadRequests
from gpuinfra.fixes.trial_budgets import quick_trials, thorough_trials
from gpuinfra.fixes.trials import Judgement, TrialOutcome, Trials, key_of, outcome, refused_outcome
from gpuinfra.fixes.workload_requests import planned_requests, workload_requests
from gpuinfra.rules import RULES, Finding
from gpuinfra.rules.rule import Family
from gpuinfra.source import Source
from gpuinfra.specs import Stack
from gpuinfra.stackfile.plain_values import with_value
from gpuinfra.stackfile.yaml_composer import compose

Judge = Callable[[Source], Judgement]
"""Plans, prices and judges a source as `check` does; raises InputError where that can't be."""

Caps = Callable[[Source], Iterable[Finding]]
"""Judges the caps alone, by what machines cost; raises InputError where that can't be."""


def _no_caps(_: Source) -> Iterable[Finding]:
    return ()


WORKLOAD_DIMENSIONS = (
    machine_edits.dimensions,
    purchase_edits.dimensions,
    count_edits.dimensions,
    setting_edits.dimensions,
    storage_edits.dimensions,
)


@dataclass(frozen=True)
class _EditedStack:
    """The trial of edits in a stack file."""

    source: Source
    value: object
    judge: Judge
    caps: Caps

    def __call__(self, edits: tuple[Edit, ...]) -> tuple[Judgement, bool]:
        edited_source, relock = with_stack(self.source, stack_of(with_edits(self.value, edits)))
        return self.judge(edited_source), relock

    def exceeded_caps(self, edits: tuple[Edit, ...]) -> frozenset[FindingKey]:
        """Return the caps that machines alone exceed; none where it can't be planned."""
        try:
            edited_source, _ = with_stack(self.source, stack_of(with_edits(self.value, edits)))
            return frozenset(
                key_of(finding)
                for finding in self.caps(edited_source)
                if finding.outcome == "violated"
            )
        except InputError:
            return frozenset()


def propose_stack_fixes(
    source: Source,
    judge: Judge,
    judgement_before: Judgement | InputError,
    *,
    thorough: bool,
    caps: Caps = _no_caps,
) -> Proposal:
    """Propose fixes for a stack file.

    Args:
        source: as it was read.
        judge: judges a source.
        judgement_before: what the check came to, or why it can't be planned.
        thorough: whether to look for longer, and for more edits together.
        caps: judges the caps of a source by its machines alone, for edits that can't help.
    """
    search_start = _SearchStart(source, _value_of(source), judge, caps, thorough=thorough)
    if not isinstance(judgement_before, InputError):
        now = outcome(judgement_before)
        workloads = planned_requests(source.stack, judgement_before.plan)
        trials = search_start.trials(
            thorough_trials(source.stack) if thorough else quick_trials(source.stack), workloads
        )
        return propose(search_start.request(now, workloads, trials))
    return _propose_until_planned(search_start, refused_outcome(judgement_before.problems))


def edited_source(source: Source, edits: Sequence[Edit]) -> Source:
    """Return the source of a stack file with edits in it.

    Raises:
        InputError: it has faults then.
    """
    return with_stack(source, stack_of(with_edits(_value_of(source), edits)))[0]


def _value_of(source: Source) -> Any:
    """Return the plain value of a stack file, with defaults filled in."""
    value = compose(source.document.text, str(source.document.path)).value
    for default in source.document.defaults:
        value = with_value(value, default.path, default.value)
    return value


@dataclass(frozen=True)
class _SearchStart:
    """A stack file for which fixes are searched."""

    source: Source
    value: Mapping[str, Any]
    judge: Judge
    caps: Caps
    thorough: bool

    def trials(self, budget: int, workloads: WorkloadRequests) -> Trials:
        attempt = _EditedStack(self.source, self.value, self.judge, self.caps)
        return Trials(
            attempt,
            budget,
            caps=attempt.exceeded_caps,
            follow_up_edits=lambda judgement: duration_edits(
                workloads, judgement.plan, self.value
            ),
        )

    def request(
        self,
        current_outcome: TrialOutcome,
        workloads: WorkloadRequests,
        trials: Trials,
        maximum: int = 0,
    ) -> FixRequest:
        judgement = current_outcome.judged
        stack = stack_of(self.value)
        option_context = OptionContext(
            value=self.value,
            stack=stack,
            prices=self.source.current_prices,
            plan=None if judgement is None else judgement.plan,
            quote=None if judgement is None else judgement.quote,
        )
        by_likelihood = relevant_first(
            dimensions(option_context), current_outcome.refusing_findings
        )
        return FixRequest(
            before=current_outcome,
            requests=workloads,
            dimensions=by_likelihood if self.thorough else _first_options(by_likelihood),
            likely_dimensions=_first_options(by_likelihood) if self.thorough else (),
            trials=trials,
            max_changes=maximum or (MOST_EDITS if self.thorough else QUICK_EDITS),
            include_advisory=self.thorough and judgement is not None,
        )


def _first_options(dimensions: Sequence[Dimension]) -> Sequence[Dimension]:
    """Return the likely dimensions with only their first options, for a short search."""
    likely = [dimension for dimension in dimensions if not dimension.is_unlikely] or dimensions
    return tuple(
        dimension
        if dimension.is_ordered
        else replace(dimension, options=dimension.options[:MAX_TRIED_VALUES])
        for dimension in likely
    )


def _propose_until_planned(search_start: _SearchStart, now: TrialOutcome) -> Proposal:
    """Return fixes of a stack that can't be planned: in one step, or first a plan, then more."""
    workloads = workload_requests(search_start.source.stack)
    budget = thorough_trials(search_start.source.stack)
    trials = search_start.trials(budget, workloads)
    request = search_start.request(now, workloads, trials)
    once = propose(replace(request, max_changes=1))
    if once.complete_fix is not None:
        return once
    search = Search(request.dimensions, trials, workloads)
    with trials.limited_trials(budget // 4):
        first = search.smallest(lambda outcome: outcome.judged is not None, request.max_changes)
    if first is None:
        return once
    if not first.outcome.refusing_findings:
        return replace(
            once, fixes=(fix_of(now, first),), unfixed_findings=(), trial_count=trials.tried
        )
    edited_start = replace(search_start, value=with_edits(search_start.value, first.edits))
    trials_left = edited_start.trials(max(0, budget - trials.tried), workloads)
    later_result = propose(edited_start.request(first.outcome, workloads, trials_left))
    return Proposal(
        fixes=tuple(
            _with_earlier_edits(first.edits, fix, now)
            for fix in later_result.fixes
            if fix.passes_check
        ),
        trial_count=trials.tried + trials_left.tried,
        is_incomplete=trials.stopped or trials_left.stopped,
        unfixed_findings=() if later_result.complete_fix else tuple(sorted(now.refusing_findings)),
    )


def _with_earlier_edits(first: tuple[Edit, ...], fix: Fix, now: TrialOutcome) -> Fix:
    """Return a fix with the edits that precede it; costs before those are unknown."""
    edits = {edit.path: edit for edit in first}
    for edit in fix.edits:
        edits[edit.path] = replace(edit, before=edits.get(edit.path, edit).before)
    spans = {
        name: replace(span, before=None)
        for name in ("per_hour", "per_month", "per_run")
        if (span := getattr(fix.effect, name)) is not None
    }
    fabric = tuple(replace(change, before=None) for change in fix.effect.fabric)
    return replace(
        fix,
        settled_findings=tuple(sorted(now.refusing_findings)),
        edits=tuple(edits.values()),
        effect=replace(fix.effect, fabric=fabric, changes=(), **spans),
    )


def with_stack(source: Source, stack: Stack) -> tuple[Source, bool]:
    """Return the source with another stack, and whether its lock no longer applies.

    A lock holds for what a stack file says, whole; without it, machines and prices are those of
    the day, as `lock --update` takes them.
    """
    edited_source = replace(source, document=replace(source.document, stack=stack))
    if source.valid_lock is None:
        return edited_source, False
    return replace(edited_source, lock=None, prices=source.current_prices), True


def dimensions(context: OptionContext) -> Iterator[Dimension]:
    """Yield every dimension of a stack file."""
    workloads_by_section = (
        ("training", context.stack.training),
        ("inference", context.stack.inference),
    )
    for section, workloads in workloads_by_section:
        for name, work in workloads.items():
            for of_work in WORKLOAD_DIMENSIONS:
                yield from of_work(context, (section, name), name, work)
    yield from location_edits.dimensions(context)
    yield from setting_edits.bucket_switches(context)
    yield from setting_edits.stack_switches(context)


def relevant_first(
    dimensions: Iterator[Dimension], bad: frozenset[FindingKey]
) -> Sequence[Dimension]:
    """Return the dimensions, first those of the families and subjects of these findings."""
    family: dict[str, Family] = {rule.id: rule.family for rule in RULES}
    families = {family[rule] for rule, _ in bad if rule in family}
    subjects = {subject for _, subject in bad}

    def relevance_key(dimension: Dimension) -> tuple[bool, bool, bool]:
        """Return the sort key: not at the problem's path, for other rules, other subjects."""
        edit = dimension.options[0].edits[0]
        is_of_subject = ".".join(map(str, edit.path)) in subjects
        is_about_subject = any(
            f"{subject}.".startswith(f"{dimension.subject}.") for subject in subjects
        )
        return (
            not is_of_subject,
            not families & dimension.families,
            bool(dimension.subject) and not is_about_subject,
        )

    return tuple(
        replace(dimension, is_unlikely=all(relevance_key(dimension)[:2]))
        for dimension in sorted(
            (dimension for dimension in dimensions if dimension.options), key=relevance_key
        )
    )
