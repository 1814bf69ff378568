"""Witnesses of declared resources that this project did not write.

The providers' SDKs and schemas, botocore's service models, and Google's discovery documents.
"""

from collections.abc import Iterator, Mapping

from gpuinfra.graph import STASH, Resource, ResourceGraph


def complaints(graph: ResourceGraph) -> list[str]:
    """Everything that the witnesses refuse in a declared graph, each with the resource's key."""
    return [
        f"{resource.key}: {complaint}"
        for resource in graph.resources.values()
        if not resource.type.startswith("gpuinfra:")
        for complaint in _of(graph, resource)
    ]


def _of(graph: ResourceGraph, resource: Resource) -> Iterator[str]:
    from tests.witnesses import azure, calls, discovery, documented, formats, sdk, tables

    if resource.type.startswith("pulumi:"):
        yield from sdk.complaints(graph, resource)
        yield from azure.complaints(graph, resource)
        if resource.type == STASH:
            yield from _kept(resource)
        return
    schema = [*sdk.complaints(graph, resource), *tables.complaints(resource)]
    yield from schema
    if schema:
        return  # the handlers of the sandbox take inputs that its tables let through
    yield from documented.complaints(resource)
    yield from formats.complaints(resource)
    yield from discovery.complaints(resource)
    yield from azure.complaints(graph, resource)
    if resource.type.startswith("aws:"):
        yield from calls.complaints(resource)


def _kept(stash: Resource) -> Iterator[str]:
    if "input" not in stash.inputs:
        yield "input: required by the engine and missing"
    kept = stash.inputs.get("input")
    if isinstance(kept, Mapping) and kept.keys() != {"id", "name"}:
        yield "input: an image is kept by its name and its id"
