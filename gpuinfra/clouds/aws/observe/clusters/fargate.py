"""What tasks cost on Fargate: those of an ECS service by their size, those of Batch by its vCPUs.

A task on Fargate Spot is counted at the price on demand, which is the most that it may cost.
https://aws.amazon.com/fargate/pricing/
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.resource_types import TASK
from gpuinfra.clouds.aws.observe.storage.task_volumes import most_tasks, times_tasks
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.clouds.observing.values import amount, any_of, as_list, at, flag, text
from gpuinfra.model import UNKNOWN, Item, Resource, Unknown

_CPU: Final = re.compile(r"(?P<units>\d+)|(?P<whole>\d*\.?\d+) ?vcpu", re.IGNORECASE)
_MEMORY: Final = re.compile(r"(?P<units>\d+)|(?P<whole>\d*\.?\d+) ?gb", re.IGNORECASE)
"""How the size of a task is written, in units of 1/1024 or as a whole:
https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_TaskDefinition.html"""
_UNITS: Final = 1024
_FREE_STORAGE_GB: Final = 20
_MOST_STORAGE_GB: Final = 200
"""Of one task: https://docs.aws.amazon.com/AmazonECS/latest/developerguide/fargate-task-storage.html"""
_MOST_MEMORY_GB: Final = Decimal(8)
"""Of each vCPU: https://docs.aws.amazon.com/AmazonECS/latest/developerguide/fargate-tasks-services.html"""
_MOST_TASKS: Final = Decimal(4)
"""On each vCPU, in the smallest size."""
_ARM: Final = "ARM64"
_WINDOWS: Final = "WINDOWS"
_ZERO: Final = Decimal(0)


def task_items(service: Resource, index: Index) -> tuple[Item, ...] | None:
    """Return the price rows of the most tasks of a service; None where their size is not known."""
    value = service.inputs.get("taskDefinition")
    definitions = index.targets(service, "taskDefinition", TASK, value).certain
    quantities = _task_quantities(definitions[0]) if len(definitions) == 1 else None
    if quantities is None:
        return None
    tasks = most_tasks(service, index)
    region = locations.region_of(service, index)
    return tuple(
        service_item("aws", service, "tasks", item, "hour", times_tasks(count, tasks), region)
        for item, count in (*quantities.items(), *_addresses(service))
    )


def batch_items(
    environment: Resource, index: Index, vcpus: int | Unknown, *, spot: bool
) -> tuple[Item, ...]:
    """Return the price rows of the dearest jobs that a compute environment runs at once.

    Jobs have definitions of their own, also those of other stacks: they may run on Windows, which
    Fargate Spot does not, with the most memory, storage and public addresses that tasks can have.
    https://docs.aws.amazon.com/batch/latest/APIReference/API_RuntimePlatform.html
    """
    platform = "" if spot else "-windows"
    each = {f"fargate{platform}-vcpu": Decimal(1), f"fargate{platform}-memory": _MOST_MEMORY_GB}
    each |= {} if spot else {"fargate-windows-licence": Decimal(1)}
    each["fargate-storage"] = _MOST_TASKS * (_MOST_STORAGE_GB - _FREE_STORAGE_GB)
    each["public-ipv4-hour"] = _MOST_TASKS
    region = locations.region_of(environment, index)
    return tuple(
        service_item("aws", environment, "jobs", item, "hour", times_tasks(count, vcpus), region)
        for item, count in each.items()
    )


def _task_quantities(definition: Resource) -> dict[str, Decimal] | None:
    """Return what a task pays for an hour, by item; None where its size is not known."""
    inputs = definition.inputs
    vcpus, memory = _size(inputs.get("cpu"), _CPU), _size(inputs.get("memory"), _MEMORY)
    storage = amount(at(inputs.get("ephemeralStorage"), "sizeInGib"))
    platform = _platform(inputs.get("runtimePlatform"))
    if vcpus is None or memory is None or platform is None or isinstance(storage, Unknown):
        return None
    quantities = {f"fargate{platform}-vcpu": vcpus, f"fargate{platform}-memory": memory}
    if platform == "-windows":
        quantities["fargate-windows-licence"] = vcpus
    beyond = (storage or _ZERO) - _FREE_STORAGE_GB
    return {**quantities, "fargate-storage": beyond} if beyond > 0 else quantities


def _size(value: Any, form: re.Pattern[str]) -> Decimal | None:
    match = form.fullmatch(str(value).strip()) if isinstance(value, (str, int)) else None
    if match is None:
        return None
    return Decimal(match["units"]) / _UNITS if match["units"] else Decimal(match["whole"])


def _platform(runtime: Any) -> str | None:
    """Return the part of an item's name for a platform; None where it is not known."""
    family = text(at(runtime, "operatingSystemFamily"))
    architecture = text(at(runtime, "cpuArchitecture"))
    if isinstance(family, Unknown) or isinstance(architecture, Unknown):
        return None
    if family is not None and family.startswith(_WINDOWS):
        return "-windows"
    return "-arm" if architecture == _ARM else ""


def _addresses(service: Resource) -> Iterator[tuple[str, Decimal | Unknown]]:
    """Yield the public address of each task, where it may have one."""
    networks = as_list(service.inputs.get("networkConfiguration"))
    public = any_of(flag(at(network, "assignPublicIp")) or False for network in networks)
    if public is not False:
        yield "public-ipv4-hour", UNKNOWN if isinstance(public, Unknown) else Decimal(1)
