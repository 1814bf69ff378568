"""Fixes for foreign stacks, each a property of a resource and a value, tried by the check."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any, Final

from gpuinfra.catalog import PriceBook
from gpuinfra.clouds import canonical, cloud_of
from gpuinfra.fixes.acceptance import Removal
from gpuinfra.fixes.edited_resources import resolve_placeholders, with_edits
from gpuinfra.fixes.fix import Edit, FindingKey, Path, Proposal, identity
from gpuinfra.fixes.longer_runs import with_longer_runs
from gpuinfra.fixes.options import Dimension, EditOption
from gpuinfra.fixes.property_paths import (
    immutable,
    is_inside,
    matching_paths,
    parse_path,
    value_at,
)
from gpuinfra.fixes.purchase_edits import spot_floor
from gpuinfra.fixes.related_resources import RelatedResources
from gpuinfra.fixes.remedies import Remedy, computed_value, has_companion, remedies
from gpuinfra.fixes.result_fixes import fix_of
from gpuinfra.fixes.search import Search
from gpuinfra.fixes.search_result import SearchResult
from gpuinfra.fixes.tradeoffs import plan_requests
from gpuinfra.fixes.trials import Judgement, TrialOutcome, Trials, outcome
from gpuinfra.fixes.tunables import tunable_dimensions
from gpuinfra.fixes.value_text import value_line
from gpuinfra.model import Resource
from gpuinfra.rules import RULES

Judge = Callable[[Sequence[Resource]], Judgement]
"""Plans, prices and judges resources as `check` does."""

MAX_TRIED_FINDINGS: Final = 40
"""The maximum number of findings examined one by one."""

THOROUGH: Final = 400
QUICK: Final = 40
WORK: Final = 1_000
"""Trials times resources that a look beside a table may take: some tenths of a second; a larger
stack is looked at with --fix."""

THOROUGH_WORK: Final = 50_000
"""Trials times resources of a thorough look: some tens of seconds."""

LARGE: Final = 200
"""Resources from which on properties are changed one at a time."""

MONEY: Final = frozenset(rule.id for rule in RULES if rule.family == "budget")
"""Rules for which something may have to go; for others their own fix is better."""

TUNABLE_RULES: Final = frozenset(rule.id for rule in RULES if rule.family != "security")
"""Rules that a machine, a price or a size may settle."""

MAX_TRIED_PROPERTIES: Final = 60
"""The maximum number of properties examined per finding."""

MAX_COMMON_EDITS: Final = 8
"""Up to how many entries of a list one of them is changed alone."""


@dataclass(frozen=True)
class ResourceContext:
    """A stack's resources, with their judgement."""

    resources: Sequence[Resource]
    related: RelatedResources
    prices: PriceBook
    before: Judgement

    def bid_floor(self, resource: Resource) -> Decimal | None:
        """Return the lowest maximum price for the machines that a resource describes.

        None where no spot price of theirs is known.
        """
        groups = (
            group
            for group in self.before.plan.groups
            if resource.urn in self.related.reached_urns(group.subject)
        )
        return spot_floor(groups, self.prices)


