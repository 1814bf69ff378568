"""A resource's share of a running total, and the interface of the resources it needs."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from gpuinfra.clouds.observing.reservation_use import Occupancy
from gpuinfra.crossguard.update_cost import ZERO_COST, Cost
from gpuinfra.model import Known, Resource
from gpuinfra.records import record


class PricedResources(Protocol):
    """Resources that may refer to each other, and the cost of each one."""

    def add(self, resource: Resource, former_urn: str = "") -> None:
        """Add a resource, or replace an earlier version of it, also under a former URN."""
        ...

    def cost(self, resource: Resource) -> Cost:
        """Return the maximum cost of the resource, with the resources that it refers to."""
        ...

    def reserves(self, resource: Resource) -> bool:
        """Return whether a resource reserves machines, which cost no more once others use them."""
        ...

    def kept_cost(self, resource: Resource, used_machines: int) -> Cost:
        """Return the cost of reserved capacity that remains unused by that many machines."""
        ...

    def occupancy(self, resource: Resource) -> Occupancy:
        """Return the machines that are certain to run in the reserved capacity."""
        ...

    def names(self, resource: Resource) -> Iterable[str]:
        """Return the names by which others may refer to a resource, for example its id."""
        ...

    def named_by(self, resource: Resource) -> Iterable[str]:
        """Return the texts in a resource's inputs, any of which may be another's name."""
        ...


@dataclass(slots=True)
class Share:
    """A resource's share of the total."""

    before: Cost = ZERO_COST
    after: Cost = ZERO_COST
    counted_twice: Known = False

    @property
    def cost(self) -> Cost:
        """The cost that counts: old plus new where both may exist, or else the higher one."""
        if self.counted_twice:
            return self.before + self.after
        return self.before.growing_to(self.after)

    @property
    def unknown(self) -> Counter[str]:
        """The reasons why the cost is unknown, each with how often it counts."""
        reasons = (*self.before.unknown, *self.after.unknown)
        if self.counted_twice is True or self.after.may_exceed(self.before):
            return Counter(reasons)
        # No more than what stood: renamed, its reason would differ by the name alone.
        return Counter(dict.fromkeys(self.before.unknown or reasons).keys())

    def change(
        self, cost_before: Cost | None, cost_after: Cost | None, twice: Known | None
    ) -> Cost:
        """Set the values that are not None, and return the increase in cost."""
        old, old_unknown = self.cost, self.unknown
        self.before = self.before if cost_before is None else cost_before
        self.after = self.after if cost_after is None else cost_after
        self.counted_twice = self.counted_twice if twice is None else twice
        return Cost(
            per_hour=self.cost.per_hour - old.per_hour,
            per_month=self.cost.per_month - old.per_month,
            unknown=tuple(self.unknown - old_unknown),
        )


def transferred_cost(group: Share, cost_before: Cost, cost_after: Cost) -> Cost | None:
    """Return the cost of machines that pass between a group and another resource; None for none.

    None where it is nothing, or not only for machines of one price.

    Args:
        group: as it was and as it becomes.
        cost_before: what the other one brings as it was.
        cost_after: what it brings as it becomes.
    """
    costs = [group.before, group.after, cost_before, cost_after]
    paid = [cost for cost in costs if cost.machines or not cost.adds_nothing]
    if not paid or not all(cost.has_price_of(paid[0]) for cost in paid):
        return None
    added_machines = group.after.machines - group.before.machines
    fewer = cost_before.machines - cost_after.machines
    if added_machines * fewer <= 0:
        return None
    return paid[0].for_machines(min(added_machines, fewer, key=abs))


@record
class CostStep:
    """The effect of one resource on the total.

    Attributes:
        total: all that exists or was allowed, this resource included.
        growth: what this resource adds, directly and through what already refers to it.
        counted_twice: the resource may be replaced, so old and new count both.
        updated_in_place: the resource exists and is changed in place.
        moved_reservations: reservations that it moves into or out of, which count beside it.
        endless_groups: groups whose month counts in full though they are said to end.
        unknown_reservations: ids of reservations that it names, which may be those of reservations
            that this update made; the state does not tell.
    """

    total: Cost
    growth: Cost
    counted_twice: bool
    updated_in_place: bool
    moved_reservations: tuple[str, ...] = ()
    unknown_reservations: tuple[str, ...] = ()
    endless_groups: tuple[str, ...] = ()
