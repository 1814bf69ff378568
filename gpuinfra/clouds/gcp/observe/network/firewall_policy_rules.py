"""The rules of firewall policies, standalone or listed in a policy.

https://docs.cloud.google.com/firewall/docs/network-firewall-policies
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.network import firewalls
from gpuinfra.clouds.observing.values import all_of, as_list, at, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_DECIDING: Final = ("action", "direction", "disabled", "match", "priority")
_ALLOWS: Final = frozenset({"allow", "apply_security_profile_group"})
"""Actions that let a connection in: what is inspected passes unless a threat is found in it.

https://docs.cloud.google.com/firewall/docs/about-security-profile-groups
"""
_RULES_BY_ACTION: Final = {**dict.fromkeys(_ALLOWS, "allows"), "deny": "denies"}
"""Actions that settle a connection; `goto_next` leaves it to the rules after."""

_INSIDE: Final = frozenset({"INTRA_VPC", "NON_INTERNET", "VPC_NETWORKS"})
"""Contexts of sources that leave out the internet, of pulumi-gcp 10.2.0's
`NetworkFirewallPolicyRuleMatch`."""


def rules(index: Index) -> Iterator[Resource]:
    """Yield every rule: the standalone ones, and those that a policy lists."""
    yield from index.of_kind(resource_types.FIREWALL_RULE)
    for policy in index.of_kind(resource_types.FIREWALL_RULES):
        yield from listed_rules(policy)


def listed_rules(policy: Resource) -> Iterator[Resource]:
    """Yield the rules that a policy lists, each as a resource of its own."""
    for rule in as_list(policy.inputs.get("rules")):
        inputs = rule if isinstance(rule, Mapping) else dict.fromkeys(_DECIDING, UNKNOWN)
        yield replace(policy, inputs=inputs)


def lets_login(rule: Resource, index: Index) -> Known:
    """Return whether a rule lets the internet log in; UNKNOWN where a denial may precede it."""
    action = text(rule.inputs.get("action"))
    if isinstance(action, Unknown):
        return UNKNOWN
    firewall = as_firewall(rule)
    opens_login = all_of(
        (
            action in _ALLOWS,
            may_be_outside(match_of(rule)),
            firewalls.is_in_force(firewall, "INGRESS"),
            firewalls.applies_to_all(firewall, "INGRESS"),
            firewalls.lets_login(firewall),
        )
    )
    if opens_login is False:
        return False
    return UNKNOWN if _may_be_denied(firewall, index) else opens_login


def match_of(rule: Resource) -> Any:
    """Return what a rule matches, which one of an organization's older policies nests deeper.

    `OrganizationSecurityPolicyRuleMatchArgs` of pulumi-gcp 10.2.0; a rule of such a policy
    with the type `CLOUD_ARMOR` has no `layer4Configs`, and opens no port.
    """
    match = rule.inputs.get("match")
    config = at(match, "config")
    return match if config is None else config


def may_be_outside(match: Any) -> Known:
    """Return whether the sources may be outside of Google Cloud's networks."""
    scopes = [text(at(match, key)) for key in ("srcNetworkScope", "srcNetworkContext")]
    return all_of(
        UNKNOWN if isinstance(scope, Unknown) else scope not in _INSIDE for scope in scopes
    )


def _may_be_denied(firewall: Resource, index: Index) -> bool:
    """Return whether a rule of the stack with higher priority denies this login to all."""
    other_rules = (as_firewall(rule) for rule in rules(index))
    return any(
        firewalls.denies_login(other)
        and firewalls.denies_all_of(other, firewall) is not False
        and firewalls.rank_of(other, 0) < firewalls.rank_of(firewall, firewalls.LOWEST)
        for other in other_rules
    )


def as_firewall(rule: Resource) -> Resource:
    """Return the rule in the form of a VPC firewall, with the same meaning."""
    match = match_of(rule)
    action = text(rule.inputs.get("action"))
    layers = [_layer(layer) for layer in as_list(at(match, "layer4Configs"))]
    inputs = {
        **{key: rule.inputs.get(key) for key in ("direction", "priority")},
        "disabled": rule.inputs.get("disabled") or rule.inputs.get("preview"),
        "sourceRanges": at(match, "srcIpRanges"),
        "sourceTags": at(match, "srcSecureTags"),
        "sourceServiceAccounts": _other_peers(match),
    }
    handled = _RULES_BY_ACTION.get(action) if isinstance(action, str) else None
    return replace(rule, inputs={**inputs, handled: layers} if handled else inputs)


def _layer(layer: Any) -> Any:
    if isinstance(layer, Unknown):
        return layer
    return {"protocol": at(layer, "ipProtocol"), "ports": at(layer, "ports")}


def _other_peers(match: Any) -> Any:
    """Return the other peers that a rule may be limited to."""
    keys = ("srcAddressGroups", "srcFqdns", "srcRegionCodes", "srcThreatIntelligences")
    return [peer for key in keys for peer in as_list(at(match, key))]