def propose_resource_fixes(
    resources: Sequence[Resource],
    judge: Judge,
    judgement_before: Judgement,
    prices: PriceBook,
    *,
    thorough: bool,
) -> Proposal:
    """Propose properties to set for each finding, and for all together if the edits allow it.

    Args:
        resources: of the stack.
        judge: judges resources.
        judgement_before: what the check came to.
        prices: what machines are compared by.
        thorough: whether to look for longer.
    """
    outcome_now = outcome(judgement_before)
    sought = sorted(outcome_now.refusing_findings) + (
        sorted(outcome_now.open_findings - outcome_now.refusing_findings) if thorough else []
    )
    trials_per_resource = max(1, len(resources))
    budget = (
        min(THOROUGH, THOROUGH_WORK // trials_per_resource)
        if thorough
        else min(QUICK, WORK // trials_per_resource)
    )
    if not sought or not budget:
        return Proposal(
            unfixed_findings=tuple(sorted(outcome_now.refusing_findings)),
            is_incomplete=bool(sought),
        )
    requests = plan_requests(judgement_before.plan)
    trials = Trials(
        lambda edits: (judge(with_edits(resources, edits)), False),
        budget,
        seen=lambda trial_outcome: with_longer_runs(trial_outcome, requests),
    )
    context = ResourceContext(resources, RelatedResources(resources), prices, judgement_before)
    parts: dict[FindingKey, SearchResult] = {}
    for finding_key in sought[:MAX_TRIED_FINDINGS]:
        if any(finding_key not in part.outcome.open_findings for part in parts.values()):
            continue
        smallest = _smallest(context, outcome_now, finding_key, trials)
        if smallest is not None:
            parts[finding_key] = smallest
    settled = {
        finding_key
        for part in parts.values()
        for finding_key in outcome_now.refusing_findings - part.outcome.refusing_findings
    }
    firm = {
        finding_key: part
        for finding_key, part in parts.items()
        if finding_key in outcome_now.refusing_findings
    }
    fixes = {identity(part.edits): fix_of(outcome_now, part) for part in firm.values()}
    combined = _combined_edits(context, outcome_now, firm, trials)
    if combined is not None:
        fixes = {identity(combined.edits): fix_of(outcome_now, combined), **fixes}
    return Proposal(
        fixes=tuple(fixes.values()),
        trial_count=trials.tried,
        is_incomplete=trials.stopped,
        unfixed_findings=tuple(sorted(outcome_now.refusing_findings - settled)),
        advisory_fixes=tuple(
            fix_of(outcome_now, part) for key, part in parts.items() if key not in firm
        ),
    )


def _smallest(
    context: ResourceContext, current_outcome: TrialOutcome, key: FindingKey, trials: Trials
) -> SearchResult | None:
    """Return the smallest edits for a finding, from the remedies or else the tunables."""
    rule, subject = key
    resources = context.related.resources_about(subject)
    tunables = dimensions_by_tunable(context, resources) if rule in TUNABLE_RULES else ()
    for dimensions in (table_remedies(rule, resources, context.resources), tunables):
        search = Search(
            tuple(islice(dimensions, MAX_TRIED_PROPERTIES)),
            trials,
            plan_requests(context.before.plan),
        )
        most = 1 if len(context.resources) > LARGE else 2
        accept = Removal(current_outcome, frozenset({key}))
        smallest = search.smallest(accept, most)
        smallest = smallest and search.shrink_result(smallest, accept)
        if smallest is not None and (rule in MONEY or not smallest.loss.amount):
            # Where nothing has to go, the rule's own fix is better than a loss.
            return smallest
    return None


def _combined_edits(
    context: ResourceContext,
    current_outcome: TrialOutcome,
    parts: dict[FindingKey, SearchResult],
    trials: Trials,
) -> SearchResult | None:
    """Return the edits of all parts without the needless ones, if they pass together."""
    if len(parts) < 2:  # noqa: PLR2004  one goes with nothing
        return None
    options_by_edits = {
        identity(option.edits): option for part in parts.values() for option in part.options
    }
    options = tuple(options_by_edits.values())
    dimension = Dimension(name="all", subject="", options=options)
    search = Search((dimension,), trials, plan_requests(context.before.plan))
    return search.without_needless_options(options, Removal(current_outcome, frozenset(parts)))


def table_remedies(
    rule: str, resources: Sequence[Resource], stack: Sequence[Resource]
) -> Iterator[Dimension]:
    """Yield the remedies of a rule that apply to these resources of a stack."""
    pairs = [
        (resource, remedy)
        for resource in resources
        for remedy in _remedies_of_rule(rule, canonical(resource.type))
        if remedy.companion is None or has_companion(resource, remedy.companion, stack)
    ]
    for resource, remedy in sorted(pairs, key=_invasiveness):
        for option in _options(resource, remedy):
            yield Dimension(name=rule, subject=resource.urn, options=(option,))


def dimensions_by_tunable(
    context: ResourceContext, resources: Sequence[Resource]
) -> Iterator[Dimension]:
    """Yield the tunable properties of these resources."""
    for resource in resources:
        yield from tunable_dimensions(
            resource, canonical(resource.type), context.prices, context.bid_floor
        )


def _remedies_of_rule(rule: str, kind: str) -> Iterator[Remedy]:
    cloud = cloud_of(kind)
    rows = remedies(cloud) if cloud is not None else ()
    return (row for row in rows if row.rule == rule and kind in map(canonical, row.types))


def _invasiveness(row: tuple[Resource, Remedy]) -> int:
    """Return 0 if a remedy sets a property, 1 if it adds a resource, 2 if it removes one."""
    _, remedy = row
    return 2 if remedy.drop else 1 if remedy.add is not None else 0


def _options(resource: Resource, remedy: Remedy) -> Iterator[EditOption]:
    """Yield the options of a remedy: all list entries at once first, then single ones."""
    if remedy.requires_property and not resource.inputs.get(remedy.requires_property):
        return
    if remedy.drop:
        yield EditOption(edits=(_edit(resource, (), None),))
        return
    added: tuple[Edit, ...] = ()
    if remedy.add is not None:
        type_, inputs = remedy.add
        added = (replace(_edit(resource, (), resolve_placeholders(resource, inputs)), type=type_),)
    all_edits = [
        _edit(resource, path, _value(resource, path, value))
        for text, value in remedy.set.items()
        for path in matching_paths(resource.inputs, parse_path(text))
        if _matches_condition(value_at(resource.inputs, path), remedy.when)
        and _is_entry(resource, path, remedy.entry)
    ]
    edits = tuple(edit for edit in all_edits if value_line(edit.before) != value_line(edit.after))
    if edits or added:
        yield EditOption(edits=(*added, *edits))
    if len(remedy.set) == 1 and 1 < len(edits) <= MAX_COMMON_EDITS:
        yield from (EditOption(edits=(*added, edit)) for edit in edits)


def _edit(resource: Resource, path: Path, value_after: Any) -> Edit:
    value_before = value_at(resource.inputs, path) if path else None
    return Edit(
        path=path,
        before=immutable(value_before),
        after=immutable(value_after),
        resource=resource.urn,
        type=resource.type,
        is_inside=is_inside(resource.inputs, path),
    )


def _value(resource: Resource, path: Path, value: Any) -> Any:
    """Return the value that a remedy sets; `{first: n}` and `{computed: …}` derive it."""
    current_value = value_at(resource.inputs, path)
    if isinstance(value, dict) and set(value) == {"first"}:
        return (
            list(current_value)[: value["first"]]
            if isinstance(current_value, list | tuple)
            else current_value
        )
    if isinstance(value, dict) and set(value) == {"computed"}:
        return computed_value(resource, value["computed"], current_value)
    return resolve_placeholders(resource, value)


def _is_entry(resource: Resource, path: Path, entry: Mapping[str, Any]) -> bool:
    """Return whether the sibling properties match a remedy's list entry."""
    holder = value_at(resource.inputs, path[:-1]) if path[1:] else resource.inputs
    return all(value_at(holder, (key,)) == value for key, value in entry.items())


def _matches_condition(value: Any, when: str) -> bool:
    """Return whether a value, or one of its entries, starts with the text of a remedy's `when`."""
    if not when:
        return True
    values = value if isinstance(value, list | tuple) else (value,)
    return any(isinstance(text, str) and text.startswith(when) for text in values)
