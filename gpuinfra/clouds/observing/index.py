"""The references between resources, by id, ARN or name, or by property dependency."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, ClassVar, Final, TypeVar

from gpuinfra.clouds.observing.values import as_list
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.model.resource import is_of_account
from gpuinfra.records import record

_Value = TypeVar("_Value")


@record
class ReferenceKeys:
    """The inputs and outputs by which a cloud's resources refer to each other.

    Attributes:
        outputs: the outputs that others refer to, for example id and arn.
        inputs: the inputs that do so before there are outputs, for example name.
        canonical: today's token of a resource type, which may have older spellings.
        spelled: one spelling of a reference that may be written in several ways.
        worldwide: the types whose names mean the same from every account.
    """

    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    canonical: Callable[[str], str] = str
    spelled: Callable[[str], str] = str
    worldwide: frozenset[str] = frozenset()


@record(kw_only=False)
class Targets:
    """The resources that a property refers to.

    Attributes:
        certain: surely referred to.
        possible: at least one of them is referred to; which one is not known yet.
        complete: nothing else is referred to.
        namesakes: may be referred to, or none of them: they have the name in an account that may
            be another. Where there are some, it is not complete.
    """

    certain: tuple[Resource, ...] = ()
    possible: tuple[Resource, ...] = ()
    complete: bool = True
    namesakes: tuple[Resource, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether `certain` is all there is."""
        return self.complete and not self.possible

    @property
    def only(self) -> Resource | None:
        """The one resource referred to; None if there are several, or there may be another."""
        return self.certain[0] if self.exact and len(self.certain) == 1 else None

    def any_target(self, test: Callable[[Resource], Known]) -> Known:
        """Return whether the test holds for at least one target."""
        facts = [test(target) for target in self.certain]
        maybe = [test(target) for target in self.possible]
        if True in facts or (maybe and all(fact is True for fact in maybe)):
            return True
        settled = self.complete and not any(fact is not False for fact in (*facts, *maybe))
        return False if settled else UNKNOWN


@record
class _Referrers:
    """The resources that refer to those of a kind under one property.

    Attributes:
        by_target: the resources that surely do, by the URN that they refer to.
        unsure: the URNs to which another resource may refer.
        complete: whether no other resource refers to any of the kind.
    """

    by_target: dict[str, list[Resource]]
    unsure: frozenset[str]
    complete: bool


_NONE: Final = Targets()
_UNSEEN: Final = Targets(complete=False)
_NOT_COMPUTED: Final[Any] = object()


