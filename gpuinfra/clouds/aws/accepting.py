"""The checks of a stack file against AWS's limits, and the notes for readers of its plan."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws.bucket_faults import bucket_faults
from gpuinfra.clouds.aws.disk import disk_faults
from gpuinfra.clouds.aws.guards.alarms import has_readable_gpus
from gpuinfra.clouds.aws.guards.guard_notes import disk_loss_notes, guard_notes
from gpuinfra.clouds.aws.network_faults import network_stack_faults, used_regions
from gpuinfra.clouds.aws.start_scripts import pool_start_faults, training_start_faults
from gpuinfra.clouds.aws.workload_faults import workload_faults, workload_notes
from gpuinfra.clouds.provider_contract import Accepts

if TYPE_CHECKING:
    from gpuinfra.clouds.key_faults import KeyFault
    from gpuinfra.specs.schema import Inference, Stack, Training


def stack_faults(stack: "Stack", workload: "Training | Inference") -> "Iterable[KeyFault]":
    """Return the conflicts of a workload with other keys of the stack file."""
    faults = network_stack_faults(stack, workload)
    topics = () if stack.monitoring is None else stack.monitoring.topics
    if not topics:
        return faults
    from gpuinfra.clouds.aws.guards.topic_faults import topic_faults  # noqa: PLC0415  (few name any)

    return (*faults, *topic_faults(topics, used_regions(stack, workload)))


class CloudAccepts(Accepts):
    """The AWS implementation of the stack-file checks."""

    bucket_faults = staticmethod(bucket_faults)
    disk_faults = staticmethod(disk_faults)
    guard_notes = staticmethod(guard_notes)
    measures_gpu_use = staticmethod(has_readable_gpus)
    disk_loss_notes = staticmethod(disk_loss_notes)
    pool_start_faults = staticmethod(pool_start_faults)
    stack_faults = staticmethod(stack_faults)
    training_start_faults = staticmethod(training_start_faults)
    workload_faults = staticmethod(workload_faults)
    workload_notes = staticmethod(workload_notes)


ACCEPTS: Final = CloudAccepts()
