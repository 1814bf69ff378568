"""The test that accepts edits: they remove findings, add none, and raise no cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpuinfra.fixes.fix import FindingKey
from gpuinfra.fixes.trials import PlanAndQuote, TrialOutcome
from gpuinfra.rules import RULES

CAPS: Final = frozenset(rule.id for rule in RULES if rule.id.startswith("cap-"))
"""The rules that hold a figure against what it may be."""


Accept = Callable[[TrialOutcome], bool]
"""Decides on edits by what a stack comes to with them."""


@dataclass(frozen=True)
class Removal:
    """The test that the findings of `removed_findings` are removed and that no finding is added.

    `accepts_higher_cost` accepts a higher cost while findings remain: for edits that are combined
    with others.
    """

    before: TrialOutcome
    removed_findings: frozenset[FindingKey]
    accepts_higher_cost: bool = False

    def __call__(self, outcome_after: TrialOutcome) -> bool:
        """Return whether the findings are removed, none is added, and nothing becomes hidden."""
        outcome_before, was_planned = self.before, self.before.judged is not None
        new = (
            outcome_after.open_findings - outcome_before.open_findings
            if was_planned
            else outcome_after.refusing_findings
        )
        hides_findings = outcome_before.judged_subjects - outcome_after.judged_subjects or (
            was_planned and outcome_after.unjudged_subjects - outcome_before.unjudged_subjects
        )
        is_judged = outcome_after.judged is not None and not hides_findings
        settled = (
            is_judged
            and not new
            and self.removed_findings <= outcome_before.removed_by(outcome_after)
        )
        cost_counts = outcome_after.refusing_findings and not self.accepts_higher_cost
        return settled and (
            not cost_counts or _no_dearer(outcome_before, outcome_after, self.removed_findings)
        )

    def is_ruled_out(self, exceeded_caps: frozenset[FindingKey]) -> bool:
        """Return whether an exceeded cap has to be met, or was met before."""
        allowed_findings = (
            self.before.open_findings
            if self.before.judged is not None
            else frozenset[FindingKey]()
        )
        return bool(exceeded_caps & self.removed_findings or exceeded_caps - allowed_findings)


def _no_dearer(
    outcome_before: TrialOutcome, outcome_after: TrialOutcome, targets: frozenset[FindingKey]
) -> bool:
    """Return whether the findings that remain are no worse with an edit.

    No workload but those that the findings are about costs more, and nothing does in total while
    a cap still refuses.
    """
    if outcome_before.judged is None or outcome_after.judged is None:
        return True
    quote_before, quote_after = outcome_before.judged.quote, outcome_after.judged.quote
    subjects = {subject for _, subject in targets}
    costs_before = costs(outcome_before.judged)
    if any(
        costs_before.get(subject, cost) < cost
        for subject, cost in costs(outcome_after.judged).items()
        if subject not in subjects
    ):
        return False
    if not any(rule in CAPS for rule, _ in outcome_after.refusing_findings):
        return True
    pairs = (
        (quote_before.per_hour, quote_after.per_hour),
        (quote_before.per_month, quote_after.per_month),
        (quote_before.per_run, quote_after.per_run),
    )
    return all(old is None or new is None or new.ceiling <= old.ceiling for old, new in pairs)


def costs(plan_and_quote: PlanAndQuote) -> Mapping[str, Decimal]:
    """Return the maximum hourly cost of each group's machines, by subject, if known."""
    subjects = {group.name: group.subject for group in plan_and_quote.plan.groups}
    highest: dict[str, Decimal] = {}
    for rung in plan_and_quote.quote.rungs:
        if rung.machines_per_hour is not None and rung.group in subjects:
            subject = subjects[rung.group]
            highest[subject] = max(
                highest.get(subject, rung.machines_per_hour), rung.machines_per_hour
            )
    return highest
