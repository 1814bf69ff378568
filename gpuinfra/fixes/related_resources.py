"""The resources that relate to a finding: its subject, its references and its referrers."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from gpuinfra.clouds.observing.values import texts_in
from gpuinfra.model import Resource

DEEP: Final = 3
"""From a group over its template to a role and its policy."""


@dataclass
class RelatedResources:
    """The resources of a stack, and their references to each other by relation and by id."""

    resources: Sequence[Resource]
    _by_urn: dict[str, Resource] = field(init=False)
    _by_id: dict[str, list[str]] = field(init=False)
    _targets: dict[str, tuple[str, ...]] = field(init=False)
    _referrers: dict[str, list[str]] = field(init=False)

    def __post_init__(self) -> None:
        self._by_urn = {resource.urn: resource for resource in self.resources}
        self._by_id = defaultdict(list)
        for resource in self.resources:
            for output_text in filter(None, map(resource.outputs.get, ("id", "arn", "selfLink"))):
                if isinstance(output_text, str):
                    self._by_id[output_text].append(resource.urn)
        self._targets = {
            resource.urn: tuple(dict.fromkeys(self._references(resource)))
            for resource in self.resources
        }
        self._referrers = defaultdict(list)
        for urn, targets in self._targets.items():
            for target in targets:
                self._referrers[target].append(urn)

    def resources_about(self, subject: str) -> tuple[Resource, ...]:
        """Return the subject, the resources that it reaches, and those that refer to them.

        Of a subject that is no resource, for example the stack, all.
        """
        if subject not in self._by_urn:
            return tuple(self.resources)
        reached_resources = self.reached_urns(subject)
        referrers = [
            referrer for urn in reached_resources for referrer in self._referrers.get(urn, ())
        ]
        further = [target for urn in referrers for target in self._targets[urn]]
        urns = dict.fromkeys((*reached_resources, *referrers, *further))
        return tuple(self._by_urn[urn] for urn in urns)

    def reached_urns(self, subject: str) -> dict[str, None]:
        """Return the URNs of a resource and of those that it reaches, in this order."""
        urn_set = {subject: None}
        edge = [subject]
        for _ in range(DEEP):
            edge = [
                target
                for urn in edge
                for target in self._targets.get(urn, ())
                if target not in urn_set
            ]
            urn_set |= dict.fromkeys(edge)
        return urn_set

    def _references(self, resource: Resource) -> Iterator[str]:
        for targets in resource.relations.values():
            yield from (target for target in targets if target in self._by_urn)
        if self._by_id:
            for text in texts_in(resource.inputs):
                yield from self._by_id.get(text, ())
