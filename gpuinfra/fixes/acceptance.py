"""The test that accepts edits: they remove findings, add none, and raise no cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpuinfra.fixes.fix import FindingKey
from gpuinfra.fixes.trials import Outcome, PlanAndQuote
from gpuinfra.rules import RULES

CAPS: Final = frozenset(rule.id for rule in RULES if rule.id.startswith("cap-"))
"""The rules that hold a figure against what it may be."""


Accept = Callable[[Outcome], bool]
"""Decides on edits by what a stack comes to with them."""


@dataclass(frozen=True)
class Removal:
    """The test that the findings of `gone` are removed and that no finding is added."""

    before: Outcome
    gone: frozenset[FindingKey]

    def __call__(self, after: Outcome) -> bool:
        """Return whether the findings are removed, none is added, and nothing becomes hidden."""
        before, planned = self.before, self.before.judged is not None
        new = after.bad - before.bad if planned else after.refuses
        hidden = before.holds - after.holds or (planned and after.unjudged - before.unjudged)
        judged = after.judged is not None and not hidden
        settled = judged and self.gone.isdisjoint(after.bad) and not new
        return settled and (not after.refuses or _no_dearer(before, after, self.gone))

    def is_ruled_out(self, exceeded: frozenset[FindingKey]) -> bool:
        """Return whether an exceeded cap has to be met, or was met before."""
        kept = self.before.bad if self.before.judged is not None else frozenset[FindingKey]()
        return bool(exceeded & self.gone or exceeded - kept)


def _no_dearer(before: Outcome, after: Outcome, targets: frozenset[FindingKey]) -> bool:
    """Return whether the findings that remain are no worse with an edit.

    No workload but those that the findings are about costs more, and nothing does in total while
    a cap still refuses.
    """
    if before.judged is None or after.judged is None:
        return True
    was, now = before.judged.quote, after.judged.quote
    about = {subject for _, subject in targets}
    then = costs(before.judged)
    if any(
        then.get(subject, cost) < cost
        for subject, cost in costs(after.judged).items()
        if subject not in about
    ):
        return False
    if not any(rule in CAPS for rule, _ in after.refuses):
        return True
    pairs = (
        (was.per_hour, now.per_hour),
        (was.per_month, now.per_month),
        (was.per_run, now.per_run),
    )
    return all(old is None or new is None or new.ceiling <= old.ceiling for old, new in pairs)


def costs(judged: PlanAndQuote) -> Mapping[str, Decimal]:
    """Return the maximum hourly cost of each group's machines, by subject, if known."""
    subjects = {group.name: group.subject for group in judged.plan.groups}
    highest: dict[str, Decimal] = {}
    for rung in judged.quote.rungs:
        if rung.machines_per_hour is not None and rung.group in subjects:
            subject = subjects[rung.group]
            highest[subject] = max(
                highest.get(subject, rung.machines_per_hour), rung.machines_per_hour
            )
    return highest
