"""What the rules of a pack are asked about: a resource as it was met, and then the whole."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from gpuinfra.cost import Quote
from gpuinfra.crossguard import convert
from gpuinfra.crossguard.total import Step
from gpuinfra.model import Plan, Resource
from gpuinfra.rules import Finding, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """A resource as the pack met it.

    Attributes:
        urn: its URN.
        name: its own name.
        step: what it does to the running total.
        plan: a plan of it alone, as far as it and what it refers to show it.
        quote: what that plan costs.
        waiting: tells what stands and was not registered so far; some of it may be going away.
    """

    urn: str
    name: str
    step: Step
    plan: Plan
    quote: Quote
    waiting: Callable[[], tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """All that a program registered.

    Attributes:
        resources: by URN, with the ids that are known.
        plan: what they hold.
        quote: what that costs.
        left_out: at a preview, what could not be counted before it was shown what it depends on.
        foreseen: whether this is a preview, after which an update judges again.
    """

    resources: Mapping[str, Resource]
    plan: Plan
    quote: Quote
    left_out: tuple[Met, ...]
    foreseen: bool

    def comes_later(self, finding: Finding, rule: Rule) -> bool:
        """Whether what decides a rule is a text that waits for something made in the update.

        That is so where every text that the rule reads and nobody knows yet, of the finding's
        subject and of all that it refers to, is written from other resources of the program.
        """
        if not (self.foreseen and rule.texts):
            return False
        waiting = [
            bool(one.relations.get(key))
            for one in self._around(finding.subject)
            for key in rule.texts
            if convert.unknown_inside(one.inputs.get(key))
        ]
        return bool(waiting) and all(waiting)

    def _around(self, subject: str) -> Iterable[Resource]:
        """A subject with all that it refers to, and what refers to that; all for the whole."""
        if subject not in self.resources:
            return self.resources.values()
        ahead = self._ahead({subject})
        behind = {
            one.urn
            for one in self.resources.values()
            if any(urn in ahead for urns in one.relations.values() for urn in urns)
        }
        return [self.resources[urn] for urn in self._ahead(ahead | behind)]

    def _ahead(self, subjects: set[str]) -> set[str]:
        """Resources with all that they refer to, if through others."""
        met: set[str] = set()
        waiting = list(subjects)
        while waiting:
            urn = waiting.pop()
            if urn in self.resources and urn not in met:
                met.add(urn)
                relations = self.resources[urn].relations
                waiting += [one for urns in relations.values() for one in urns]
        return met
