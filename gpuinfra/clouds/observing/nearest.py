"""Which of several resources of one name is meant."""

from collections.abc import Iterable

from gpuinfra.model import Resource


def nearest(resource: Resource, prop: str, named: Iterable[Resource]) -> tuple[Resource, ...]:
    """Return the only one in the region of who refers to it, else the only one it depends on."""
    named = tuple(named)
    near = tuple(each for each in named if each.region == resource.region)
    if len(near) != 1:
        near = tuple(each for each in named if each.urn in resource.relations.get(prop, ()))
    return near if len(near) == 1 else ()
