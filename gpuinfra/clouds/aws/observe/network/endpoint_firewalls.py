"""Security groups of interfaces without logins, for example of VPC endpoints."""

from functools import partial
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import texts_in
from gpuinfra.model import Resource

_ENDPOINTS: Final = frozenset(
    {
        resource_types.ENDPOINT,
        "aws:ec2/vpcEndpointSecurityGroupAssociation:VpcEndpointSecurityGroupAssociation",
        "aws:route53/resolverEndpoint:ResolverEndpoint",
    }
)
"""An endpoint passes requests to one service, and runs nothing of the user's:
https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html
https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/resolver.html"""
_RULES: Final = frozenset(
    {
        resource_types.SECURITY_GROUP,
        resource_types.SECURITY_RULE,
        resource_types.INGRESS,
        resource_types.EGRESS,
    }
)


def is_of_endpoints(group: Resource, index: Index) -> bool:
    """Return whether endpoints use a group, and nothing else of the stack refers to it."""
    users = index.memo("users of security groups", partial(_users, index)).get(group.urn, set())
    return bool(users & _ENDPOINTS) and users <= _ENDPOINTS | _RULES


def _users(index: Index) -> dict[str, set[str]]:
    """Return the types of the resources that refer to each security group, by its URN."""
    groups = index.of_kind(resource_types.SECURITY_GROUP)
    users: dict[str, set[str]] = {group.urn: set() for group in groups}
    by_id: dict[str, set[str]] = {}
    for group in groups:
        if isinstance(group_id := group.outputs.get("id"), str):
            by_id.setdefault(group_id, set()).add(group.urn)
    for resource in filter(lambda user: user.custom, index):
        related_urns = {urn for urns in resource.relations.values() for urn in urns}
        if by_id:
            related_urns.update(*(by_id.get(text, ()) for text in texts_in(resource.inputs)))
        for urn in (related_urns & users.keys()) - {resource.urn}:
            users[urn].add(resource_types.canonical(resource.type))
    return users
