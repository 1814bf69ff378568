"""The inputs of a pack's rules: one resource as it is shown, and then the whole stack."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from gpuinfra.cost import Quote
from gpuinfra.crossguard.running_costs import CostStep
from gpuinfra.model import Plan, Resource
from gpuinfra.records import record
from gpuinfra.rules import Finding, Rule
from gpuinfra.rules.deferred import DeferredAnswers


@record
class PolicyResource:
    """A resource as it was shown to the pack.

    Attributes:
        urn: its URN.
        name: its own name.
        step: what it does to the running total.
        plan: a plan of it alone, as far as it and what it refers to show it.
        quote: tells what that plan costs; few resources are asked for it.
        unregistered_resources: returns the existing, unregistered resources; some may be deleted.
    """

    urn: str
    name: str
    step: CostStep
    plan: Plan
    quote: Callable[[], Quote]
    unregistered_resources: Callable[[], tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class PolicyStack:
    """All resources that a program registered.

    Attributes:
        resources: by URN, with the ids that are known.
        plan: what they hold.
        quote: what that costs.
        uncounted: at a preview, what could not be counted before it was shown what it depends on.
        is_preview: whether this is a preview, after which an update judges again.
    """

    resources: Mapping[str, Resource]
    plan: Plan
    quote: Quote
    uncounted: tuple[PolicyResource, ...]
    is_preview: bool

    def comes_later(self, finding: Finding, rule: Rule) -> bool:
        """Return whether a finding depends on text that is only written during the update."""
        return self.is_preview and self._deferred_answers.depends_on_update(finding, rule)

    @cached_property
    def _deferred_answers(self) -> DeferredAnswers:
        return DeferredAnswers(
            self.resources, lambda resource, key: bool(resource.relations.get(key))
        )
