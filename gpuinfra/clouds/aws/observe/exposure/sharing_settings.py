"""Resources shared by an input of their own instead of a policy: images, snapshots, services."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.grants import GrantFault, grant_rows
from gpuinfra.clouds.observing.values import all_of, as_list, at, flag
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown

_UNSTATED: Final = (False,)
"""A switch that is not stated is off."""


def public_grant_rows(resource: Resource, kind: str, index: Index) -> Rows:
    """Return the public grants, certain or possible, of a resource's sharing inputs."""
    opening = resource_types.openings()[kind]
    narrowed = _is_narrowed(resource, opening, index)
    faults = () if narrowed is True else tuple(_faults(resource.inputs, opening, narrowed))
    return grant_rows("aws", resource, faults) if faults else Rows()


def _is_narrowed(resource: Resource, opening: Mapping[str, Any], index: Index) -> Known:
    """Return whether another input, possibly of the referenced resource, restricts the sharing."""
    key = opening["narrowed"]
    if key is None:
        return False
    if opening["through"] is None:
        return _has_restriction(resource, key)
    prop, kind = opening["through"]
    targets = index.targets(resource, prop, kind)
    facts = [_has_restriction(target, key) for target in targets.certain]
    return all_of((*facts, *(() if targets.exact and facts else (UNKNOWN,))))


def _has_restriction(resource: Resource, key: str) -> bool:
    value = resource.inputs.get(key)
    return value is not None and flag(value) is not False


def _faults(
    inputs: Mapping[str, Any], opening: Mapping[str, Any], narrowed: Known
) -> Iterator[GrantFault]:
    values = tuple(_values_at_path(inputs, opening["path"].split(".")))
    for value in values or _UNSTATED:
        if isinstance(value, Unknown):
            yield UNKNOWN
        elif any(
            setting.strip() == opening["everyone"] for setting in str(value).lower().split(",")
        ):
            yield UNKNOWN if narrowed is UNKNOWN else f"lets everyone {opening['allows']}"


def _values_at_path(value: Any, path: Sequence[str]) -> Iterator[Any]:
    """Yield the values at a path, in each item of the lists on the path."""
    for item in as_list(value):
        if not path or isinstance(item, Unknown):
            yield item
        else:
            yield from _values_at_path(at(item, path[0]), path[1:])
