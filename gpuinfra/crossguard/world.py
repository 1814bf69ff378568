"""Resources that may refer to each other, and what each one adds to a plan and its price."""

from collections.abc import Callable

from gpuinfra.clouds import part
from gpuinfra.cost import Quote
from gpuinfra.crossguard.total import Cost
from gpuinfra.model import Caps, NotJudged, Plan, Resource, Usage
from gpuinfra.planning.resources import observers, own_word
from gpuinfra.rules.waivers import short_name


class Rooms:
    """The resources known so far, in every cloud that can observe."""

    def __init__(self, usage: Usage, estimate: Callable[[Plan], Quote]) -> None:
        self._usage = usage
        self._estimate = estimate
        self._observers = [part(cloud, "observe") for cloud in observers()]
        self._indexes = [observer.Index() for observer in self._observers]

    def add(self, resource: Resource) -> None:
        """Add a resource, or what is newly known of it."""
        for index in self._indexes:
            index.add(resource)

    def cost(self, resource: Resource) -> Cost:
        """What the resource costs at most, with what it refers to."""
        plan = self.plan(resource, Caps())
        quote = self._estimate(plan)
        return Cost(
            per_hour=quote.per_hour.ceiling,
            per_month=quote.per_month.ceiling,
            unknown=tuple(f"{short_name(resource.urn)}: {reason}" for reason in quote.unpriced),
        )

    def plan(self, resource: Resource, caps: Caps) -> Plan:
        """A plan of this one resource alone, as far as it and what it refers to show it."""
        found = [
            observer.groups_and_items(resource, index, self._usage)
            for observer, index in zip(self._observers, self._indexes, strict=True)
        ]
        missing: tuple[NotJudged, ...] = ()
        if found and all(rows.not_judged for rows in found):
            missing = (own_word([rows.not_judged[0] for rows in found]),)
        return Plan(
            name=resource.name,
            owner=None,
            caps=caps,
            groups=tuple(group for rows in found for group in rows.groups),
            items=tuple(item for rows in found for item in rows.items),
            not_judged=missing,
        )


def is_judged(resource_type: str) -> bool:
    """Whether some cloud's tables know the type."""
    return any(resource_type in part(cloud, "observe").TYPES for cloud in observers())
