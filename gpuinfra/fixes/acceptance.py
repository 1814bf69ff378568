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

    def __call__(self, after: TrialOutcome) -> bool:
        """Return whether the findings are removed, none is added, and nothing becomes hidden."""
        before, planned = self.before, self.before.judged is not None
        new = after.open_findings - before.open_findings if planned else after.refusing_findings
        hidden = before.judged_subjects - after.judged_subjects or (
            planned and after.unjudged_subjects - before.unjudged_subjects
        )
        is_judged = after.judged is not None and not hidden
        settled = is_judged and self.removed_findings.isdisjoint(after.open_findings) and not new
        cost_counts = after.refusing_findings and not self.accepts_higher_cost
        return settled and (not cost_counts or _no_dearer(before, after, self.removed_findings))

    def is_ruled_out(self, exceeded_caps: frozenset[FindingKey]) -> bool:
        """Return whether an exceeded cap has to be met, or was met before."""
        allowed_findings = (
            self.before.open_findings
            if self.before.judged is not None
            else frozenset[FindingKey]()
        )
        return bool(exceeded_caps & self.removed_findings or exceeded_caps - allowed_findings)


def _no_dearer(before: TrialOutcome, after: TrialOutcome, targets: frozenset[FindingKey]) -> bool:
    """Return whether the findings that remain are no worse with an edit.

    No workload but those that the findings are about costs more, and nothing does in total while
    a cap still refuses.
    """
    if before.judged is None or after.judged is None:
        return True
    was, now = before.judged.quote, after.judged.quote
    subjects = {subject for _, subject in targets}
    costs_before = costs(before.judged)
    if any(
        costs_before.get(subject, cost) < cost
        for subject, cost in costs(after.judged).items()
        if subject not in subjects
    ):
        return False
    if not any(rule in CAPS for rule, _ in after.refusing_findings):
        return True
    pairs = (
        (was.per_hour, now.per_hour),
        (was.per_month, now.per_month),
        (was.per_run, now.per_run),
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
