"""The EBS volumes that an ECS service creates, one per task and deleted with it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from math import ceil
from typing import Any, Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.resource_types import ECS_SERVICE, SCALABLE_TARGET
from gpuinfra.clouds.aws.observe.storage.disk_rows import (
    volume_encrypted,
    volume_faults,
    volume_rows,
)
from gpuinfra.clouds.observing.disk_resource_row import disk_row
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.clouds.observing.values import as_list, at, largest, text, whole_or
from gpuinfra.model import UNKNOWN, Item, Resource, Rows, Unknown

_VOLUME_KEYS: Final = {
    "size": "sizeInGb",
    "type": "volumeType",
    "iops": "iops",
    "throughput": "throughput",
    "encrypted": "encrypted",
    "snapshotId": "snapshotId",
}
"""The inputs of a standalone volume for the inputs of a task's volume:
https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_ServiceManagedEBSVolumeConfiguration.html"""
_DEFAULT_VOLUME_TYPE: Final = "gp3"
_NAMESPACE: Final = "ecs"
_SURGE: Final = 200
"""The share of tasks that a deployment may run at once, unless the service says another:
https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_DeploymentConfiguration.html"""
_FULL_PERCENT: Final = 100
_ROLLING: Final = {None, "ECS", "ROLLING"}
"""The types of controllers and the strategies that replace tasks step by step; None is ECS's."""


def service_volumes(service: Resource, index: Index) -> Rows:
    """Return the volumes of as many tasks as a service may run at once."""
    volumes = as_list(service.inputs.get("volumeConfiguration"))
    managed = [spec for volume in volumes if (spec := at(volume, "managedEbsVolume")) is not None]
    if not managed:
        return Rows()
    tasks = most_tasks(service, index)
    standalone_volumes = [_as_standalone_volume(service, spec) for spec in managed]
    return Rows(
        items=tuple(
            item for volume in standalone_volumes for item in _items(volume, tasks, index)
        ),
        disks=tuple(
            row
            for volume in standalone_volumes
            for row in disk_row(
                "aws", volume, volume_encrypted(volume, index), volume_faults(volume.inputs)
            )
        ),
    )


def _as_standalone_volume(service: Resource, spec: Any) -> Resource:
    """Return a task's volume in the form of a standalone volume."""
    inputs = {key: at(spec, name) for key, name in _VOLUME_KEYS.items()}
    if isinstance(spec, Mapping) and inputs["type"] is None:
        inputs["type"] = _DEFAULT_VOLUME_TYPE
    return replace(service, inputs=inputs, outputs={}, relations={})


def _items(volume: Resource, tasks: int | Unknown, index: Index) -> Iterator[Item]:
    region = locations.region_of(volume, index)
    for item, unit, quantity in volume_rows(volume.inputs):
        total = UNKNOWN if quantity is None else times_tasks(quantity, tasks)
        yield service_item("aws", volume, "disk", item, unit, total, region)


def times_tasks(quantity: Decimal | Unknown, tasks: int | Unknown) -> Decimal | Unknown:
    """Return what all tasks have of a quantity of each; UNKNOWN where either is."""
    if isinstance(quantity, Unknown) or isinstance(tasks, Unknown):
        return UNKNOWN
    return quantity * tasks


def most_tasks(service: Resource, index: Index) -> int | Unknown:
    """Return the most tasks of a service at once; UNKNOWN for one task per machine."""
    inputs = service.inputs
    if text(inputs.get("schedulingStrategy")) not in {None, "REPLICA"}:
        return UNKNOWN
    count = largest([whole_or(inputs.get("desiredCount"), 0), *_maximum_tasks(service, index)])
    share = _most_percent(inputs)
    if isinstance(count, Unknown) or isinstance(share, Unknown):
        return UNKNOWN
    return ceil(count * max(share, _FULL_PERCENT) / _FULL_PERCENT)


def _most_percent(inputs: Mapping[str, Any]) -> int | Unknown:
    """Return the percentage of its tasks that a deployment of a service may run at once.

    Its own maximum is for rolling updates. Others start all tasks anew beside those that run:
    https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_DeploymentConfiguration.html
    """
    percent = whole_or(inputs.get("deploymentMaximumPercent"), _SURGE)
    strategies = (
        text(at(inputs.get("deploymentController"), "type")),
        text(at(inputs.get("deploymentConfiguration"), "strategy")),
    )
    return percent if _ROLLING.issuperset(strategies) else largest((percent, _SURGE))


def _maximum_tasks(service: Resource, index: Index) -> Iterator[int | Unknown]:
    """Yield the maximum tasks that Application Auto Scaling allows a service.

    It is UNKNOWN where a target has an unknown name that is of no other service of the stack.
    """
    service_name = service.inputs.get("name") or service.outputs.get("name")
    for target in index.of_kind(SCALABLE_TARGET):
        if target.inputs.get("serviceNamespace") != _NAMESPACE:
            continue
        name = text(target.inputs.get("resourceId"))
        related_resources = list(index.related_resources(target, "resourceId"))
        if service in related_resources or (
            isinstance(name, str) and name.rpartition("/")[2] == service_name
        ):
            yield whole_or(target.inputs.get("maxCapacity"), 0)
        elif isinstance(name, Unknown) and all(
            related_resource.type != ECS_SERVICE for related_resource in related_resources
        ):
            yield UNKNOWN
