"""Checks whether a Kubernetes object is created in a cluster of the stack, by its provider."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpuinfra.clouds.observing.index import Index
from gpuinfra.model import Resource, Unknown

_CONNECTION: Final = ("kubeconfig", "context", "cluster")
"""What a provider reaches a cluster by:
https://www.pulumi.com/registry/packages/kubernetes/api-docs/provider/#inputs"""

_PARTS: Final = re.compile(r"[^/_:@\s]+")
"""Of the name of a context: `gke_PROJECT_LOCATION_NAME`, `arn:aws:eks:…:cluster/NAME`."""

_ADDRESSES: Final = ("endpoint", "fqdn", "privateFQDN", "privateFqdn")
"""What the clouds call the address of a cluster's control plane."""


def is_elsewhere(resource: Resource, index: Index, kind: str) -> bool:
    """Return whether an object is known to be in none of the stack's clusters of a kind.

    Where no provider is shown, or one that says nothing, the surroundings of the program tell
    where it is made, and it is taken for a cluster of the stack.
    """
    provider = resource.provider
    if provider is None or not any(provider.inputs.get(key) is not None for key in _CONNECTION):
        return False
    key = ("cluster of objects", provider.urn, kind)
    return index.memo(key, lambda: not _may_reach(provider, index, kind))


def _may_reach(provider: Resource, index: Index, kind: str) -> bool:
    """Return whether a provider's settings may come from a cluster of a kind, or name one.

    A file may show no relations at all, as a stream of events does; what it hides may be anything.
    """
    plain_provider = replace(provider, urn="", depends_on=(), relations=dict(_relations(provider)))
    if not plain_provider.relations and any(
        isinstance(provider.inputs.get(key), Unknown) for key in _CONNECTION
    ):
        return not any(stack_resource.relations for stack_resource in index)
    return any(
        _comes_from(plain_provider, cluster, index) or _names_cluster(provider, cluster)
        for cluster in index.of_kind(kind)
    )


def _relations(provider: Resource) -> Iterator[tuple[str, tuple[str, ...]]]:
    for key in _CONNECTION:
        if provider.relations.get(key):
            yield key, provider.relations[key]


def _comes_from(provider: Resource, cluster: Resource, index: Index) -> bool:
    """Return whether settings depend on a cluster, or on a component that contains it."""
    if index.is_made_after(provider, cluster):
        return True
    sources = {urn for urns in provider.relations.values() for urn in urns}
    return not sources.isdisjoint(_containing_components(cluster, index))


def _containing_components(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the components that contain a resource, each once."""
    parents = index.memo(
        "parents", lambda: {stack_resource.urn: stack_resource.parent for stack_resource in index}
    )
    parent_urn, met = resource.parent, set[str]()
    while parent_urn is not None and parent_urn not in met:
        yield parent_urn
        met.add(parent_urn)
        parent_urn = parents.get(parent_urn)


def _names_cluster(provider: Resource, cluster: Resource) -> bool:
    """Return whether known settings contain a cluster's address, or its name in a context."""
    values = [provider.inputs.get(key) for key in _CONNECTION]
    config, *names = (text if isinstance(text, str) else "" for text in values)
    cluster_names = (cluster.outputs.get(key) for key in _ADDRESSES)
    parts = {part for name in names for part in _PARTS.findall(name)}
    called = {cluster.inputs.get(key) for key in ("name", "resourceName")}
    called.add(cluster.outputs.get("name"))
    return not parts.isdisjoint(called) or any(
        isinstance(address, str) and address and address in config for address in cluster_names
    )
