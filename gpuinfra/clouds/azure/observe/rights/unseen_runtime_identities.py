"""The managed identities outside the stack that its code runs as; their roles are unknown."""

from collections.abc import Iterator

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing import unseen_runtime_identities
from gpuinfra.model import NotJudged, Resource


def rows(index: Index) -> Iterator[NotJudged]:
    """Yield a row for each resource that runs as such an identity."""

    def is_ours(resource: Resource, prop: str, name: str) -> bool:
        identities = index.targets(resource, prop, resource_types.IDENTITY, [name])
        return unseen_runtime_identities.are_ours(identities)

    yield from unseen_runtime_identities.rows(index, "azure-native:", is_ours)
