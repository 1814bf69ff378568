"""The GPU memory that the models of a stack need on the chosen machines."""

from collections.abc import Iterator
from decimal import Decimal

from gpuinfra.catalog.sizing.machine_fit import (
    MemoryNeed,
    MemoryTerm,
    ModelRequest,
    gpu_memory_gb,
    memory_need,
    model_request_of,
    rule_of_thumb,
)
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Group, Plan, Unknown
from gpuinfra.records import record
from gpuinfra.specs import Stack
from gpuinfra.specs.schema import Inference, Training


@record
class ModelFit:
    """A model on the machines of a workload's active rung.

    Attributes:
        group: the workload.
        model: what it has to hold.
        machine: the type that was chosen.
        need: of each GPU, term by term.
        gpu_gb: what each GPU has, GB of 10^9 bytes.
        rule_of_thumb: the guides' rule of thumb for the same model, over all GPUs.
    """

    group: str
    model: ModelRequest
    machine: str
    need: MemoryNeed
    gpu_gb: Decimal | None
    rule_of_thumb: MemoryTerm


def model_fits(stack: Stack, plan: Plan) -> tuple[ModelFit, ...]:
    """Return the fit of every workload that requests GPUs by model, in the order of the plan."""
    workloads = stack.workloads
    return tuple(
        fit for group in plan.groups for fit in _fits_of_group(workloads.get(group.name), group)
    )


def _fits_of_group(workload: Training | Inference | None, group: Group) -> Iterator[ModelFit]:
    is_training = isinstance(workload, Training)
    machine = priced_cloud_of(group.cloud).machines.get(group.rung.machine)
    if (
        workload is None
        or workload.gpu is None
        or workload.gpu.for_model is None
        or machine is None
    ):
        return
    request = model_request_of(workload.gpu.for_model, "train" if is_training else "serve")
    machines = 1
    if is_training and not isinstance(group.maximum, Unknown):
        machines = group.maximum
    yield ModelFit(
        group=group.name,
        model=request,
        machine=machine.type,
        need=memory_need(request, max(1, int(machine.gpu_count)) * machines, machines),
        gpu_gb=gpu_memory_gb(machine),
        rule_of_thumb=rule_of_thumb(request),
    )
