"""Checks whether Identity-Aware Proxy restricts access to a service.

https://docs.cloud.google.com/iap/docs/managing-access
"""

from collections.abc import Iterable
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.rights.access_for_everyone import AccessRole, is_given_to_everyone
from gpuinfra.clouds.observing.possible_targets import possible_targets
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    flag,
    opposite,
    text,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

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
_FORWARDING_RULES: Final = AccessRole(
    roles=_ROLES,
    permission=_PERMISSION,
    on_one={
        "gcp:iap/webForwardingRuleServiceIam": "forwardingRuleServiceName",
        "gcp:iap/webRegionForwardingRuleServiceIam": "forwardingRuleRegionServiceName",
    },
    on_all=("gcp:iap/webIam",),
)
_RULES: Final = ("httpRules", "networkRules")


def lets_anyone_in(service: Resource, index: Index) -> Known:
    """Return whether anyone passes the proxy of a service, or it is off."""
    enabled = flag(at(service.inputs.get("iap"), "enabled"))
    return any_of(
        (
            opposite(True if enabled is None else enabled),
            is_given_to_everyone(service, _BACKENDS, index),
        )
    )


def rule_lets_anyone_in(rule: Resource, policies: Iterable[Resource], index: Index) -> Known:
    """Return whether the authorization policies of a forwarding rule let anyone in.

    A policy that hands every request to the proxy lets in whom the proxy does; what another
    policy allows or denies is not judged.
    https://docs.cloud.google.com/iap/docs/auth-policies (read 2026-11-28)
    """
    return all_of(
        any_of((opposite(is_meant), _policy_lets_anyone_in(policy, rule, index)))
        for policy in policies
        for is_meant, target in possible_targets(
            index,
            policy,
            "target",
            resource_types.FORWARDING,
            as_list(at(policy.inputs.get("target"), "resources")),
        )
        if target.urn == rule.urn
    )


def _policy_lets_anyone_in(policy: Resource, rule: Resource, index: Index) -> Known:
    proxy = at(policy.inputs.get("customProvider"), "cloudIap")
    is_custom = equals(text(policy.inputs.get("action")), "CUSTOM")
    if isinstance(proxy, Unknown) or proxy is None or is_custom is not True:
        return UNKNOWN
    if any(policy.inputs.get(key) for key in _RULES):
        return UNKNOWN
    return is_given_to_everyone(rule, _FORWARDING_RULES, index)
