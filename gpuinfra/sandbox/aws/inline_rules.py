"""Inline rules of a security group, compared by peer since AWS merges and splits them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

# Pulumi's list of peers -> (AWS list, AWS field)
_PEERS = {
    "cidrBlocks": ("IpRanges", "CidrIp"),
    "ipv6CidrBlocks": ("Ipv6Ranges", "CidrIpv6"),
    "prefixListIds": ("PrefixListIds", "PrefixListId"),
    "securityGroups": ("UserIdGroupPairs", "GroupId"),
}
_GROUPS = "securityGroups"
_ALL_PROTOCOLS = "-1"


@dataclass(frozen=True)
class _Flow:
    """The traffic that a rule allows: protocol, port range, and description."""

    protocol: str
    from_port: int
    to_port: int
    note: str


@dataclass(frozen=True)
class _Peer:
    """One of AWS's rules: one flow with one peer of one kind."""

    flow: _Flow
    kind: str
    peer: str


def permission(rule: dict[str, Any], group_id: str) -> dict[str, Any]:
    """Return an inline rule as AuthorizeSecurityGroup… expects it; `self` is the group itself."""
    peers = list(_rule_peers(rule, group_id))
    flow = _flow_of_rule(rule)
    ports = (
        {}
        if flow.protocol == _ALL_PROTOCOLS
        else {"FromPort": flow.from_port, "ToPort": flow.to_port}
    )
    note = {"Description": flow.note} if flow.note else {}
    lists = {
        aws: [{field: peer.peer, **note} for peer in peers if peer.kind == kind]
        for kind, (aws, field) in _PEERS.items()
    }
    return {"IpProtocol": flow.protocol, **ports, **lists}


def read_back(
    permissions: list[dict[str, Any]], known: list[dict[str, Any]], group_id: str
) -> list[dict[str, Any]]:
    """Return the existing rules: the known ones that are complete, then all others."""
    unmatched = Counter(
        peer for permission in permissions for peer in _permission_peers(permission)
    )
    rules = []
    for rule in known:
        declared = Counter(_rule_peers(rule, group_id))
        present = declared & unmatched
        unmatched -= present
        if present == declared:
            rules.append(rule)
        elif present:
            rules += _group_peers(present, group_id)
    return rules + _group_peers(unmatched, group_id)


def _rule_peers(rule: dict[str, Any], group_id: str) -> Iterator[_Peer]:
    flow = _flow_of_rule(rule)
    for kind in _PEERS:
        for peer in rule.get(kind) or []:
            yield _peer(flow, kind, peer)
    if rule.get("self"):
        yield _peer(flow, _GROUPS, group_id)


def _peer(flow: _Flow, kind: str, peer: str) -> _Peer:
    """Return a peer; a group has no description, since moto does not keep it."""
    return _Peer(replace(flow, note="") if kind == _GROUPS else flow, kind, peer)


def _flow_of_rule(rule: dict[str, Any]) -> _Flow:
    protocol = str(rule["protocol"]).lower()
    if protocol in {"all", _ALL_PROTOCOLS}:
        return _Flow(_ALL_PROTOCOLS, 0, 0, rule.get("description") or "")
    ports = int(rule["fromPort"]), int(rule["toPort"])
    return _Flow(protocol, *ports, rule.get("description") or "")


def _permission_peers(permission: dict[str, Any]) -> Iterator[_Peer]:
    protocol = permission["IpProtocol"]
    first, last = (
        (0, 0) if protocol == _ALL_PROTOCOLS else (permission["FromPort"], permission["ToPort"])
    )
    for kind, (aws, field) in _PEERS.items():
        for peer in permission.get(aws) or []:
            flow = _Flow(protocol, first, last, peer.get("Description") or "")
            yield _peer(flow, kind, peer[field])


def _group_peers(peers: Iterable[_Peer], group_id: str) -> list[dict[str, Any]]:
    flows: dict[_Flow, dict[str, Any]] = {}
    for peer in peers:
        flow = peer.flow
        rule = flows.setdefault(
            flow,
            {"protocol": flow.protocol, "fromPort": flow.from_port, "toPort": flow.to_port}
            | ({"description": flow.note} if flow.note else {}),
        )
        if peer.peer == group_id:
            rule["self"] = True
        else:
            rule.setdefault(peer.kind, []).append(peer.peer)
    return list(flows.values())
