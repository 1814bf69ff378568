"""Calls that run within a resource of the stack, whose own machines are already counted."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.values import as_list, at, text
from gpuinfra.model import Resource

_QUEUE: Final = "aws:batch/jobQueue:JobQueue"
_PLACES: Final = (
    ("computeEnvironmentOrders", "computeEnvironment", resource_types.BATCH),
    (
        "serviceEnvironmentOrders",
        "serviceEnvironment",
        "aws:batch/serviceEnvironment:ServiceEnvironment",
    ),
)
"""Where a queue runs its jobs:
https://docs.aws.amazon.com/batch/latest/APIReference/API_CreateJobQueue.html"""

BATCH_TARGET_KEY: Final = "batchTarget"
_OF_TASKS: Final = ("ecsTarget", "ecsParameters", "ecsTaskParameters")
_RUNS_TASK: Final = "ecs:runTask"
_SUBMITS: Final = "batch:submitJob"
_QUEUE_ARGUMENT: Final = "JobQueue"
"""The call that such a target of Batch makes, and the argument that its ARN is:
https://docs.aws.amazon.com/batch/latest/userguide/batch-cwe-target.html"""


def runs_own_tasks(resource: Resource, prop: str, target: Any, index: Index) -> bool:
    """Return whether a target's job or tasks run on machines that stand or are counted."""
    jobs = {_QUEUE_ARGUMENT: text(at(target, "arn"))} if at(target, BATCH_TARGET_KEY) else {}
    task_targets = next((targets for key in _OF_TASKS if (targets := at(target, key))), None)
    pairs = task_targets.items() if isinstance(task_targets, Mapping) else ()
    tasks = {f"{key[:1].upper()}{key[1:]}": value for key, value in pairs}
    return runs_within(resource, prop, _SUBMITS, jobs, index) or runs_within(
        resource, prop, _RUNS_TASK, tasks, index
    )


def runs_within(resource: Resource, prop: str, action: str, arguments: Any, index: Index) -> bool:
    """Return whether a call runs on machines that stand or are counted in the stack."""
    if _runs_on_machines(action, arguments):
        return True
    row = TABLES.table("may_start")["runs_within"].get(action)
    argument = at(arguments, row["argument"]) if row else None
    targets = index.targets(resource, prop, row["type"], argument).certain if argument else ()
    return any(is_counted(target, index) for target in targets)


def _runs_on_machines(action: str, arguments: Any) -> bool:
    """Return whether a call starts no machine, as its arguments say."""
    row = TABLES.table("may_start")["runs_on_machines"].get(action)
    return (
        row is not None
        and at(arguments, row["argument"]) in row["values"].split()
        and all(at(arguments, key) in (None, []) for key in row["without"].split())
    )


def is_counted(resource: Resource, index: Index) -> bool:
    """Return whether a resource's machines are counted; for a queue, those of its environments."""
    if resource_types.canonical(resource.type) != _QUEUE:
        return True
    return all(_environments_in_stack(resource, index))


def _environments_in_stack(queue: Resource, index: Index) -> Iterator[bool]:
    """Yield whether each compute environment of a job queue is in the stack."""
    for prop, key, kind in _PLACES:
        for order in as_list(queue.inputs.get(prop)):
            entry = at(order, key)
            yield bool(index.targets(queue, prop, kind, entry).certain) if entry else True
    for entry in as_list(queue.inputs.get("computeEnvironments")):
        yield bool(
            index.targets(queue, "computeEnvironments", resource_types.BATCH, entry).certain
        )
