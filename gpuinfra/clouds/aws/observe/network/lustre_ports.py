"""Checks whether Lustre's ports are open between a file system and its machines, both ways.

https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
"""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.aws.lustre.tiers import PORTS
from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.network import traffic
from gpuinfra.model import Resource

_ALL_PORTS: Final = tuple(port for first, last in PORTS for port in range(first, last + 1))
_RULES: Final = (resource_types.INGRESS, resource_types.EGRESS)
_PEER: Final = "referencedSecurityGroupId"


def faults_of(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the ports that the security groups of a file system and its clients block.

    Its clients' groups are those that share a rule with its own.
    """
    groups = index.targets(resource, "securityGroupIds", resource_types.SECURITY_GROUP)
    if resource.inputs.get("securityGroupIds") is None:
        yield "it has only the VPC's default security group, which allows no other group in"
    for group in groups.certain if groups.exact else ():
        yield from _closed_ports(group, group, index)
        for client in _clients(group, index):
            yield from _closed_ports(group, client, index)
            yield from _closed_ports(client, group, index)


def _clients(group: Resource, index: Index) -> tuple[Resource, ...]:
    groups: dict[str, Resource] = {}
    for kind in _RULES:
        for rule in index.referrers(group, kind, _PEER).certain:
            owners = index.targets(rule, "securityGroupId", resource_types.SECURITY_GROUP).certain
            groups |= {owner.urn: owner for owner in owners}
        for rule in index.referrers(group, kind, "securityGroupId").certain:
            peers = index.targets(rule, _PEER, resource_types.SECURITY_GROUP).certain
            groups |= {peer.urn: peer for peer in peers}
    return tuple(resource for urn, resource in groups.items() if urn != group.urn)


def _closed_ports(group: Resource, peer_group: Resource, index: Index) -> Iterator[str]:
    for direction in traffic.DIRECTIONS:
        is_same_group = group.urn == peer_group.urn
        missing = [
            port
            for port in _ALL_PORTS
            if traffic.passes(group, direction, port, index, to_itself=is_same_group) is False
        ]
        if missing:
            toward = "from" if direction == "ingress" else "to"
            yield (
                f"{group.name} does not allow TCP {missing[0]} {toward} {peer_group.name}: "
                "Lustre needs 988 and 1018-1023"
            )
