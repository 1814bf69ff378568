"""Security groups of interfaces that take no login, those of VPC endpoints for example."""

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
    users = {
        resource_types.canonical(resource.type)
        for resource in index
        if resource.custom and resource.urn != group.urn and _refers(resource, group)
    }
    return bool(users & _ENDPOINTS) and users <= _ENDPOINTS | _RULES


def _refers(resource: Resource, group: Resource) -> bool:
    if any(group.urn in urns for urns in resource.relations.values()):
        return True
    own = group.outputs.get("id")
    return isinstance(own, str) and own in texts_in(resource.inputs)
