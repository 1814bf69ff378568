"""The proposal of fixes for refusals: for each finding, and one that passes the whole check."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from gpuinfra.fixes.acceptance import Removal
from gpuinfra.fixes.fix import FindingKey, Fix, Identity, Proposal, identity
from gpuinfra.fixes.options import Dimension
from gpuinfra.fixes.result_fixes import fix_of
from gpuinfra.fixes.search import Search
from gpuinfra.fixes.search_result import SearchResult
from gpuinfra.fixes.similar_findings import as_before, subject_of
from gpuinfra.fixes.tradeoffs import WorkloadRequests
from gpuinfra.fixes.trial_budgets import QUICK
from gpuinfra.fixes.trials import TrialOutcome, Trials
from gpuinfra.records import record

MOST_EDITS: Final = 3
QUICK_EDITS: Final = 2
MAX_TRIED_VALUES: Final = 8
"""The maximum number of values per dimension tried in a quick search."""


@record
class FixRequest:
    """The findings to fix, the possible changes, and the limit on edits.

    Attributes:
        before: what the stack comes to now.
        requests: the requests by workload.
        dimensions: what may be changed, the likeliest first.
        trials: what tries edits.
        max_changes: how many changes are tried together at most.
        include_advisory: whether to look for fixes of what does not refuse, too.
        likely_dimensions: what the quick search changes, whose result is kept.
    """

    before: TrialOutcome
    requests: WorkloadRequests
    dimensions: Sequence[Dimension]
    trials: Trials
    max_changes: int = MOST_EDITS
    include_advisory: bool = False
    likely_dimensions: Sequence[Dimension] = ()


@dataclass
class _FixCollection:
    """The fixes so far, by their edits."""

    fixes: dict[frozenset[Identity], Fix] = field(default_factory=dict)
    unfixed_findings: list[FindingKey] = field(default_factory=list)


def propose(request: FixRequest) -> Proposal:
    """Search for the smallest edits: one set for the whole check, and one for each finding."""
    search = Search(request.dimensions, request.trials, request.requests)
    proposal = (
        _fixes_of_refusals(request, search) if request.before.refusing_findings else Proposal()
    )
    advised = (
        tuple(_fixes_of_warnings(request, search, proposal)) if request.include_advisory else ()
    )
    return replace(
        proposal,
        advisory_fixes=advised,
        trial_count=request.trials.tried,
        is_incomplete=request.trials.stopped,
    )


def _fixes_of_warnings(request: FixRequest, search: Search, proposal: Proposal) -> Iterator[Fix]:
    """Yield a one-change fix for each advisory finding, if the fix takes nothing away."""
    settled = {
        finding_key
        for fix in proposal.fixes
        for finding_key in (*fix.settled_findings, *fix.noted_findings)
    }
    results: dict[FindingKey, SearchResult] = {}
    for finding_key in sorted(
        request.before.open_findings - request.before.refusing_findings - settled
    ):
        accept = Removal(request.before, frozenset({finding_key}))
        with request.trials.extra_trials(1):
            result = as_before(search, finding_key, accept, results)
        if result is None:
            result = search.smallest(accept, 1)
        if result is not None and not result.loss.amount:
            results[finding_key] = result
            fix = fix_of(request.before, result)
            if fix.settled_findings:
                yield fix


def _fixes_of_refusals(request: FixRequest, search: Search) -> Proposal:
    outcome_before = request.before
    targets = sorted(outcome_before.refusing_findings)
    quick = _quick_search(request) if request.likely_dimensions else None
    complete_fix, parts = _full_search(request, search, targets)
    if quick is not None and (
        complete_fix is None or quick.rank_before_price < complete_fix.rank_before_price
    ):
        complete_fix = quick
    gathered = _FixCollection()
    largest = complete_fix or _combined_parts(request, search, parts)
    if largest is not None:
        _add(gathered, fix_of(outcome_before, largest))
    for finding_key in targets:
        if finding_key in parts:
            _add(gathered, fix_of(outcome_before, parts[finding_key]))
        elif complete_fix is None:
            gathered.unfixed_findings.append(finding_key)
    return Proposal(
        fixes=tuple(gathered.fixes.values()), unfixed_findings=tuple(gathered.unfixed_findings)
    )


def _quick_search(request: FixRequest) -> SearchResult | None:
    """Return edits with which the check passes, found in few trials; None if there are none."""
    search = Search(request.likely_dimensions, request.trials, request.requests)
    quick = replace(
        request,
        dimensions=request.likely_dimensions,
        max_changes=QUICK_EDITS,
        likely_dimensions=(),
    )
    with request.trials.limited_trials(min(QUICK, request.trials.trials_left // 2)):
        full_result, _ = _full_search(quick, search, sorted(request.before.refusing_findings))
    request.trials.stopped = False
    return full_result


def _full_search(
    request: FixRequest, search: Search, targets: Sequence[FindingKey]
) -> tuple[SearchResult | None, dict[FindingKey, SearchResult]]:
    """Return edits with which the check passes, and those for each finding alone."""
    accept = Removal(request.before, frozenset(targets))
    complete_fix = _single_change(request, search, targets, accept)
    parts: dict[FindingKey, SearchResult] = {}
    if request.max_changes > 1 and (complete_fix is None or complete_fix.loss.amount):
        if len(targets) == 1:
            larger_fix = search.smallest(
                accept, request.max_changes, 2, full=complete_fix is not None
            )
            complete_fix = _better_result(complete_fix, larger_fix)
        else:
            parts = _search_each_finding(request, search, targets)
            complete_fix = _better_result(
                complete_fix, _combined_fix(request, search, targets, parts)
            )
    return (None if complete_fix is None else search.shrink_result(complete_fix, accept)), parts


def _single_change(
    request: FixRequest, search: Search, targets: Sequence[FindingKey], accept: Removal
) -> SearchResult | None:
    """Return the change with which the check passes; None if there is none.

    A change of one workload seldom settles findings of others: then most trials are left for more
    changes together.
    """
    if len({subject_of(search.dimensions, key) for key in targets} - {""}) <= 1:
        return search.smallest(accept, 1)
    of_stack = [dimension for dimension in search.dimensions if not dimension.subject]
    of_all = replace(search, dimensions=of_stack).smallest(accept, 1)
    with request.trials.limited_trials(request.trials.trials_left // 4):
        return _better_result(of_all, search.smallest(accept, 1))


def _search_each_finding(
    request: FixRequest, search: Search, targets: Sequence[FindingKey]
) -> dict[FindingKey, SearchResult]:
    """Return the smallest edits of each finding's subject; leave some trials for later."""
    smallest: dict[FindingKey, SearchResult] = {}
    for key, maximum in _trials_by_finding(request, targets):
        accept = Removal(request.before, frozenset({key}))
        changes = as_before(search, key, accept, smallest)
        if changes is not None:
            smallest[key] = changes
            continue
        narrowed = replace(search, dimensions=_dimensions_of(request.dimensions, key))
        with request.trials.limited_trials(maximum):
            changes = narrowed.smallest(accept, min(request.max_changes, 2))
        if changes is not None:
            smallest[key] = narrowed.shrink_result(changes, accept)
    return smallest


