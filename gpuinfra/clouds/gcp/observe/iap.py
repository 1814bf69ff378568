"""Checks whether Identity-Aware Proxy restricts access to a service.

https://docs.cloud.google.com/iap/docs/managing-access
"""

from typing import Final

from gpuinfra.clouds.gcp.observe.access_for_everyone import AccessRole, is_given_to_everyone
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.values import any_of, at, flag, opposite
from gpuinfra.model import Known, Resource

_ROLES: Final = frozenset({"roles/iap.httpsResourceAccessor"})
_PERMISSION: Final = "iap.webServiceVersions.accessViaIAP"
_BACKENDS: Final = AccessRole(
    roles=_ROLES,
    permission=_PERMISSION,
    on_one={
        "gcp:iap/webBackendServiceIam": "webBackendService",
        "gcp:iap/webRegionBackendServiceIam": "webRegionBackendService",
    },
    on_all=("gcp:iap/webIam", "gcp:iap/webTypeComputeIam"),
)
CLOUD_RUN: Final = AccessRole(
    roles=_ROLES,
    permission=_PERMISSION,
    on_one={"gcp:iap/webCloudRunServiceIam": "cloudRunServiceName"},
    on_all=("gcp:iap/webIam",),
)


def lets_anyone_in(service: Resource, index: Index) -> Known:
    """Return whether anyone passes the proxy of a service, or it is off."""
    enabled = flag(at(service.inputs.get("iap"), "enabled"))
    return any_of(
        (
            opposite(True if enabled is None else enabled),
            is_given_to_everyone(service, _BACKENDS, index),
        )
    )
