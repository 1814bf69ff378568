"""The service accounts outside the stack that its code runs as, whose roles are not visible."""

from collections.abc import Iterator

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.rights import permissions
from gpuinfra.clouds.observing import unseen_runtime_identities
from gpuinfra.model import NotJudged, Resource


def rows(index: Index) -> Iterator[NotJudged]:
    """Yield a row for each resource that runs as such an account."""

    def is_ours(resource: Resource, prop: str, name: str) -> bool:
        accounts = index.targets(resource, prop, resource_types.ACCOUNT, name)
        return unseen_runtime_identities.are_ours(accounts) or any(
            permissions.is_address(name, account)
            for account in index.of_kind(resource_types.ACCOUNT)
        )

    yield from unseen_runtime_identities.rows(index, "gcp:", is_ours)
