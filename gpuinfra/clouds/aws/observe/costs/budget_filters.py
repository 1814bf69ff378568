"""The filters of AWS budgets, and whether this stack's tags and regions match them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.launch.group_requests import group_request_of
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, flag
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_USER_TAG_PREFIX: Final = "user:"
_INSTANCE: Final = "instance"


def counts_tags(values: Any, index: Index) -> Known:
    """Return whether every machine has one of a filter's tags, written user:KEY$VALUE.

    https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html
    """
    return all_of(
        any_of(_has_tag(resource, tag, index) for tag in as_list(values))
        for resource in _machines(index)
    )


def counts_regions(values: Any, index: Index) -> Known:
    """Return whether every machine is in one of the regions that a filter names."""
    regions = (locations.region_of(resource, index) for resource in _machines(index))
    return all_of(_is_among(region, as_list(values)) for region in regions)


def _machines(index: Index) -> Iterator[Resource]:
    return (
        resource for kind in sorted(resource_types.MACHINES) for resource in index.of_kind(kind)
    )


def _is_among(region: str, values: tuple[Any, ...]) -> Known:
    return any_of(
        UNKNOWN if isinstance(value, Unknown) or region == "unknown" else value == region
        for value in values
    )


def _has_tag(resource: Resource, tag: Any, index: Index) -> Known:
    if not isinstance(tag, str):
        return UNKNOWN
    key, _, value = tag.removeprefix(_USER_TAG_PREFIX).partition("$")
    launches = {
        id(option.launch): option.launch for option in group_request_of(resource, index).options
    }
    own_tags = list(_own_tags(resource))
    return all_of(
        any_of(
            _has(tags, key, value)
            for tags in (*own_tags, *_template_tags(launch.get("tagSpecifications")))
        )
        for launch in launches.values()
    )


def _own_tags(resource: Resource) -> Iterator[Any]:
    """Yield the tags that a resource itself gives to its machines."""
    inputs, kind = resource.inputs, resource_types.canonical(resource.type)
    if kind in {resource_types.INSTANCE, resource_types.SPOT_REQUEST}:
        yield from (inputs.get("tags"), inputs.get("tagsAll"), resource.outputs.get("tagsAll"))
    elif kind == resource_types.GROUP:
        for tag in as_list(inputs.get("tags")):
            if flag(at(tag, "propagateAtLaunch")) is not False:
                yield UNKNOWN if isinstance(tag, Unknown) else {at(tag, "key"): at(tag, "value")}
    elif kind != resource_types.NODE_GROUP:
        yield from _template_tags(inputs.get("tagSpecifications"))


def _template_tags(specifications: Any) -> Iterator[Any]:
    for specification in as_list(specifications):
        if isinstance(specification, Unknown):
            yield UNKNOWN
        elif at(specification, "resourceType") == _INSTANCE:
            yield at(specification, "tags")


def _has(tags: Any, key: str, value: str) -> Known:
    if tags is not None and not isinstance(tags, Mapping):
        return UNKNOWN
    actual = at(tags, key)
    return UNKNOWN if isinstance(actual, Unknown) or UNKNOWN in (tags or ()) else actual == value
