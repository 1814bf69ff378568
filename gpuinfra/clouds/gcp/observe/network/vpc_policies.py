"""The rules of the firewall policy of a VPC, as firewalls that apply after the VPC's own.

https://docs.cloud.google.com/firewall/docs/firewall-policies-overview#rule-evaluation
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.network import firewall_policy_rules, firewalls
from gpuinfra.clouds.gcp.observe.network.networks import Vpc, may_be_on, resources_on
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import as_list, at, text, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown

_AFTER: Final = (None, "AFTER_CLASSIC_FIREWALL")
_PREDEFINED: Final = 2147483644
"""The first priority of the rules that every policy ends with, which pass on all connections."""

_LISTS: Final = ("AddressGroups", "RegionCodes")
"""Peers that may be anyone, which no rule lists here."""
_NARROWINGS: Final = {
    "INGRESS": ("destIpRanges", "srcNetworkScope", "srcNetworkContext", "srcNetworkType"),
    "EGRESS": ("srcIpRanges", "destNetworkScope", "destNetworkContext", "destNetworkType"),
}
"""What limits a rule to some of the machines' addresses, or to some kinds of networks."""

_NONE_KNOWN: Final = Targets(complete=False)


def firewalls_on(vpc: Vpc, index: Index) -> Targets:
    """Return the rules of a VPC's policy as firewalls; complete where every rule is seen."""
    kind, prop = resource_types.POLICY_ASSOCIATION, "attachmentTarget"
    associations = resources_on(vpc, kind, index, prop)
    if not associations.complete or may_be_on(vpc, kind, index, prop):
        return _NONE_KNOWN
    if not associations.certain:
        return Targets()
    association, *other_associations = associations.certain
    if vpc.resource is None or other_associations:
        return _NONE_KNOWN
    order = text(vpc.resource.inputs.get("networkFirewallPolicyEnforcementOrder"))
    rules = _rules_of(association, index)
    if order not in _AFTER or not rules.complete or any(map(_passes_on, rules.certain)):
        return _NONE_KNOWN
    return Targets(tuple(map(_as_vpc_firewall, rules.certain)))


def _rules_of(association: Resource, index: Index) -> Targets:
    """Return the rules of the global policy that an association names.

    A regional policy is for the machines of a region alone.
    """
    if association.type != resource_types.POLICY_ASSOCIATION:
        return _NONE_KNOWN
    for kind in (resource_types.FIREWALL_RULES, resource_types.FIREWALL_POLICY):
        policy = index.targets(association, "firewallPolicy", kind).only
        if policy is not None:
            break
    else:
        return _NONE_KNOWN
    if kind == resource_types.FIREWALL_POLICY:
        return index.referrers(policy, resource_types.FIREWALL_RULE, "firewallPolicy")
    return Targets(tuple(firewall_policy_rules.listed_rules(policy)))


def _passes_on(rule: Resource) -> bool:
    """Return whether a rule may exempt connections from those after it."""
    action = text(rule.inputs.get("action"))
    if isinstance(action, Unknown):
        return True
    priority = whole_number(rule.inputs.get("priority"))
    is_predefined_rule = isinstance(priority, int) and priority >= _PREDEFINED
    return action == "goto_next" and not is_predefined_rule


def _as_vpc_firewall(rule: Resource) -> Resource:
    """Return a rule as a firewall of the VPC; what a firewall can't say of it is unknown."""
    match = firewall_policy_rules.match_of(rule)
    firewall = firewall_policy_rules.as_firewall(rule)
    inputs = {**firewall.inputs, "priority": _rank(rule)}
    if rule.inputs.get("direction") == "EGRESS":
        ranges, narrowings = "destinationRanges", _NARROWINGS["EGRESS"]
        inputs[ranges] = _peers(match, "dest", at(match, "destIpRanges"))
    else:
        ranges, narrowings = "sourceRanges", _NARROWINGS["INGRESS"]
        inputs[ranges] = _peers(match, "src", at(match, "srcIpRanges"))
    if any(inputs[key] for key in ("sourceTags", "sourceServiceAccounts")):
        inputs |= {"sourceTags": None, "sourceServiceAccounts": [UNKNOWN]}
    if firewall_policy_rules.may_be_outside(match) is False:
        inputs |= {ranges: None, "sourceServiceAccounts": [UNKNOWN]}
    inputs["targetServiceAccounts"] = rule.inputs.get("targetServiceAccounts")
    limits = (rule.inputs.get("targetSecureTags"), rule.inputs.get("targetResources"))
    if any(limits) or any(at(match, key) for key in narrowings):
        inputs["targetTags"] = UNKNOWN
    return replace(firewall, inputs=inputs)


def _rank(rule: Resource) -> Any:
    """Return a rule's priority, behind those of the VPC's firewalls."""
    priority = whole_number(rule.inputs.get("priority"))
    return UNKNOWN if not isinstance(priority, int) else firewalls.VPC_LOWEST + 1 + priority


def _peers(match: Any, end: str, ranges: Any) -> Iterable[Any]:
    has_lists = any(at(match, f"{end}{kind}") for kind in _LISTS)
    return (*as_list(ranges), *([UNKNOWN] if has_lists else []))
