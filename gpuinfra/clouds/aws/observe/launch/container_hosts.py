"""The groups whose machines run containers for EKS, Batch or ECS."""

from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import Known, Resource

_ECS_GROUP: Final = "autoScalingGroupProvider"


def runs_containers(group: Resource, index: Index) -> bool:
    """Return whether a group is a node group, Batch's, or of a capacity provider of ECS."""
    if resource_types.canonical(group.type) in {resource_types.NODE_GROUP, resource_types.BATCH}:
        return True
    providers = index.of_kind(resource_types.CAPACITY_PROVIDER)
    return any(is_group_of(provider, group, index) is True for provider in providers)


def is_group_of(provider: Resource, group: Resource, index: Index) -> Known:
    """Return whether a capacity provider names a group."""
    arn = at(provider.inputs.get(_ECS_GROUP), "autoScalingGroupArn")
    if arn is None:
        return False
    groups = index.targets(provider, _ECS_GROUP, resource_types.GROUP, arn)
    return groups.any_target(lambda member: member.urn == group.urn)
