"""How many machines the warm pool of a scaling group or a node group keeps beside the group."""

from typing import Any, Final

from gpuinfra.clouds.observing.values import at, flag, largest, whole
from gpuinfra.model import UNKNOWN, Resource, Unknown

_OF_NODES: Final = "warmPoolConfig"
"""https://docs.aws.amazon.com/eks/latest/APIReference/API_WarmPoolConfig.html"""
_UNLIMITED: Final = -1
"""The prepared capacity of a node group without a limit:
https://www.pulumi.com/registry/packages/aws/api-docs/eks/nodegroup/#nodegroupwarmpoolconfig"""


def kept_warm(group: Resource) -> int | Unknown:
    """Return how many machines a group's warm pool keeps beside its maximum, scheduled or own.

    Source: https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PutWarmPool.html
    """
    number = whole(at(_pool(group), "minSize"))
    return 0 if number is None else number


def with_warm_pool(group: Resource, most: int | Unknown) -> int | Unknown:
    """Return the most machines of a group and its warm pool together."""
    warm = kept_warm(group)
    if isinstance(most, Unknown) or isinstance(warm, Unknown):
        most = UNKNOWN
    else:
        most += warm
    prepared = whole(at(_pool(group), "maxGroupPreparedCapacity"))
    if prepared == _UNLIMITED and group.inputs.get(_OF_NODES) is not None:
        return UNKNOWN
    return most if prepared is None else largest((most, prepared))


def _pool(group: Resource) -> Any:
    nodes = group.inputs.get(_OF_NODES)
    pool = group.inputs.get("warmPool") if nodes is None else nodes
    return None if flag(at(pool, "enabled")) is False else pool
