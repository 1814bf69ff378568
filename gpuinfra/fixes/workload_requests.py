"""The requests of a stack file that can't be planned, from its keys and the tables."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from gpuinfra.catalog import matching
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.fixes.options import Work
from gpuinfra.fixes.tradeoffs import (
    FABRIC_RANKS,
    WorkloadRequest,
    WorkloadRequests,
    machines_request,
    plan_requests,
)
from gpuinfra.model import Machine, Plan
from gpuinfra.specs import GpuRequest, Stack, Training
from gpuinfra.units import gigabytes, hours


def workload_requests(stack: Stack) -> WorkloadRequests:
    """Return the request of every workload; a named machine type requests all that it has."""
    workloads_by_section = (("training", stack.training), ("inference", stack.inference))
    return {
        f"{section}.{name}": _request(stack, work)
        for section, workloads in workloads_by_section
        for name, work in workloads.items()
    }


def planned_requests(stack: Stack, plan: Plan) -> WorkloadRequests:
    """Return the requested part of a plan; a request for GPUs does not request vCPUs."""
    stack_workloads = stack.workloads
    return {
        subject: replace(planned_request, vcpu=None, host_memory=None)
        if stack_workloads[subject.rpartition(".")[2]].instance is None
        else planned_request
        for subject, planned_request in plan_requests(plan).items()
    }


def _request(stack: Stack, workload: Work) -> WorkloadRequest:
    machines = tuple(_machines(stack, workload))
    count = _count(workload)
    request = machines_request(machines, count)
    if workload.gpu is not None:
        request = _with_requested_figures(workload.gpu, request, count)
    if not isinstance(workload, Training):
        return replace(request, fabric=None)
    return replace(
        request,
        fabric=None,
        fabric_rank=FABRIC_RANKS[workload.fabric] if workload.nodes > 1 else 0,
        hours=None if workload.duration is None else hours(workload.duration),
        checkpoints=workload.checkpoints is not None,
    )


def _count(workload: Work) -> int:
    if isinstance(workload, Training):
        return workload.nodes
    return workload.replicas.maximum or workload.replicas.minimum


def _with_requested_figures(
    request: GpuRequest, workload_request: WorkloadRequest, count: int
) -> WorkloadRequest:
    """Return a request with the explicit figures of the GPU request in place of the machines'."""
    gpus = None if request.count is None else Decimal(request.count * count)
    memory = (
        workload_request.memory if request.memory is None else gigabytes(request.memory.minimum)
    )
    return replace(
        workload_request,
        gpus=gpus,
        memory=memory,
        vcpu=None,
        host_memory=None,
        nvlink=request.nvlink is True,
    )


def _machines(stack: Stack, workload: Work) -> Iterator[Machine]:
    """Yield the machines that fit the request: the named type, or all with the GPU."""
    cloud = (workload.where or stack.where).cloud
    clouds: Sequence[str] = (cloud,) if cloud in CLOUDS else CLOUDS
    model = workload.gpu.model if workload.gpu is not None else None
    keys = () if model is None else matching(model)
    for name in clouds:
        for machine in provider_of(name).machines.all_machines():
            if machine.type == workload.instance or machine.gpu in keys:
                yield machine
