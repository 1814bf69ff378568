"""Checks whether Identity-Aware Proxy restricts access to a backend service.

https://docs.cloud.google.com/iap/docs/managing-access
"""

from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.identity import ANYONE
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.values import any_of, as_list, at, equals, flag, opposite
from gpuinfra.model import UNKNOWN, Known, Resource

_GRANTS: Final = (
    "gcp:iap/webBackendServiceIamMember:WebBackendServiceIamMember",
    "gcp:iap/webBackendServiceIamBinding:WebBackendServiceIamBinding",
    "gcp:iap/webRegionBackendServiceIamMember:WebRegionBackendServiceIamMember",
    "gcp:iap/webRegionBackendServiceIamBinding:WebRegionBackendServiceIamBinding",
)
_SERVICES: Final = ("webBackendService", "webRegionBackendService")
_ACCESS: Final = "roles/iap.httpsResourceAccessor"


def lets_anyone_in(service: Resource, index: Index) -> Known:
    """Return whether anyone passes the proxy of a service, or it is off."""
    enabled = flag(at(service.inputs.get("iap"), "enabled"))
    return any_of((opposite(True if enabled is None else enabled), _grants_anyone(service, index)))


def _grants_anyone(service: Resource, index: Index) -> Known:
    """Return whether everyone has access to a service; UNKNOWN with a condition."""
    return any_of(
        UNKNOWN if grant.inputs.get("condition") else True
        for kind in _GRANTS
        for grant in index.of_kind(kind)
        if equals(grant.inputs.get("role"), _ACCESS) is True
        and any(map(_is_anyone, _members(grant)))
        and any(_is_of(grant, key, service, index) for key in _SERVICES)
    )


def _members(grant: Resource) -> tuple[Any, ...]:
    return (*as_list(grant.inputs.get("member")), *as_list(grant.inputs.get("members")))


def _is_anyone(member: Any) -> bool:
    return isinstance(member, str) and member in ANYONE


def _is_of(grant: Resource, key: str, service: Resource, index: Index) -> bool:
    if grant.inputs.get(key) is None:
        return False
    return service in index.targets(grant, key, resource_types.BACKEND).certain
