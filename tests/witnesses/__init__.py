"""Witnesses of what is declared that this project did not write."""

from collections.abc import Iterator

from gpuinfra.graph import Resource, ResourceGraph


def complaints(graph: ResourceGraph) -> list[str]:
    """Everything that the witnesses refuse in a declared graph, each with the resource's key."""
    return [
        f"{resource.key}: {complaint}"
        for resource in graph.resources.values()
        if not resource.type.startswith(("gpuinfra:", "pulumi:"))
        for complaint in _of(graph, resource)
    ]


def _of(graph: ResourceGraph, resource: Resource) -> Iterator[str]:
    from tests.witnesses import sdk, tables

    yield from sdk.complaints(graph, resource)
    yield from tables.complaints(resource)
