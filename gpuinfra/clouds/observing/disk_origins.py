"""The disks and images that a stack's disks and images are made from."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import Resource

Links = Mapping[str, tuple[tuple[str, ...], ...]]
"""By the type of what a disk can be made from, the paths of its inputs that lead further."""


def origins(
    index: Index, holder: Resource, prop: str, values: Iterable[Any], links: Links
) -> Iterator[Resource]:
    """Yield the resources that an input's values mean, or may mean, and their origins."""
    seen_urns: set[str] = set()
    queue = [(holder, prop, [value for value in values if value is not None])]
    while queue:
        source, key, references = queue.pop()
        for kind in links if references else ():
            targets = index.targets(source, key, kind, references)
            for target in (*targets.certain, *targets.possible, *targets.namesakes):
                if target.urn in seen_urns:
                    continue
                seen_urns.add(target.urn)
                yield target
                inputs = ((path[0], at(target.inputs, *path)) for path in links[kind])
                queue += [(target, first, [value]) for first, value in inputs if value is not None]
