"""The running total of an update: what stands until it is deleted, and what was allowed so far."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain
from typing import Generic, Protocol, TypeVar

from gpuinfra.clouds.observing.values import texts_in
from gpuinfra.crossguard.change import stands_twice
from gpuinfra.crossguard.cost import NOTHING, Cost
from gpuinfra.crossguard.state import StandingResource
from gpuinfra.model import Known, Resource
from gpuinfra.records import record


class World(Protocol):
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

    def names(self, resource: Resource) -> Iterable[str]:
        """What other resources may call it, for example its id."""
        ...


W = TypeVar("W", bound=World)


@dataclass(slots=True)
class _Share:
    """One resource's part of the total."""

    before: Cost = NOTHING
    after: Cost = NOTHING
    twice: Known = False

    @property
    def cost(self) -> Cost:
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


@record
class Step:
    """What one resource does to the total.

    Attributes:
        total: all that stands or was allowed, this resource included.
        growth: what this resource adds, directly and through what already refers to it.
        twice: the resource may be replaced, so old and new count both.
    """

    total: Cost
    growth: Cost
    twice: bool


class RunningTotal(Generic[W]):
    """Counts an update up, resource by resource.

    What stands counts until the update ends, because Pulumi creates before it deletes. A
    resource that stays counts once, at the larger of its old and new cost; one that may be
    replaced counts twice, unless the old one is deleted first. A create that an interrupted run
    began counts beside everything else: its outcome is unknown.
    """

    def __init__(self, standing: Iterable[StandingResource], world: Callable[[], W]) -> None:
        """Start with what stands.

        Args:
            standing: what the stack's state says.
            world: makes an empty world; one is kept as things are, one as they are becoming.
        """
        self._world = world
        self.becoming = world()
        self._shares: defaultdict[str, _Share] = defaultdict(_Share)
        self._unknown: dict[str, tuple[str, ...]] = {}
        self._per_hour = self._per_month = Decimal(0)
        self._current: dict[str, StandingResource] = {}
        self._registered: dict[str, Resource] = {}
        self._keys: dict[str, str] = {}
        self._seen: set[str] = set()
        self._keepers: dict[str, str] = {}
        self._standing: dict[str, Resource] = {}
        self._referrers: defaultdict[str, list[str]] = defaultdict(list)
        """What stands, by the URNs that its inputs come from and by the texts in them."""
        self._start(
            [(resource, _keyed(resource, number)) for number, resource in enumerate(standing)],
            world(),
        )

    def _start(self, standing: list[tuple[StandingResource, Resource]], as_is: W) -> None:
        for one, resource in standing:
            as_is.add(resource)
            self._standing[resource.urn] = resource
            if resource is one.resource or one.unfinished != "updating":
                # What waits for its delete starts what its template says meanwhile, too.
                for goal in {*chain(*resource.relations.values()), *texts_in(resource.inputs)}:
                    self._referrers[goal].append(resource.urn)
        for one, resource in standing:
            # An interrupted update is the same resource, at its old or its new size.
            urn = one.resource.urn if one.unfinished == "updating" else resource.urn
            share, cost = self._shares[urn], as_is.cost(resource)
            self._count(urn, before=share.before.larger(cost))
            if one.leftover and cost.nothing:
                # What stays on it until it is deleted, for example on a template, has its price.
                self.becoming.add(resource)
        for one, resource in standing:
            if resource is one.resource:
                self._current[resource.urn] = one
                self.becoming.add(resource)
                if self.becoming.keeps(resource):
                    self._keepers[resource.urn] = resource.urn

    @property
    def total(self) -> Cost:
        """All that stands or was allowed so far."""
        unknown = dict.fromkeys(reason for all_of in self._unknown.values() for reason in all_of)
        return Cost(per_hour=self._per_hour, per_month=self._per_month, unknown=tuple(unknown))

    def see(self, resource: Resource, aliases: Iterable[str] = (), *, deletes_first: bool) -> Step:
        """Count a resource that the program registers, before it is created or changed.

        Args:
            resource: with its checked inputs.
            aliases: URNs under which it may stand already.
            deletes_first: a replacement of it deletes the old one before it creates the new.
        """
        again = resource.urn in self._keys
        if again:
            self.leave_out(resource.urn)
        key = next((urn for urn in (resource.urn, *aliases) if urn in self._current), resource.urn)
        old = self._current.get(key)
        goes_first = deletes_first and not (old is not None and old.retained)
        twice = False if old is None or goes_first else stands_twice(old, resource)
        if old is not None and (not twice or self.becoming.cost(resource).nothing):
            # What costs nothing counts for those that rest on it: they may know it by its old id.
            resource = resource.after(old.resource)
        if twice and key not in self._seen:
            # Until it is deleted, the old one starts what its template says by now.
            share = self._shares[key]
            share.before = share.before.larger(share.after)
        self._registered[resource.urn] = resource
        self._keys[resource.urn] = key
        self._seen.add(key)
        if key == resource.urn:
            self.becoming.add(resource)
        else:
            self._rename(key, resource)
        growth = self._count(
            key,
            before=self._until_deleted(key, old.resource) if old is not None and twice else None,
            after=self.becoming.cost(resource),
            twice=twice,
        )
        if old is not None and (twice or again or resource.inputs != old.resource.inputs):
            for other in self._resting_on(key):
                cost = self.becoming.cost(other)
                if not twice and not self.becoming.keeps(resource):
                    growth += self._take_over(key, other, cost)
                growth += self._count(other.urn, after=cost)
        growth += self._use_up()
        if self.becoming.keeps(resource):
            self._keepers.pop(key, None)
            self._keepers[resource.urn] = key
        return Step(total=self.total, growth=growth, twice=twice is not False)

    def _take_over(self, key: str, scaler: Resource, after: Cost) -> Cost:
        """Count the machines once that a group and its schedule or autoscaler pass to each other.

        A group of one machine that may get a second one, and then has three by itself, never had
        four. Only for machines of one price: what runs on beside cheaper ones counts with both.
        And only for what surely scales this group: a plain name may be that of several.
        """
        if (key,) not in scaler.relations.values():
            return NOTHING
        group, other = self._shares[key], self._shares[scaler.urn]
        costs = [group.before, group.after, other.before, after]
        paid = [cost for cost in costs if cost.machines or not cost.nothing]
        if not paid or not all(cost.has_price_of(paid[0]) for cost in paid):
            return NOTHING
        more = group.after.machines - group.before.machines
        fewer = other.before.machines - after.machines
        if more * fewer <= 0:
            return NOTHING
        count = min(more, fewer) if more > 0 else max(more, fewer)
        moved = paid[0].of(count)
        return self._count(key, before=group.before + moved) + self._count(
            scaler.urn, before=other.before.without(moved)
        )

    def _until_deleted(self, key: str, old: Resource) -> Cost | None:
        """What a replaced keeper costs until it is deleted: its machines may leave it for the new.

        None where it keeps nothing: it costs what it did.
        """
        if not self.becoming.keeps(old):
            return None
        alone = self._world()
        alone.add(old)
        return self._shares[key].before.larger(alone.cost(old))

    def _rename(self, key: str, resource: Resource) -> None:
        """What referred to a resource by its former URN refers to it by the new one."""
        self.becoming.add(resource, formerly=key)
        for urn in self._referrers[key]:
            other = self._standing[urn]
            relations = {
                prop: tuple(resource.urn if goal == key else goal for goal in goals)
                for prop, goals in other.relations.items()
            }
            self._standing[urn] = moved = replace(other, relations=relations)
            if urn in self._current and urn not in self._seen:
                self.becoming.add(moved)

    def _use_up(self) -> Cost:
        """Count anew what is kept, as far as the last resource may use it: it is paid once."""
        growth = NOTHING
        for urn, key in self._keepers.items():
            kept = self._registered.get(urn) or self._standing[urn]
            after = self.becoming.cost(kept)
            growth += self._count(key, after=after, twice=self._shares[key].twice)
        return growth

    def _resting_on(self, key: str) -> Iterator[Resource]:
        """What stands, was not registered so far, and refers to a resource, if through others."""
        met, queue = {key}, deque([key])
        while queue:
            for other in self._referring_to(queue.popleft()):
                if other.urn not in met:
                    met.add(other.urn)
                    queue.append(other.urn)
                    if other.urn not in self._seen:
                        yield other

    def _referring_to(self, key: str) -> Iterator[Resource]:
        """What stands and refers to a resource, by a property dependency or by a plain name."""
        known = self._current.get(key)
        names = () if known is None else self.becoming.names(known.resource)
        for goal in (key, *names):
            yield from (self._standing[urn] for urn in self._referrers.get(goal, ()))

    def nameless(self) -> Iterator[Resource]:
        """What was registered and may have outputs by now that others refer to it by."""
        return (
            resource
            for urn, resource in self._registered.items()
            if not resource.outputs or self._shares[self._keys[urn]].twice
        )

    def learn(self, standing: Iterable[StandingResource]) -> None:
        """Take over the outputs of what this update created so far, above all the ids."""
        for resource in standing:
            registered = self._registered.get(resource.resource.urn)
            if registered is not None and resource.current:
                known = registered.after(resource.resource)
                self._registered[resource.resource.urn] = known
                self.becoming.add(known)

    def waiting(self) -> tuple[str, ...]:
        """URNs of what stands, costs, and was not registered by the program so far."""
        return tuple(
            urn
            for urn, share in self._shares.items()
            if urn not in self._seen and not share.cost.nothing
        )

    def relate(self, relations: Mapping[str, Mapping[str, tuple[str, ...]]]) -> None:
        """Take over which resources each registered one depends on, by URN and input."""
        for urn, known in relations.items():
            if urn in self._registered:
                related = replace(self._registered[urn], relations=known)
                self._registered[urn] = related
                self.becoming.add(related)

    def leave_out(self, urn: str) -> None:
        """Uncount a resource and what rests on it, whose cost is not known yet."""
        key = self._keys[urn]
        self._keepers.pop(urn, None)
        self._count(key, after=NOTHING)
        for other in self._resting_on(key):
            self._count(other.urn, after=NOTHING)

    def _count(
        self,
        urn: str,
        *,
        before: Cost | None = None,
        after: Cost | None = None,
        twice: Known = False,
    ) -> Cost:
        """Set a resource's part of the total; gives what the total grows by."""
        share = self._shares[urn]
        old, old_unknown = share.cost, share.unknown
        share.before = share.before if before is None else before
        share.after = share.after if after is None else after
        share.twice = twice
        new = share.cost
        growth = Cost(
            per_hour=new.per_hour - old.per_hour,
            per_month=new.per_month - old.per_month,
            unknown=tuple(share.unknown - old_unknown),
        )
        self._per_hour += growth.per_hour
        self._per_month += growth.per_month
        if new.unknown:
            self._unknown[urn] = new.unknown
        else:
            self._unknown.pop(urn, None)
        return growth


def _keyed(resource: StandingResource, number: int) -> Resource:
    """The resource under a URN of its own: several may stand under one."""
    if resource.leftover:
        return replace(
            resource.resource, urn=f"{resource.resource.urn} (replaced, not yet deleted: {number})"
        )
    if resource.unfinished:
        return replace(
            resource.resource,
            urn=f"{resource.resource.urn} (still {resource.unfinished}: {number})",
        )
    return resource.resource
