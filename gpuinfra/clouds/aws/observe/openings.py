"""Whom a resource lets in by a word of its own, without a policy: images, snapshots, documents."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.grants import GrantFault, granted
from gpuinfra.clouds.observing.values import at, listed
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown


def of(resource: Resource, kind: str) -> Rows:
    """Return what a resource's words give to everyone, or may give; nothing where they do not."""
    faults = tuple(_faults(resource.inputs, _openings()[kind]))
    return granted("aws", resource, faults) if faults else Rows()


def _faults(inputs: Mapping[str, Any], opening: Mapping[str, Any]) -> Iterator[GrantFault]:
    if opening["narrowed"] and inputs.get(opening["narrowed"]) is not None:
        return
    for value in _below(inputs, opening["path"].split(".")):
        if isinstance(value, Unknown):
            yield UNKNOWN
        elif any(each.strip() == opening["everyone"] for each in str(value).lower().split(",")):
            yield f"lets everyone {opening['allows']}"


def _below(value: Any, path: Sequence[str]) -> Iterator[Any]:
    """What stands at a path, in each item of the lists on the way."""
    for item in listed(value):
        if not path or isinstance(item, Unknown):
            yield item
        else:
            yield from _below(at(item, path[0]), path[1:])


@cache
def _openings() -> Mapping[str, Mapping[str, Any]]:
    return {row["type"]: row for row in TABLES.rows("openings")}
