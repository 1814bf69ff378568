"""Fixes for a rule's findings by type of resource, from a table of each cloud with sources."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import Any

from gpuinfra.clouds import CLOUDS, cloud_of, provider_of
from gpuinfra.model import Resource
from gpuinfra.records import record


@record
class Companion:
    """A resource of the same type that a remedy needs.

    Attributes:
        shared_property: the property by which both belong to the same resource.
        inputs: what it has.
    """

    shared_property: str
    inputs: Mapping[str, Any]


@record
class Remedy:
    """A row of the table of remedies.

    Attributes:
        rule: the rule's id.
        types: the types of the resources whose property it is, without an API's version.
        set: values by property; None removes it.
        add: a resource to add: its type, and its inputs, which name the one it is for by `{id}`.
        drop: whether the resource itself is to go.
        when: how the value, or one of its entries, begins now; empty for any.
        requires_property: a property that has to be there already; empty for none.
        entry: a property required in the same entry of a list, by its name.
        companion: a resource that it requires, if any.
        source: where the cloud says so.
    """

    rule: str
    types: tuple[str, ...]
    set: Mapping[str, Any] = field(default_factory=dict)
    add: tuple[str, Mapping[str, Any]] | None = None
    drop: bool = False
    when: str = ""
    requires_property: str = ""
    entry: Mapping[str, Any] = field(default_factory=dict)
    companion: Companion | None = None
    source: str = ""


@record
class Tunable:
    """A property that the price or the capability of machines depends on.

    Attributes:
        kind: machine, count, max_price, base, share, throughput, iops or storage.
        types: as of a remedy.
        path: the property.
        lowered_together: properties that may not be larger, and are lowered with it.
    """

    kind: str
    types: tuple[str, ...]
    path: str
    lowered_together: tuple[str, ...] = ()


def has_companion(resource: Resource, companion: Companion, stack: Iterable[Resource]) -> bool:
    """Return whether a stack has the companion that a remedy of a resource needs."""
    return any(
        other.type == resource.type
        and other.urn != resource.urn
        and all(other.inputs.get(key) == value for key, value in companion.inputs.items())
        and _refer_to_same(resource, other, companion.shared_property)
        for other in stack
    )


def _refer_to_same(resource: Resource, other: Resource, key: str) -> bool:
    """Return whether a property of two resources refers to the same resource."""
    value, related = resource.inputs.get(key), resource.relations.get(key)
    if related:
        return related == other.relations.get(key)
    return isinstance(value, str) and value == other.inputs.get(key)


@cache
def remedies(cloud: str) -> tuple[Remedy, ...]:
    """Return every remedy of a cloud."""
    return tuple(map(_remedy, _table(cloud)["remedies"]))


@cache
def tunables(cloud: str) -> tuple[Tunable, ...]:
    """Return every tunable property of a cloud."""
    return tuple(
        Tunable(
            kind=row["what"],
            types=tuple(row["types"]),
            path=row["path"],
            lowered_together=tuple(row.get("along", ())),
        )
        for row in _table(cloud)["knobs"]
    )


def steps(cloud: str | None, fault: str) -> Sequence[Any]:
    """Return the values that are tried for a disk or file system property, from the tables.

    Of all clouds where nothing settles which one it is; none where a cloud has no such property.
    """
    clouds = CLOUDS if cloud is None else (cloud,)
    by_cloud = (_table(name)["steps"].get(fault, ()) for name in clouds)
    return tuple(dict.fromkeys(step for some in by_cloud for step in some))


def computed_value(resource: Resource, computed_kind: str, value: Any) -> Any:
    """Return the value that a remedy computes from its resource; `value` is the present value."""
    cloud = cloud_of(resource.type)
    return value if cloud is None else provider_of(cloud).computed[computed_kind](resource, value)


def _companion(row: Mapping[str, Any]) -> Companion:
    return Companion(shared_property=row["of"], inputs=row["inputs"])


def _remedy(row: Mapping[str, Any]) -> Remedy:
    add = row.get("add")
    return Remedy(
        rule=row["rule"],
        types=tuple(row["types"]),
        set=row.get("set", {}),
        add=None if add is None else (add["type"], add["inputs"]),
        drop=row.get("drop", False),
        when=row.get("when", ""),
        requires_property=row.get("beside", ""),
        entry=row.get("entry", {}),
        companion=_companion(row["companion"]) if "companion" in row else None,
        source=row["source"],
    )


def _table(cloud: str) -> dict[str, Any]:
    table: dict[str, Any] = provider_of(cloud).tables.table("remedies")
    return table
