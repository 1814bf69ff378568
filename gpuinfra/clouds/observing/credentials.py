"""Keys that a stack makes and that do not end by themselves."""

from collections.abc import Callable
from typing import Any

from gpuinfra.model import Credential, Resource, Rows


def lasting(cloud: str, what: str) -> Callable[..., Rows]:
    """Return who observes a type of key that is called `what` in words."""

    def rows(resource: Resource, *_: Any) -> Rows:
        key = Credential(name=resource.name, subject=resource.urn, cloud=cloud, what=what)
        return Rows(credentials=(key,))

    return rows
