"""Who refers to whom: resources found by id, arn or name, or by property dependency."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final, TypeVar

from gpuinfra.clouds.observing.values import listed
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record

_Found = TypeVar("_Found")


def _as_it_is(text: str) -> str:
    return text


@record
class Keys:
    """How the resources of a cloud are called by others.

    Attributes:
        outputs: the outputs that others refer to, for example id and arn.
        inputs: the inputs that do so before there are outputs, for example name.
        canonical: today's token of a resource type, which may have older spellings.
        spelled: one spelling of a reference that may be written in several ways.
        worldwide: the types whose names mean the same from every account.
    """

    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    canonical: Callable[[str], str] = _as_it_is
    spelled: Callable[[str], str] = _as_it_is
    worldwide: frozenset[str] = frozenset()


@record(kw_only=False)
class Targets:
    """What a property refers to.

    Attributes:
        certain: surely referred to.
        possible: at least one of them is referred to; which one is not known yet.
        complete: nothing else is referred to.
    """

    certain: tuple[Resource, ...] = ()
    possible: tuple[Resource, ...] = ()
    complete: bool = True

    @property
    def exact(self) -> bool:
        """Whether `certain` is all there is."""
        return self.complete and not self.possible

    def some(self, test: Callable[[Resource], Known]) -> Known:
        """Say whether the test holds for one target at least."""
        sure = [test(target) for target in self.certain]
        maybe = [test(target) for target in self.possible]
        if True in sure or (maybe and all(fact is True for fact in maybe)):
            return True
        settled = self.complete and not any(fact is not False for fact in (*sure, *maybe))
        return False if settled else UNKNOWN


_UNSEEN: Final = Targets(complete=False)
_UNASKED: Final[Any] = object()


class Index:
    """The resources seen so far, found by what other resources call them.

    It can grow while resources register; adding a URN again replaces what was known of it.
    Each cloud subclasses it with its own keys.
    """

    KEYS: ClassVar[Keys]

    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        self._by_urn: dict[str, Resource] = {}
        self._by_kind: dict[str, dict[str, None]] = {}
        self._by_value: dict[tuple[str, str], dict[str, None]] = {}
        self._referrers: dict[tuple[str, str, str], tuple[dict[str, list[Resource]], bool]] = {}
        self._kept: dict[Hashable, Any] = {}
        for resource in resources:
            self.add(resource)

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._by_urn.values())

    def __len__(self) -> int:
        return len(self._by_urn)

    def add(self, resource: Resource, formerly: str = "") -> None:
        """Add a resource, or what is newly known of it.

        Args:
            resource: takes the place of what was known by its URN.
            formerly: its URN until now; references to that one mean this one.
        """
        kind = self.KEYS.canonical(resource.type)
        before = self._by_urn.pop(formerly, None)
        if before is not None:
            self._by_kind[self.KEYS.canonical(before.type)].pop(formerly)
            self._call(before, resource.urn)
        self._by_urn[resource.urn] = resource
        self._by_kind.setdefault(kind, {})[resource.urn] = None
        self._call(resource, resource.urn)
        self._referrers.clear()
        self._kept.clear()

    def _call(self, resource: Resource, urn: str) -> None:
        """Take what a resource is called for names of a URN, which may be another than its own."""
        kind = self.KEYS.canonical(resource.type)
        for given, keys in (
            (resource.inputs, self.KEYS.inputs),
            (resource.outputs, self.KEYS.outputs),
        ):
            for key in keys:
                value = given.get(key)
                if isinstance(value, str) and value:
                    self._name(kind, value, urn, resource.urn)

    def _name(self, kind: str, value: str, urn: str, formerly: str) -> None:
        known = self._by_value.setdefault((kind, self.KEYS.spelled(value)), {})
        known.pop(formerly, None)
        known.pop(urn, None)
        known[urn] = None

    def once(self, key: Hashable, find: Callable[[], _Found]) -> _Found:
        """Return what is found among the resources seen so far; asked again once more come."""
        result: _Found = self._kept.get(key, _UNASKED)
        if result is _UNASKED:
            result = self._kept[key] = find()
        return result

    def once_of(
        self, what: str, resources: Sequence[Resource], find: Callable[[], _Found]
    ) -> _Found:
        """Return what is found of some resources; kept while they are as they were seen."""
        key = [what]
        for resource in resources:
            if self._by_urn.get(resource.urn) is not resource:
                return find()
            key.append(resource.urn)
        return self.once(tuple(key), find)

    def of(self, kind: str) -> tuple[Resource, ...]:
        """Return the resources of a kind, in the order they came."""
        return tuple(self._by_urn[urn] for urn in self._by_kind.get(kind, {}))

    def related(self, resource: Resource, prop: str) -> tuple[Resource, ...]:
        """Return the resources, of any kind, that the value of an input comes from."""
        urns = dict.fromkeys(resource.relations.get(prop, ()))
        return tuple(self._by_urn[urn] for urn in urns if urn in self._by_urn)

    def targets(self, resource: Resource, prop: str, kind: str, value: Any = None) -> Targets:
        """Return what `value` (default: the whole property) under the input `prop` refers to."""
        value = resource.inputs.get(prop) if value is None else value
        if isinstance(value, str):
            return self._called(resource, kind, value)
        certain: dict[str, Resource] = {}
        namesakes: dict[str, Resource] = {}
        unknown, complete = 0, True
        for reference in listed(value):
            if isinstance(reference, Unknown):
                unknown += 1
                continue
            meant = (
                self._called(resource, kind, reference) if isinstance(reference, str) else _UNSEEN
            )
            complete = complete and meant.complete
            certain |= {target.urn: target for target in meant.certain}
            namesakes |= {target.urn: target for target in meant.possible}
        if not unknown or namesakes:
            complete = complete and not unknown
            return Targets(tuple(certain.values()), tuple(namesakes.values()), complete)
        related = [
            target for target in self._related(resource, prop, kind) if target.urn not in certain
        ]
        if isinstance(value, Unknown) and related:
            return Targets(tuple(related))
        if len(related) > unknown:
            return Targets(tuple(certain.values()), tuple(related), complete)
        complete = complete and len(related) == unknown
        return Targets((*certain.values(), *related), (), complete)

    def _called(self, resource: Resource, kind: str, name: str) -> Targets:
        """Who has a name: of several the one in the region and account of who refers to it.

        Names are unique in a region of an account. Of those of one the last holds, as a
        replacement does. A name means nothing in another account, other than an id or an ARN.
        """
        urns = self._by_value.get((kind, self.KEYS.spelled(name)))
        if not urns:
            return _UNSEEN
        every = [self._by_urn[urn] for urn in urns]
        meant = [each for each in every if self._is_meant(resource, each, kind, name)]
        last = {(each.region, each.account): each for each in meant}
        near = [each for (region, _), each in last.items() if region == resource.region]
        if len(last) == 1 or len(near) == 1:
            return Targets((near[0] if near else next(iter(last.values())),))
        return Targets((), tuple(last.values())) if last else _UNSEEN

    def _is_meant(self, resource: Resource, named: Resource, kind: str, name: str) -> bool:
        """Whether a resource may mean another by a name: it does not from another account."""
        if None in (resource.account, named.account) or resource.account == named.account:
            return True
        if kind in self.KEYS.worldwide:
            return True
        spelled = self.KEYS.spelled
        own = (named.inputs.get(key) for key in self.KEYS.inputs)
        names = {spelled(value) for value in own if isinstance(value, str)}
        return name.startswith("arn:") or spelled(name) not in names

    def _related(self, resource: Resource, prop: str, kind: str) -> Iterator[Resource]:
        for urn in dict.fromkeys(resource.relations.get(prop, ())):
            target = self._by_urn.get(urn)
            if target is not None and self.KEYS.canonical(target.type) == kind:
                yield target

    def referrers(self, target: Resource, kind: str, prop: str) -> Targets:
        """Return the resources of `kind` whose input `prop` refers to `target`."""
        goal = self.KEYS.canonical(target.type)
        known = self._referrers.get((kind, prop, goal))
        if known is None:
            known = self._referrers[kind, prop, goal] = self._collect(kind, prop, goal)
        by_target, complete = known
        return Targets(tuple(by_target.get(target.urn, ())), (), complete)

    def _collect(self, kind: str, prop: str, goal: str) -> tuple[dict[str, list[Resource]], bool]:
        by_target: dict[str, list[Resource]] = {}
        complete = True
        for resource in self.of(kind):
            value = resource.inputs.get(prop)
            if value is None:
                continue
            goals = self.targets(resource, prop, goal, value)
            for target in goals.certain:
                by_target.setdefault(target.urn, []).append(resource)
            unknown = any(isinstance(reference, Unknown) for reference in listed(value))
            complete = complete and (goals.exact or not unknown)
        return by_target, complete
