"""Scalable targets of Application Auto Scaling, and whether their resources are in the stack.

Registering one sets the capacity at once to a value between its bounds, also of a resource of
another stack:
https://docs.aws.amazon.com/autoscaling/application/APIReference/API_RegisterScalableTarget.html
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.values import text, whole_number
from gpuinfra.model import Resource, Unknown

_PARTS: Final = re.compile(r"[/:]")
_NAMES: Final = ("id", "arn", "name", "clusterIdentifier", "replicationGroupId", "clusterId")
"""What a resource id of Application Auto Scaling names a resource by."""
_RAISES: Final = "it may raise the target of a fleet of spot machines"
_PROVISIONED_CONCURRENCY: Final = "sagemaker:variant:DesiredProvisionedConcurrency"
_CONCURRENCY_REASON: Final = (
    "it keeps concurrency of a serverless endpoint, whose price is unknown"
)
"""https://docs.aws.amazon.com/autoscaling/application/userguide/services-that-can-integrate-sagemaker.html"""
_OUTSIDE_TARGET_REASON: Final = "it sets the capacity of {}, which is not declared here"


def outside_target_reasons(target: Resource, index: Index) -> Iterator[str | Unknown]:
    """Yield why the resource of a scalable target is not judged: it is not in the stack.

    https://docs.aws.amazon.com/autoscaling/application/userguide/integrated-services-list.html
    """
    namespace = text(target.inputs.get("serviceNamespace"))
    table = TABLES.table("may_start")["scales"]
    if isinstance(namespace, Unknown):
        yield namespace
    elif (
        whole_number(target.inputs.get("maxCapacity")) == 0 or namespace in table["priced"].split()
    ):
        return
    elif namespace == "ec2":
        yield _RAISES
    elif target.inputs.get("scalableDimension") == _PROVISIONED_CONCURRENCY:
        yield _CONCURRENCY_REASON
    elif not _is_own(target, table["owners"].get(namespace, {}), index):
        name = target.inputs.get("resourceId")
        yield _OUTSIDE_TARGET_REASON.format(name if isinstance(name, str) else "a resource")


def _is_own(target: Resource, owners: Mapping[str, Any], index: Index) -> bool:
    """Return whether the scaled resource is in the stack, found by its type and id."""
    name = target.inputs.get("resourceId")
    if not isinstance(name, str):
        related_types = {
            resource_types.canonical(scaling_policy.type)
            for scaling_policy in index.related_resources(target, "resourceId")
        }
        return not related_types.isdisjoint(owners)
    parts = dict(enumerate(_PARTS.split(name)))
    return any(
        (name if id_index is None else parts.get(id_index)) in _target_names(owner)
        for kind, id_index in owners.items()
        for owner in index.of_kind(kind)
    )


def _target_names(owner: Resource) -> set[str]:
    values = (
        properties.get(key) for properties in (owner.inputs, owner.outputs) for key in _NAMES
    )
    return {value for value in values if isinstance(value, str)}
