"""The running total of an update: resources that exist, and those allowed so far."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import chain
from typing import Generic, TypeVar

from gpuinfra.crossguard.existing_resources import ExistingResource
from gpuinfra.crossguard.replacement import may_coexist
from gpuinfra.crossguard.reservation_tracker import Reservations, UpdateEffect
from gpuinfra.crossguard.running_costs import CostStep, PricedResources, Share, transferred_cost
from gpuinfra.crossguard.update_cost import ZERO_COST, Cost
from gpuinfra.model import Known, Resource

W = TypeVar("W", bound=PricedResources)


class RunningTotal(Generic[W]):
    """A running total that counts an update resource by resource.

    Existing resources count until the update ends, because Pulumi creates before it deletes. A
    resource that stays counts once, at the larger of its old and new cost; one that may be
    replaced counts twice, unless the old one is deleted first. A create that an interrupted run
    began counts beside everything else: its outcome is unknown.
    """

    def __init__(self, existing: Iterable[ExistingResource], world: Callable[[], W]) -> None:
        """Initialize the total with the existing resources.

        Args:
            existing: the resources in the stack's state.
            world: makes an empty world; one is kept as things are, one as they are becoming.
        """
        self.becoming = world()
        self._shares: defaultdict[str, Share] = defaultdict(Share)
        self._unknown: dict[str, tuple[str, ...]] = {}
        self._per_hour = self._per_month = Decimal(0)
        self._current: dict[str, ExistingResource] = {}
        self._registered: dict[str, Resource] = {}
        self._keys: dict[str, str] = {}
        self._seen: set[str] = set()
        self._existing: dict[str, Resource] = {}
        self._referrers: defaultdict[str, dict[str, None]] = defaultdict(dict)
        """URNs by those that their inputs come from, and by the names that they may contain."""
        self._left_out: dict[str, str] = {}
        self._recounted: dict[str, dict[str, Cost]] = {}
        """By the URN of what came later: what each one that it made dearer cost until then."""
        as_is = world()
        self.reservations = Reservations(as_is, self.becoming, self)
        known = [(old, old.with_unique_urn(number)) for number, old in enumerate(existing)]
        self._start(known, as_is)

    def _start(self, existing: list[tuple[ExistingResource, Resource]], as_is: W) -> None:
        for old, resource in existing:
            as_is.add(resource)
            self._existing[resource.urn] = resource
            if resource is old.resource or old.pending_operation != "updating":
                # What waits for its delete starts what its template says meanwhile, too.
                self._record_references(resource)
        for old, resource in existing:
            # An interrupted update is the same resource, at its old or its new size.
            urn = old.resource.urn if old.pending_operation == "updating" else resource.urn
            share, cost = self._shares[urn], as_is.cost(resource)
            self._set_share(urn, cost_before=share.before.maximum(cost))
            if keeps := as_is.reserves(resource):
                self.reservations.add_existing(urn, resource)
            if old.awaits_deletion or (keeps and urn != old.resource.urn):
                # What stays on it until it is deleted, for example on a template, has its price.
                self.becoming.add(resource)
        for old, resource in existing:
            if resource is old.resource:
                self._current[resource.urn] = old
                self.becoming.add(resource)
        self.reservations.record_occupancy({resource.urn: old for old, resource in existing})
        self._recount_reservations()

    def _record_references(self, resource: Resource) -> None:
        for urn in (*chain(*resource.relations.values()), *self.becoming.named_by(resource)):
            self._referrers[urn][resource.urn] = None

    @property
    def total(self) -> Cost:
        """The cost of all resources that exist or were allowed so far."""
        unknown = dict.fromkeys(reason for all_of in self._unknown.values() for reason in all_of)
        return Cost(per_hour=self._per_hour, per_month=self._per_month, unknown=tuple(unknown))

    def count(
        self, resource: Resource, aliases: Iterable[str] = (), *, deletes_first: bool
    ) -> CostStep:
        """Count a resource that the program registers, before it is created or changed.

        Args:
            resource: with its checked inputs.
            aliases: URNs under which it may already exist.
            deletes_first: a replacement of it deletes the old one before it creates the new.
        """
        is_counted_before = resource.urn in self._keys
        if is_counted_before:
            self.leave_out(resource.urn)
        key = next((urn for urn in (resource.urn, *aliases) if urn in self._current), resource.urn)
        old = self._current.get(key)
        goes_first = deletes_first and not (old is not None and old.retained)
        anew = False if old is None else may_coexist(old, resource)
        twice = False if goes_first else anew
        if old is not None and (not twice or self.becoming.cost(resource).adds_nothing):
            # What costs nothing counts for those that rest on it: they may know it by its old id.
            resource = resource.updated_from(old.resource)
        if twice and key not in self._seen:
            # Until it is deleted, the old one starts what its template says by now.
            share = self._shares[key]
            share.before = share.before.maximum(share.after)
            self.reservations.record_replaced_machines(key)
        self._register(resource, key)
        growth = self._set_share(
            key,
            cost_before=self.reservations.replace(key) if anew else None,
            cost_after=self.becoming.cost(resource),
            twice=twice,
        )
        if old is None or twice or is_counted_before or resource.inputs != old.resource.inputs:
            passes_on = old is not None and not twice and not self.becoming.reserves(resource)
            growth += self._count_resting(resource.urn, key, passes_on=passes_on)
        growth += self._recount_reservations()
        if self.becoming.reserves(resource):
            self.reservations.record_reservation(resource.urn, key)
        return CostStep(
            total=self.total,
            growth=growth,
            counted_twice=twice is not False,
            updated_in_place=old is not None and twice is False,
        )

    def _register(self, resource: Resource, key: str) -> None:
        self._registered[resource.urn] = resource
        self._keys[resource.urn] = key
        self._seen.add(key)
        self._left_out.pop(resource.urn, None)
        self._record_references(resource)
        if key == resource.urn:
            self.becoming.add(resource)
        else:
            self._rename(key, resource)

    def _count_resting(self, urn: str, key: str, *, passes_on: bool) -> Cost:
        """Recount the resources that refer to a resource, directly or indirectly.

        What was registered before it costs what it did until this one changes, and what it will
        from then on. `passes_on`: the resource and what scales it may pass machines on.
        """
        growth = ZERO_COST
        self._recounted[urn] = until_now = {}
        for other in self._dependents(urn, key):
            other_key = self.key(other.urn)
            cost = self.becoming.cost(other)
            if other.urn in self._registered:
                until_now[other_key] = self._shares[other_key].after
                cost = until_now[other_key].maximum(cost)
            elif passes_on:
                growth += self._take_over(key, other, cost)
            growth += self._set_share(other_key, cost_after=cost)
        return growth

    def _take_over(self, key: str, scaler: Resource, cost_after: Cost) -> Cost:
        """Count machines once that a group and its schedule or autoscaler pass to each other.

        A group of one machine that may get a second one, and then has three by itself, never had
        four. Only for machines of one price: what runs on beside cheaper ones counts with both.
        And only for what surely scales this group: a plain name may be that of several.
        """
        if (key,) not in scaler.relations.values():
            return ZERO_COST
        group, other = self._shares[key], self._shares[scaler.urn]
        transferred = transferred_cost(group, other.before, cost_after)
        if transferred is None:
            return ZERO_COST
        growth = self._set_share(key, cost_before=group.before + transferred)
        return growth + self._set_share(scaler.urn, cost_before=other.before.minus(transferred))

    def _rename(self, key: str, resource: Resource) -> None:
        """Redirect references from a resource's former URN to its new one."""
        self.becoming.add(resource, former_urn=key)
        for urn in self._referrers.get(key, ()):
            other = self._existing.get(urn)
            if other is None:
                continue
            relations = {
                prop: tuple(resource.urn if each == key else each for each in urns)
                for prop, urns in other.relations.items()
            }
            self._existing[urn] = renamed = replace(other, relations=relations)
            if urn in self._current and urn not in self._seen:
                self.becoming.add(renamed)

    def _recount_reservations(self) -> Cost:
        """Recount reservations, as far as the last resource may use them, so each is paid once."""
        growth = ZERO_COST
        for key, cost_before, cost_after in self.reservations.costs():
            growth += self._set_share(key, cost_before=cost_before, cost_after=cost_after)
        return growth

    def current_resource(self, urn: str) -> Resource:
        """Return the resource registered under a URN, or else the existing one."""
        return self._registered.get(urn) or self._existing[urn]

    def key(self, urn: str) -> str:
        """Return the key that a resource counts under: the URN under which it existed before."""
        return self._keys.get(urn, urn)

    def update_effect(self, key: str) -> UpdateEffect:
        """Return what this update does to the resource with this key, as far as it was shown."""
        if key in self._left_out.values():
            return "left out"
        if key in self._current:
            return "stays" if self._shares[key].counted_twice is False else "replaced"
        return "new" if key in self._seen else "going"

    def _dependents(self, *urns: str) -> Iterator[Resource]:
        """Yield the registered or existing resources that refer to one, directly or indirectly."""
        visited, queue = set(urns), deque(urns)
        while queue:
            for other in self._referring_to(queue.popleft()):
                if other.urn not in visited:
                    visited.add(other.urn)
                    queue.append(other.urn)
                    if other.urn not in self._left_out:
                        yield other

    def _referring_to(self, urn: str) -> Iterator[Resource]:
        """Yield the resources that refer to one, by a property dependency or by a plain name."""
        old = self._current.get(urn)
        known = (self._registered.get(urn), None if old is None else old.resource)
        names = (self.becoming.names(resource) for resource in known if resource is not None)
        for referenced in dict.fromkeys((urn, *chain(*names))):
            for other in self._referrers.get(referenced, ()):
                if other in self._registered:
                    yield self._registered[other]
                elif other not in self._seen:
                    yield self._existing[other]

    def nameless(self) -> Iterator[Resource]:
        """Yield registered resources that may have new outputs by which others refer to them."""
        return (
            resource
            for urn, resource in self._registered.items()
            if not resource.outputs or self._shares[self._keys[urn]].counted_twice
        )

    def add_outputs(self, existing: Iterable[ExistingResource]) -> None:
        """Add the outputs, above all ids, of resources that this update has created so far."""
        for old in existing:
            registered = self._registered.get(old.resource.urn)
            if registered is not None and old.current:
                self._registered[registered.urn] = known = registered.updated_from(old.resource)
                self.becoming.add(known)

    def unregistered_billable(self) -> tuple[str, ...]:
        """Return the URNs of existing resources that cost money and are not registered so far."""
        return tuple(
            urn
            for urn, share in self._shares.items()
            if urn not in self._seen and not share.cost.adds_nothing
        )

    def relate(self, relations: Mapping[str, Mapping[str, tuple[str, ...]]]) -> None:
        """Set which resources each registered one depends on, by URN and input."""
        for urn, known in relations.items():
            if urn in self._registered:
                self._registered[urn] = related = replace(self._registered[urn], relations=known)
                self.becoming.add(related)

    def leave_out(self, urn: str) -> None:
        """Remove a resource of unknown cost, and those that refer to it, from the total."""
        key = self._keys[urn]
        self.reservations.keepers.pop(urn, None)
        self._left_out[urn] = key
        self._set_share(key, cost_after=ZERO_COST, twice=False)
        for other, cost in self._recounted.pop(urn, {}).items():
            self._set_share(other, cost_after=cost)
        for resting in self._dependents(urn, key):
            if resting.urn not in self._registered:
                self._set_share(resting.urn, cost_after=ZERO_COST)
        self._recount_reservations()

    def _set_share(
        self,
        urn: str,
        *,
        cost_before: Cost | None = None,
        cost_after: Cost | None = None,
        twice: Known | None = None,
    ) -> Cost:
        """Set a resource's share of the total, and return the increase of the total."""
        share = self._shares[urn]
        growth = share.change(cost_before, cost_after, twice)
        self._per_hour += growth.per_hour
        self._per_month += growth.per_month
        self._unknown[urn] = share.cost.unknown
        return growth
