"""The references between resources of different regions, which their cloud can't resolve."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from gpuinfra.clouds.observing.fault_texts import Remark, blocked
from gpuinfra.clouds.observing.index import Index
from gpuinfra.model import Resource

Region = Callable[[Resource], str | None]
"""The region of a resource that names others of its own region alone; None for any other."""


def cross_region_references(
    machines: Resource, index: Index, region: Region, through: frozenset[str] = frozenset()
) -> Iterator[Remark]:
    """Yield the machines' related resources that refer to another region.

    Args:
        machines: whose component is looked at.
        index: what is known of the stack.
        region: the region of a resource.
        through: kinds without a region: what they refer to counts for what refers to them.
    """
    by_parent = index.memo("regions", lambda: _references_by_component(index, region, through))
    for reference_text in by_parent.get(machines.parent or "", ()):
        yield blocked(reference_text, "create both in one region")


def _references_by_component(
    index: Index, region: Region, through: frozenset[str]
) -> Mapping[str, Sequence[str]]:
    """Return the references between regions, by component."""
    by_parent: dict[str, list[str]] = {}
    for resource in index:
        own_region = region(resource)
        if own_region is None:
            continue
        for other in _named_by(resource, index, through):
            other_region = region(other)
            if other_region is not None and other_region != own_region:
                text = f"{resource.name} in {own_region} refers to {other.name} in {other_region}"
                by_parent.setdefault(resource.parent or "", []).append(text)
    return by_parent


def _named_by(resource: Resource, index: Index, through: frozenset[str]) -> Iterator[Resource]:
    """Yield the resources that a resource refers to, through resources without a region.

    Those may refer to each other, and back to where they are named.
    """
    met = {resource.urn}
    queue = [resource]
    while queue:
        urn = queue.pop()
        for other in (
            target for prop in urn.relations for target in index.related_resources(urn, prop)
        ):
            if index.KEYS.canonical(other.type) not in through:
                yield other
            elif other.urn not in met:
                met.add(other.urn)
                queue.append(other)
