"""One resource's part of a running total, and what the total asks of the resources' world."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from gpuinfra.clouds.observing.reservation_use import Occupancy
from gpuinfra.crossguard.cost import NOTHING, Cost
from gpuinfra.model import Known, Resource
from gpuinfra.records import record


class PricedResources(Protocol):
    """Resources that may refer to each other, and what each one costs among the others."""

    def add(self, resource: Resource, formerly: str = "") -> None:
        """Add a resource, or what is newly known of it, in place of what had its former URN."""
        ...

    def cost(self, resource: Resource) -> Cost:
        """What the resource costs, with what it refers to in this world."""
        ...

    def keeps(self, resource: Resource) -> bool:
        """Whether it keeps machines, which cost nothing more once others use them."""
        ...

    def kept_cost(self, resource: Resource, used: int) -> Cost:
        """What it costs to keep machines beside so many that use them."""
        ...

    def occupancy(self, resource: Resource) -> Occupancy:
        """The machines that surely run in what is kept."""
        ...

    def names(self, resource: Resource) -> Iterable[str]:
        """What other resources may call it, for example its id."""
        ...

    def named_by(self, resource: Resource) -> Iterable[str]:
        """The texts in its inputs, any of which may be the name of another resource."""
        ...


@dataclass(slots=True)
class Share:
    """One resource's part of the total."""

    before: Cost = NOTHING
    after: Cost = NOTHING
    twice: Known = False

    @property
    def cost(self) -> Cost:
        """What it counts with: old and new, where both may stand, or else the larger one."""
        if self.twice:
            return self.before + self.after
        return self.before.growing_to(self.after)

    @property
    def unknown(self) -> Counter[str]:
        """How often each reason stands: old and new may be unknown for the same one."""
        reasons = (*self.before.unknown, *self.after.unknown)
        if self.twice is True or self.after.may_exceed(self.before):
            return Counter(reasons)
        # No more than what stood: renamed, its reason would differ by the name alone.
        return Counter(dict.fromkeys(self.before.unknown or reasons).keys())

    def change(self, before: Cost | None, after: Cost | None, twice: Known | None) -> Cost:
        """Take over what is known anew, None for what stays; gives what its cost grows by."""
        old, old_unknown = self.cost, self.unknown
        self.before = self.before if before is None else before
        self.after = self.after if after is None else after
        self.twice = self.twice if twice is None else twice
        return Cost(
            per_hour=self.cost.per_hour - old.per_hour,
            per_month=self.cost.per_month - old.per_month,
            unknown=tuple(self.unknown - old_unknown),
        )


def passed_on(group: Share, before: Cost, after: Cost) -> Cost | None:
    """What a group takes over of the machines that another resource brings it, or gives it.

    None where it is nothing, or not only for machines of one price.

    Args:
        group: as it was and as it becomes.
        before: what the other one brings as it was.
        after: what it brings as it becomes.
    """
    costs = [group.before, group.after, before, after]
    paid = [cost for cost in costs if cost.machines or not cost.nothing]
    if not paid or not all(cost.has_price_of(paid[0]) for cost in paid):
        return None
    more = group.after.machines - group.before.machines
    fewer = before.machines - after.machines
    if more * fewer <= 0:
        return None
    return paid[0].of(min(more, fewer) if more > 0 else max(more, fewer))


@record
class Step:
    """What one resource does to the total.

    Attributes:
        total: all that stands or was allowed, this resource included.
        growth: what this resource adds, directly and through what already refers to it.
        twice: the resource may be replaced, so old and new count both.
        stays: the resource stands, and is changed in place.
        moves: reservations that it moves into or out of, which count beside it.
        endless: groups whose month counts in full though they are said to end.
        unmatched: ids of reservations that it names, which may be those of reservations that
            this update made; the state does not tell.
    """

    total: Cost
    growth: Cost
    twice: bool
    stays: bool = False
    moves: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    endless: tuple[str, ...] = ()
