"""Keys that a stack makes and that do not end by themselves."""

from collections.abc import Callable
from typing import Any

from gpuinfra.model import Credential, Resource, Rows


def lasting(cloud: str, what: str) -> Callable[..., Rows]:
    """Return who observes a type of key that is called `what` in words."""

    def rows(resource: Resource, *_: Any) -> Rows:
        return Rows(credentials=(lasting_key(cloud, resource, what),))

    return rows


def lasting_key(cloud: str, resource: Resource, what: str) -> Credential:
    """Return the row of a key that a resource makes or has."""
    return Credential(name=resource.name, subject=resource.urn, cloud=cloud, what=what)
