"""Network ACLs that block outbound HTTPS of a subnet, or the replies.

One that has no rules denies everything:
https://docs.aws.amazon.com/vpc/latest/userguide/vpc-network-acls.html
"""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.fault_texts import Remark, blocked
from gpuinfra.clouds.observing.values import as_list, at, flag, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown

_LIST, _DEFAULT = resource_types.NETWORK_ACLS
_ASSOCIATION: Final = "aws:ec2/networkAclAssociation:NetworkAclAssociation"
_RULE: Final = "aws:ec2/networkAclRule:NetworkAclRule"
_NAMING: Final = ((_LIST, "subnetIds"), (_DEFAULT, "subnetIds"), (_ASSOCIATION, "subnetId"))
_DEFAULT_ACL_OUTPUT: Final = "defaultNetworkAclId"
_HTTPS: Final = (443, 443)
_REPLIES: Final = (1024, 65535)
"""Ports to which replies come:
https://docs.aws.amazon.com/vpc/latest/userguide/custom-network-acl.html#nacl-ephemeral-ports"""
_TCP: Final = frozenset({"-1", "all", "tcp", "6"})


def acl_remarks(subnet: Resource, index: Index) -> Iterator[Remark]:
    """Yield the traffic that the network ACL of a subnet blocks for its machines."""
    for acl in _acls_of_subnet(subnet, index):
        if not _allows(acl, "egress", _HTTPS, index):
            yield blocked(
                f"the network ACL {acl.name} allows no outbound HTTPS (TCP 443)",
                f"allow outbound TCP 443 in the network ACL {acl.name}",
            )
        if not _allows(acl, "ingress", _REPLIES, index):
            yield blocked(
                f"the network ACL {acl.name} allows no inbound replies (TCP 1024-65535)",
                f"allow inbound TCP 1024-65535 in the network ACL {acl.name}",
            )


def _acls_of_subnet(subnet: Resource, index: Index) -> tuple[Resource, ...]:
    """Return the ACLs of a subnet, which has one: its own, or that of its network."""
    associated_acls = [
        acl
        for kind in (_LIST, _DEFAULT)
        for acl in index.referrers(subnet, kind, "subnetIds").certain
    ]
    for association in index.referrers(subnet, _ASSOCIATION, "subnetId").certain:
        associated_acls += index.targets(association, "networkAclId", _LIST).certain
    association_lists = (index.referrers(subnet, kind, key) for kind, key in _NAMING)
    if associated_acls or not all(other.complete for other in association_lists):
        return tuple({acl.urn: acl for acl in associated_acls}.values())
    networks = index.targets(subnet, "vpcId", resource_types.NETWORK).certain
    return tuple(
        acl
        for acl in index.of_kind(_DEFAULT)
        for network in networks
        if _is_of(acl, network, index)
    )


def _is_of(acl: Resource, network: Resource, index: Index) -> bool:
    default_acl_id = acl.inputs.get(_DEFAULT_ACL_OUTPUT)
    if isinstance(default_acl_id, str):
        return default_acl_id == network.outputs.get(_DEFAULT_ACL_OUTPUT)
    return network in index.related_resources(acl, _DEFAULT_ACL_OUTPUT)


def _allows(acl: Resource, direction: str, ports: tuple[int, int], index: Index) -> bool:
    """Return whether a rule of an ACL may allow TCP to or from some of these ports."""
    entries = acl.inputs.get(direction)
    if entries is None and acl.type != _DEFAULT:
        entries = acl.outputs.get(direction)
    added = index.referrers(acl, _RULE, "networkAclId")
    rules = [rule.inputs for rule in added.certain if _is_for(rule, direction)]
    return not added.complete or any(
        _may_allow(rule, ports) for rule in (*as_list(entries), *rules)
    )


def _is_for(rule: Resource, direction: str) -> bool:
    """Return whether a standalone rule may apply to a direction; by default it is inbound."""
    out = flag(rule.inputs.get("egress"))
    return isinstance(out, Unknown) or bool(out) is (direction == "egress")


def _may_allow(rule: Any, ports: tuple[int, int]) -> bool:
    action = at(rule, "action") or at(rule, "ruleAction")
    protocol = at(rule, "protocol")
    if isinstance(rule, Unknown) or UNKNOWN in (action, protocol):
        return True
    if str(action).lower() != "allow" or str(protocol).lower() not in _TCP:
        return False
    first, last = whole_number(at(rule, "fromPort")), whole_number(at(rule, "toPort"))
    is_all_protocols = str(protocol).lower() in {"-1", "all"}
    if is_all_protocols or not isinstance(first, int) or not isinstance(last, int):
        return True
    return first <= ports[1] and last >= ports[0]
