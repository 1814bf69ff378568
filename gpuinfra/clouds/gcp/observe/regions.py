"""Resources of one region: Compute Engine finds nothing of another."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gpuinfra.clouds.gcp.observe import kinds
from gpuinfra.clouds.gcp.observe.index import Index, leaf
from gpuinfra.model import Resource

_REGIONAL: Final = frozenset(
    {
        *(kinds.GROUP, kinds.INSTANCE, kinds.AUTOSCALER, kinds.SUBNET, kinds.ROUTER, kinds.NAT),
        *(kinds.ADDRESS, kinds.FORWARDING, kinds.BACKEND, kinds.POLICY, kinds.CHECK),
    }
)
"""Kinds whose resources, where they have a region or a zone, name others of the same one:
https://docs.cloud.google.com/compute/docs/regions-zones/global-regional-zonal-resources"""


def of_stack(machines: Resource, index: Index) -> Iterator[tuple[bool, str]]:
    """Yield resources that refer to one of another region, beside machines or for them."""
    found = index.once("regions", lambda: _by_parent(index))
    for words in found.get(machines.parent or "", ()):
        yield False, words


def _by_parent(index: Index) -> Mapping[str, Sequence[str]]:
    """What stands apart, by the component; what a template names is its group's."""
    named = {one.urn: one for one in index}
    found: dict[str, list[str]] = {}
    for one in named.values():
        own = _region(one)
        if own is None:
            continue
        for other in _named_by(one, named):
            place = _region(other)
            if place is not None and place != own:
                words = f"{one.name} in {own} refers to {other.name} in {place}"
                found.setdefault(one.parent or "", []).append(words)
    return {parent: tuple(dict.fromkeys(words)) for parent, words in found.items()}


def _named_by(resource: Resource, named: Mapping[str, Resource]) -> Iterator[Resource]:
    """What a resource refers to, and what its templates do, which stand in no region."""
    for urn in dict.fromkeys(to for urns in resource.relations.values() for to in urns):
        other = named.get(urn)
        if other is None:
            continue
        if kinds.canonical(other.type) == kinds.TEMPLATE:
            yield from _named_by(other, named)
        else:
            yield other


def _region(resource: Resource) -> str | None:
    """The region that a resource itself says, or whose zone it says."""
    if kinds.canonical(resource.type) not in _REGIONAL:
        return None
    zone, region = resource.inputs.get("zone"), resource.inputs.get("region")
    if isinstance(region, str) and region:
        return leaf(region).lower()
    return leaf(zone).lower().rpartition("-")[0] if isinstance(zone, str) and zone else None