def _trials_by_finding(
    request: FixRequest, targets: Sequence[FindingKey]
) -> Iterator[tuple[FindingKey, int]]:
    """Yield each finding with the trials for it: the first of each rule has most of them."""
    for place, key in enumerate(targets):
        rules_left = len({rule for rule, _ in targets[place:]})
        yield key, request.trials.trials_left // (rules_left + 1)


def _dearer_parts(
    request: FixRequest, search: Search, targets: Sequence[FindingKey]
) -> dict[FindingKey, SearchResult]:
    """Return single edits for each finding that may raise the cost over a cap; most were tried."""
    parts: dict[FindingKey, SearchResult] = {}
    for key, maximum in _trials_by_finding(request, targets):
        accept = Removal(request.before, frozenset({key}), accepts_higher_cost=True)
        result = as_before(search, key, accept, parts)
        if result is None:
            narrowed = replace(search, dimensions=_dimensions_of(request.dimensions, key))
            with request.trials.limited_trials(maximum):
                result = narrowed.smallest(accept, 1)
        if result is not None:
            parts[key] = result
    return parts


def _dimensions_of(dimensions: Sequence[Dimension], key: FindingKey) -> Sequence[Dimension]:
    """Return the dimensions of a finding's subject; all dimensions if it has none."""
    subject = f"{key[1]}."
    subject_dimensions = [
        dimension
        for dimension in dimensions
        if dimension.subject and subject.startswith(f"{dimension.subject}.")
    ]
    return subject_dimensions or dimensions


def _combined_fix(
    request: FixRequest,
    search: Search,
    targets: Sequence[FindingKey],
    parts: dict[FindingKey, SearchResult],
) -> SearchResult | None:
    """Return edits with which the check passes: the parts combined, or a smaller set.

    Where the parts lose nothing and keep the machines, only smaller sets are sought.
    """
    accept = Removal(request.before, frozenset(targets))
    together = None
    dearer = parts | _dearer_parts(request, search, targets)
    for chosen_parts in (parts,) if dearer == parts else (dearer, parts):
        if together is None and len(chosen_parts) == len(targets):
            with request.trials.extra_trials(1 + len(chosen_parts)):
                together = search.without_needless_options(
                    search.furthest(chosen_parts.values()), accept
                )
    most = request.max_changes
    if together is not None:
        is_harmless = not together.loss.amount and not together.disruption
        most = min(most, len(together.options) - is_harmless)
    return _better_result(together, search.smallest(accept, most, 2))


def _combined_parts(
    request: FixRequest, search: Search, parts: dict[FindingKey, SearchResult]
) -> SearchResult | None:
    """Return edits that settle findings together, collected greedily; None without any.

    A finding is left out whose edits are not accepted with those before.
    """
    chosen_parts: dict[FindingKey, SearchResult] = {}
    combined = None
    with request.trials.extra_trials(2 * len(parts)):
        for key, part in parts.items():
            candidate = chosen_parts | {key: part}
            accept = Removal(request.before, frozenset(candidate))
            together = search.accepted_together(search.furthest(candidate.values()), accept)
            if together is not None:
                chosen_parts, combined = candidate, together
        if combined is None:
            return None
        accept = Removal(request.before, frozenset(chosen_parts))
        return search.without_needless_options(combined.options, accept)


def _better_result(first: SearchResult | None, other: SearchResult | None) -> SearchResult | None:
    return min(
        (result for result in (first, other) if result),
        key=lambda result: result.rank,
        default=None,
    )


def _add(gathered: _FixCollection, fix: Fix) -> None:
    gathered.fixes.setdefault(identity(fix.edits), fix)
