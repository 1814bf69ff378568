"""The resources with security groups of another VPC than their subnets."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.start_places import foreign_groups
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import Resource

_INPUTS: Final = {
    resource_types.BALANCER: ("", "subnets", "securityGroups"),
    resource_types.CLASSIC_BALANCER: ("", "subnets", "securityGroups"),
    resource_types.ENDPOINT: ("", "subnetIds", "securityGroupIds"),
    resource_types.EKS_CLUSTER: ("vpcConfig", "subnetIds", "securityGroupIds"),
    resource_types.FUNCTION: ("vpcConfig", "subnetIds", "securityGroupIds"),
    resource_types.INTERFACE: ("", "subnetId", "securityGroups"),
    resource_types.LUSTRE: ("", "subnetIds", "securityGroupIds"),
    "aws:efs/mountTarget:MountTarget": ("", "subnetId", "securityGroups"),
}
"""The inputs of a type for its subnets and security groups, and the input that they are in."""


def faults_of(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the security groups of a resource that its subnets' VPC does not have."""
    row = _INPUTS.get(resource_types.canonical(resource.type))
    if row is None:
        return
    part, *keys = row
    kinds = (resource_types.SUBNET, resource_types.SECURITY_GROUP)
    subnets, groups = (
        _named_targets(resource, part, key, kind, index)
        for key, kind in zip(keys, kinds, strict=True)
    )
    yield from foreign_groups(subnets.certain, [groups], index)


def _named_targets(resource: Resource, part: str, key: str, kind: str, index: Index) -> Targets:
    value = at(resource.inputs, part, key) if part else resource.inputs.get(key)
    return Targets() if value is None else index.targets(resource, part or key, kind, value)
