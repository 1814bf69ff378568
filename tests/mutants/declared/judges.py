"""Who may notice a mutant: the rules and the quote, schemas, the order, and what has to fit."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final
from unittest import mock

from gpuinfra.cost import PricingTerms, Quote, estimate
from gpuinfra.graph import NO_OPTIONS, ResourceGraph, references
from gpuinfra.model import Plan
from gpuinfra.planning import choices, from_resources, observed_plan, stack_graph, with_facts
from gpuinfra.planning.graph_rows import rows
from gpuinfra.planning.observed_plan import observed_usage
from gpuinfra.planning.usage import to_usage
from gpuinfra.rules import judge
from gpuinfra.specs import Stack
from tests import witnesses
from tests.clouds.test_deletion_order import too_early
from tests.witnesses import fit

TODAY: Final = date(2026, 11, 21)
Complaints = Callable[[ResourceGraph], Iterable[Any]]


OTHERS: Final[dict[str, Complaints]] = {
    "schema": witnesses.complaints,
    "order": too_early,
    "fit": fit.complaints,
}
"""The judges beside the rules and the quote. Without one of them nothing is measured."""


@dataclass(slots=True)
class Judges:
    """Everything that judges the graph of one stack.

    Args:
        stack: what its file says.
    """

    stack: Stack
    plan: Plan = field(init=False)
    graph: ResourceGraph = field(init=False)
    complaints: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        """Judge the stack as it is."""
        self.plan = choices(self.stack)
        self.graph = stack_graph(self.stack, self.plan)
        self.complaints = {name: ask(self.graph) for name, ask in self._judges().items()}

    def _judges(self) -> dict[str, Callable[[ResourceGraph], Any]]:
        others = {name: _counted(ask) for name, ask in OTHERS.items()}
        return {"rules": self._judged, **others}

    def notices(self, graph: ResourceGraph) -> str:
        """Who notices that a graph differs: expressions, rules, quote, schema, order or fit.

        The first of them; empty if none does. A rule that says the same in other words, or no
        longer speaks of something, has noticed nothing: it has to refuse, to note or not to
        know. An expression notices by raising an exception, which no deployment survives.
        """
        try:
            rows(graph)
        except Exception:  # noqa: BLE001
            return "expressions"
        after, before = self._judged(graph), self.complaints["rules"]
        if _more(after[0], before[0]):
            return "rules"
        if after[1] != before[1]:
            return "quote"
        return next((name for name in OTHERS if self._sees(name, graph)), "")

    def _sees(self, name: str, graph: ResourceGraph) -> bool:
        """Whether a judge beside the rules sees a difference; what it raises ends the run."""
        ask = _counted(OTHERS[name])
        if name == "order" and not self._moved(graph):
            return False
        if name == "schema":
            return self._refused(graph, ask)
        return _more(ask(graph), self.complaints[name])

    def _moved(self, graph: ResourceGraph) -> bool:
        """Whether any resource refers to or depends on others than before, or is gone."""
        was = self.graph.resources
        return len(was) != len(graph.resources) or any(
            set(references(resource)) != set(references(was[key]))
            for key, resource in graph.resources.items()
            if resource is not was[key]
        )

    def _refused(self, graph: ResourceGraph, ask: Callable[[ResourceGraph], Any]) -> bool:
        """Whether a schema refuses a resource that differs; of others it sees the types alone."""
        was = self.graph.resources
        changed = {key for key, resource in graph.resources.items() if resource is not was[key]}
        named = changed.union(*(references(graph.resources[key]) for key in changed))
        part = {
            key: resource if key in changed else replace(resource, inputs={}, options=NO_OPTIONS)
            for key, resource in graph.resources.items()
            if key in named
        }
        messages = ask(ResourceGraph(part)) - self.complaints["schema"]
        return any(words.partition(": ")[0] in changed for words in messages)

    def _judged(self, graph: ResourceGraph) -> tuple[Any, Any]:
        """What the rules refuse, note or do not know, and the quote with what is not judged."""
        plan = self._observed(graph)
        quote = estimate(plan, PricingTerms(as_of=TODAY, accept_outdated=True))
        verdict = judge(
            plan, quote, settings=self.stack.rules, waivers=self.stack.waivers, today=TODAY
        )
        findings = Counter(
            (finding.rule, finding.subject, finding.outcome, finding.message)
            for finding in verdict.findings
            if finding.outcome in {"violated", "not-knowable", "noted"}
        )
        return findings, (_priced(quote), plan.not_judged)

    def _observed(self, graph: ResourceGraph) -> Plan:
        """The plan that `check` of a stack file judges; where no group is left, of strangers."""
        with mock.patch.object(observed_plan, "stack_graph", return_value=graph):
            try:
                return with_facts(self.stack, self.plan)
            except (ValueError, KeyError):
                return from_resources(
                    rows(graph),
                    name=self.plan.name,
                    caps=self.plan.caps,
                    usage=observed_usage(to_usage(self.stack)),
                    owner=self.plan.owner,
                )


def _priced(quote: Quote) -> tuple[Any, ...]:
    lines = sorted(
        (
            line.name,
            line.kind,
            line.item,
            line.region,
            str(line.quantity),
            line.status,
            str(line.rate),
        )
        for line in quote.lines
    )
    totals = (quote.per_hour, quote.per_month, quote.per_run)
    return lines, totals, quote.unpriced, quote.warnings


def _counted(ask: Complaints) -> Callable[[ResourceGraph], Any]:
    def count(graph: ResourceGraph) -> Counter[str]:
        return Counter(map(str, ask(graph)))

    return count


def _more(after: Counter[str], before: Counter[str]) -> bool:
    return bool(after - before)
