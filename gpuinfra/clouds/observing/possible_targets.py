"""The resources that a reference may mean, also where it is not known yet."""

from collections.abc import Iterator
from typing import Any

from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.values import as_list
from gpuinfra.model import UNKNOWN, Known, Resource


def possible_targets(
    index: Index, resource: Resource, prop: str, kind: str, value: Any = None
) -> Iterator[tuple[Known, Resource]]:
    """Yield the targets of `value` (default: the whole property), each with whether it is certain.

    An unknown that comes from no resource may be any of the kind.
    """
    value = resource.inputs.get(prop) if value is None else value
    targets = index.targets(resource, prop, kind, value)
    yield from ((True, each) for each in targets.certain)
    possible = targets.possible
    if not targets.certain and UNKNOWN in as_list(value):
        related = index.related_resources(resource, prop)
        possible = possible or (() if related else index.of_kind(kind))
    yield from ((UNKNOWN, each) for each in possible)