class Index:
    """The resources seen so far, by the names that other resources use for them.

    It can grow while resources register; adding a URN again replaces what was known of it.
    Each cloud subclasses it with its own keys.
    """

    KEYS: ClassVar[ReferenceKeys]

    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        self._by_urn: dict[str, Resource] = {}
        self._by_kind: dict[str, dict[str, None]] = {}
        self._by_value: dict[tuple[str, str], dict[str, None]] = {}
        self._referrers: dict[tuple[str, str, str], _Referrers] = {}
        self._memo: dict[Hashable, Any] = {}
        for resource in resources:
            self.add(resource)

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._by_urn.values())

    def __len__(self) -> int:
        return len(self._by_urn)

    def add(self, resource: Resource, former_urn: str = "") -> None:
        """Add a resource, or new facts about it.

        Args:
            resource: takes the place of what was known by its URN.
            former_urn: its URN until now; references to that one mean this one.
        """
        kind = self.KEYS.canonical(resource.type)
        before = self._by_urn.pop(former_urn, None)
        if before is not None:
            self._by_kind[self.KEYS.canonical(before.type)].pop(former_urn)
            self._call(before, resource.urn)
        self._by_urn[resource.urn] = resource
        self._by_kind.setdefault(kind, {})[resource.urn] = None
        self._call(resource, resource.urn)
        self._referrers.clear()
        self._memo.clear()

    def _call(self, resource: Resource, urn: str) -> None:
        """Register a resource's names for a URN, which may be another resource's."""
        kind = self.KEYS.canonical(resource.type)
        names = [resource.inputs.get(key) for key in self.KEYS.inputs]
        names += [resource.outputs.get(key) for key in self.KEYS.outputs]
        for value in names:
            if value and isinstance(value, str):
                self._name(kind, value, urn, resource.urn)

    def _name(self, kind: str, value: str, urn: str, former_urn: str) -> None:
        known = self._by_value.setdefault((kind, self.KEYS.spelled(value)), {})
        known.pop(former_urn, None)
        known.pop(urn, None)
        known[urn] = None

    def memo(self, key: Hashable, find: Callable[[], _Value]) -> _Value:
        """Return a result about the resources seen so far, recomputed when more are added."""
        result: _Value = self._memo.get(key, _NOT_COMPUTED)
        if result is _NOT_COMPUTED:
            result = self._memo[key] = find()
        return result

    def memo_of(
        self, name: str, resources: tuple[Resource, ...], find: Callable[[], _Value]
    ) -> _Value:
        """Return a result about these very resources, recomputed when more are added."""
        key = (name, *map(id, resources))
        known: tuple[_Value, Any] | None = self._memo.get(key)
        if known is None:
            # The resources are kept with it: none that is made later can have their identity.
            known = self._memo[key] = (find(), resources)
        return known[0]

    def of_kind(self, kind: str) -> tuple[Resource, ...]:
        """Return the resources of a kind, in the order of their addition."""
        urns = self._by_kind.get(kind)
        if not urns:
            return ()
        return self.memo(("kind", kind), lambda: tuple(map(self._by_urn.__getitem__, urns)))

    def related_resources(self, resource: Resource, prop: str) -> tuple[Resource, ...]:
        """Return the resources, of any kind, that the value of an input comes from."""
        urns = dict.fromkeys(resource.relations.get(prop, ()))
        return tuple(self._by_urn[urn] for urn in urns if urn in self._by_urn)

    def is_made_after(self, resource: Resource, other: Resource) -> bool:
        """Return whether a resource depends on another, directly or through others."""
        seen: set[str] = set()
        queue = [resource.urn]
        while queue:
            each = self._by_urn.get(queue.pop(), resource)
            needed = {*each.depends_on, *(urn for urns in each.relations.values() for urn in urns)}
            if other.urn in needed:
                return True
            queue += (urn for urn in needed - seen if urn in self._by_urn)
            seen |= needed
        return False

    def targets(self, resource: Resource, prop: str, kind: str, value: Any = None) -> Targets:
        """Return the targets of `value` (default: the whole property) under the input `prop`."""
        value = resource.inputs.get(prop) if value is None else value
        if isinstance(value, str):
            return self._find_by_name(resource, prop, kind, value)
        certain: dict[str, Resource] = {}
        possible: dict[str, Resource] = {}
        namesakes: dict[str, Resource] = {}
        unknown, complete = 0, True
        for reference in as_list(value):
            if isinstance(reference, Unknown):
                unknown += 1
                continue
            candidates = _UNSEEN
            if isinstance(reference, str):
                candidates = self._find_by_name(resource, prop, kind, reference)
            complete = complete and candidates.complete
            certain |= {target.urn: target for target in candidates.certain}
            possible |= {target.urn: target for target in candidates.possible}
            namesakes |= {target.urn: target for target in candidates.namesakes}
        others = tuple(namesakes.values())
        if not unknown or possible:
            complete = complete and not unknown
            return Targets(tuple(certain.values()), tuple(possible.values()), complete, others)
        related = [
            target
            for target in self.related_resources(resource, prop)
            if self.KEYS.canonical(target.type) == kind and target.urn not in certain
        ]
        if isinstance(value, Unknown) and related:
            return Targets(tuple(related))
        if len(related) > unknown:
            return Targets(tuple(certain.values()), tuple(related), complete, others)
        complete = complete and len(related) == unknown
        return Targets((*certain.values(), *related), (), complete, others)

    def _find_by_name(self, resource: Resource, prop: str, kind: str, name: str) -> Targets:
        """Return the resource with a name; of several, that of the referrer's place and account.

        Names are unique in a place of an account. Of those of one the last holds, as a
        replacement does. A name means nothing in another account, other than an id or an ARN;
        where it may be the same account, only the program's own dependency settles it.
        """
        urns = self._by_value.get((kind, self.KEYS.spelled(name)))
        if not urns:
            return _UNSEEN
        candidates: dict[tuple[str | None, str | None, str], Resource] = {}
        namesakes: dict[str, Resource] = {}
        for urn in urns:
            each = self._by_urn[urn]
            fact = self._is_named(resource, each, kind, name)
            if fact is True or (fact is UNKNOWN and urn in resource.relations.get(prop, ())):
                candidates[self.place_of(each), each.account, each.credentials] = each
            elif fact is UNKNOWN:
                namesakes[urn] = each
        if nearest := _nearest(resource, prop, list(candidates.values())):
            return Targets(nearest)
        has_namesake_in_region = any(each.region == resource.region for each in namesakes.values())
        if namesakes and (has_namesake_in_region or not candidates):
            candidates_by_urn = {each.urn: each for each in candidates.values()} | namesakes
            return Targets(complete=False, namesakes=tuple(candidates_by_urn.values()))
        if len(candidates) == 1:
            return Targets(tuple(candidates.values()))
        return Targets((), tuple(candidates.values())) if candidates else _UNSEEN

    def place_of(self, resource: Resource) -> str | None:
        """Return the place, within an account, in which a resource's name is unique."""
        return resource.region

    def _is_named(self, resource: Resource, candidate: Resource, kind: str, name: str) -> Known:
        """Return whether a resource may mean another by a name: not one of another account."""
        same = is_of_account(resource, candidate)
        if same is True or kind in self.KEYS.worldwide or name.startswith("arn:"):
            return True
        stated = map(candidate.inputs.get, self.KEYS.inputs)
        names = {self.KEYS.spelled(value) for value in stated if isinstance(value, str)}
        return same if self.KEYS.spelled(name) in names else True

    def referrers(self, target: Resource, kind: str, prop: str) -> Targets:
        """Return the resources of `kind` whose input `prop` refers to `target`."""
        if not self._by_kind.get(kind):  # as of most kinds
            return _NONE
        token = self.KEYS.canonical(target.type)
        known = self._referrers.get((kind, prop, token))
        if known is None:
            known = self._referrers[kind, prop, token] = self._collect(kind, prop, token)
        complete = known.complete and target.urn not in known.unsure
        return Targets(tuple(known.by_target.get(target.urn, ())), (), complete)

    def _collect(self, kind: str, prop: str, token: str) -> _Referrers:
        by_target: dict[str, list[Resource]] = {}
        unsure: set[str] = set()
        complete = True
        for resource in self.of_kind(kind):
            value = resource.inputs.get(prop)
            if value is None:
                continue
            targets = self.targets(resource, prop, token, value)
            for target in targets.certain:
                by_target.setdefault(target.urn, []).append(resource)
            unsure.update(target.urn for target in (*targets.possible, *targets.namesakes))
            complete = complete and (targets.exact or UNKNOWN not in as_list(value))
        return _Referrers(by_target=by_target, unsure=frozenset(unsure), complete=complete)


def _nearest(resource: Resource, prop: str, candidates: list[Resource]) -> tuple[Resource, ...]:
    """Return the only one in the referrer's region, else the only one that it depends on."""
    same_region = [each for each in candidates if each.region == resource.region]
    if len(same_region) != 1:
        same_region = [each for each in candidates if each.urn in resource.relations.get(prop, ())]
    return tuple(same_region) if len(same_region) == 1 else ()
