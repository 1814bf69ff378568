"""A declared stack as the witnesses read it."""

import base64
import gzip
import json
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Any, Final

from gpuinfra.graph import Resource, ResourceGraph
from gpuinfra.planning.graph_rows import rows
from tests.reachable import reachable
from tests.witnesses import values

_READ: dict[int, tuple[Resource, dict[str, Any]]] = {}
"""Inputs as they are read, by the resource's identity: a mutant changes few resources."""


class Stack:
    """The resources of a cloud, with plain inputs.

    Args:
        graph: what a stack declares.
        package: how the cloud's tokens begin.
    """

    def __init__(self, graph: ResourceGraph, package: str = "aws:") -> None:
        self.graph = graph
        self.resources = {
            key: resource
            for key, resource in graph.resources.items()
            if resource.type.startswith(package)
        }

    def inputs(self, resource: Resource) -> dict[str, Any]:
        """Inputs; what is known only at run time is unknown, and texts hold symbols for it."""
        known = _READ.get(id(resource))
        if known is None or known[0] is not resource:
            known = _READ[id(resource)] = (resource, values.inputs(resource))
        return known[1]

    def of(self, token: str) -> Iterator[tuple[Resource, dict[str, Any]]]:
        """The resources of a type, by the end of its token, with their inputs."""
        for resource in self.resources.values():
            if resource.type.endswith(f":{token}"):
                yield resource, self.inputs(resource)

    def named(self, value: Any) -> Resource | None:
        """The resource that a value is an output of."""
        return (
            self.graph.resources.get(value.ref.key) if isinstance(value, values.Output) else None
        )

    def key_of(self, value: Any) -> str | None:
        """The key of the resource that a value is an output of."""
        resource = self.named(value)
        return None if resource is None else resource.key

    def before(self, resource: Resource) -> frozenset[str]:
        """The keys of what stands before a resource."""
        return reachable(self.graph, resource.key)

    @cached_property
    def scripts(self) -> dict[str, str]:
        """The scripts with which machines start, by the names of their templates."""
        shown = (row for row in rows(self.graph) if row.type.endswith(":LaunchTemplate"))
        return {row.name: unpacked(row.inputs.get("userData")) for row in shown}

    @cached_property
    def regions(self) -> frozenset[str]:
        """Where the stack's resources are."""
        regions = {self.inputs(resource).get("region") for resource in self.resources.values()}
        return frozenset(region for region in regions if isinstance(region, str))

    @cached_property
    def tags(self) -> frozenset[tuple[str, str]]:
        """Every tag that a resource of the stack carries."""
        pairs: set[tuple[str, str]] = set()
        for resource in self.resources.values():
            tags = self.inputs(resource).get("tags")
            pairs |= set(tags.items()) if isinstance(tags, Mapping) else set()
        return frozenset(pairs)


@cache
def unpacked(text: Any) -> str:
    """A script as it was before it was packed."""
    if not isinstance(text, str):
        return ""
    try:
        content = base64.b64decode(text, validate=True)
    except ValueError:
        return text
    return (gzip.decompress(content) if content[:2] == GZIP else content).decode()


GZIP: Final = b"\x1f\x8b"


def statements(text: Any) -> list[dict[str, Any]]:
    """The statements of a policy document that is written as text."""
    if not isinstance(text, str):
        return []
    try:
        listed_statements = json.loads(text).get("Statement", [])
    except (ValueError, AttributeError):
        return []
    return listed_statements if isinstance(listed_statements, list) else [listed_statements]


def listed(value: Any) -> list[Any]:
    """A list as it is, anything else as the only item, and nothing for None."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def each(inputs: Any, path: str) -> Iterator[Any]:
    """Every value at a path; lists on the way are looked into."""
    first, _, rest = path.partition(".")
    for item in listed(inputs.get(first) if isinstance(inputs, Mapping) else None):
        yield from each(item, rest) if rest else [item]
