"""The findings of a preview that are decided by text that is known only during the update."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Final

from gpuinfra.clouds.observing.values import unknown_inside
from gpuinfra.model import Resource
from gpuinfra.rules.rule import Finding, Rule
from gpuinfra.rules.verdict import Verdict

IsWritten = Callable[[Resource, str], bool]
"""Whether an input that is not known yet is written from resources that the update makes."""

DEFERRED_REASON: Final = (
    "known only during the update, because the text contains values of resources created then"
)
FIX: Final = (
    "check the update with a policy pack (gpuinfra policy new), or the state after it "
    "(pulumi stack export)"
)


class DeferredAnswers:
    """The resources of a preview; they decide which findings wait for the update.

    Many findings may be asked about: the related resources are looked up once.
    """

    def __init__(self, resources: Mapping[str, Resource], is_written: IsWritten) -> None:
        self._resources = resources
        self._is_written = is_written
        self._seen: dict[tuple[str, tuple[str, ...]], frozenset[bool]] = {}

    @cached_property
    def _behind(self) -> Mapping[str, Collection[str]]:
        """The URNs of the resources that refer to each; few previews have to know them."""
        behind: defaultdict[str, set[str]] = defaultdict(set)
        for resource in self._resources.values():
            for urn in _refers_to(resource):
                behind[urn].add(resource.urn)
        return behind

    def depends_on_update(self, finding: Finding, rule: Rule) -> bool:
        """Return whether a finding depends on text that is only written during the update.

        That is so where every text that the rule reads and that is not known yet, of the finding's
        subject, of all that it refers to, and of what refers to that, is written from resources
        that the update makes. What refers to nothing may belong to any subject, by a name.
        A rule that reads its subject's own texts leaves the others out.
        """
        if finding.outcome != "not-knowable" or not rule.text_inputs:
            return False
        if finding.subject in self._resources and rule.reads_own_texts:
            states = set(self._unknown_texts_of([finding.subject], rule.text_inputs))
        elif finding.subject in self._resources:
            ahead = self._referenced_urns({finding.subject})
            hidden_inputs = {
                text for urn in ahead for text in self._unknown_texts_near(urn, rule.text_inputs)
            }
            states = hidden_inputs | self._states_of_unlinked(rule.text_inputs)
        else:
            states = set(self._unknown_texts_of(self._resources, rule.text_inputs))
        return states == {True}

    def _unknown_texts_near(self, urn: str, texts: tuple[str, ...]) -> frozenset[bool]:
        """Return, for each unknown text near a resource, whether the update writes it."""
        key = (urn, texts)
        if key not in self._seen:
            related_urns = self._referenced_urns([urn, *self._behind.get(urn, ())])
            self._seen[key] = frozenset(self._unknown_texts_of(related_urns, texts))
        return self._seen[key]

    def _states_of_unlinked(self, texts: tuple[str, ...]) -> frozenset[bool]:
        """Return whether the update writes each unknown text of unreferencing resources."""
        key = ("", texts)
        if key not in self._seen:
            unlinked_urns = (
                urn for urn, resource in self._resources.items() if not any(_refers_to(resource))
            )
            self._seen[key] = frozenset(self._unknown_texts_of(unlinked_urns, texts))
        return self._seen[key]

    def _unknown_texts_of(self, urns: Iterable[str], texts: tuple[str, ...]) -> Iterator[bool]:
        """Yield, for each text that is still unknown, whether the update writes it."""
        for urn in urns:
            resource = self._resources[urn]
            for key in texts:
                if unknown_inside(resource.inputs.get(key)):
                    yield self._is_written(resource, key)

    def _referenced_urns(self, urns: Collection[str]) -> set[str]:
        """Return the URNs of resources and of all that they refer to, directly or indirectly."""
        visited: set[str] = set()
        waiting = list(urns)
        while waiting:
            urn = waiting.pop()
            if urn in self._resources and urn not in visited:
                visited.add(urn)
                waiting += _refers_to(self._resources[urn])
        return visited


def mark_deferred(verdict: Verdict, rules: Iterable[Rule], foreseen: DeferredAnswers) -> Verdict:
    """Return the verdict with findings that wait for the update marked and made advisory."""
    by_id = {rule.id: rule for rule in rules}

    def defer_finding(finding: Finding) -> Finding:
        rule = by_id.get(finding.rule)
        if rule is None or not foreseen.depends_on_update(finding, rule):
            return finding
        message = f"{finding.message}: {DEFERRED_REASON}"
        return replace(finding, level="advisory", is_deferred=True, message=message, fix=FIX)

    findings = (
        defer_finding(finding) if finding.outcome == "not-knowable" else finding
        for finding in verdict.findings
    )
    return replace(verdict, findings=tuple(findings))


def _refers_to(resource: Resource) -> Iterator[str]:
    return (urn for urns in resource.relations.values() for urn in urns)
