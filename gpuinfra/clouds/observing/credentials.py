"""Keys that a stack makes and that do not end by themselves."""

from collections.abc import Callable, Mapping
from typing import Any

from gpuinfra.model import Credential, Resource, Rows


def lasting(cloud: str, kinds: Mapping[str, str]) -> dict[str, Callable[..., Rows]]:
    """Return who observes the types of keys that are told in words."""
    return {kind: _made(cloud, what) for kind, what in kinds.items()}


def _made(cloud: str, what: str) -> Callable[..., Rows]:
    def rows(resource: Resource, *_: Any) -> Rows:
        key = Credential(name=resource.name, subject=resource.urn, cloud=cloud, what=what)
        return Rows(credentials=(key,))

    return rows
