"""The loss against the request, in GPUs, memory, speed, fabric, hours or data."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.catalog import gpu
from gpuinfra.clouds import provider_of
from gpuinfra.model import FileSystem, Group, Machine, Plan, Unknown
from gpuinfra.records import record
from gpuinfra.rules.waivers import short_name
from gpuinfra.units import format_percent

ONE: Final = Decimal(1)
TWO: Final = Decimal(2)
ZERO: Final = Decimal(0)
FABRIC_RANKS: Final = {"none": 0, "preferred": 1, "required": 2}


LostShare = tuple[Decimal, str]
"""A share of something that is gone, and of what, in words."""


@record
class Loss:
    """The lost share of the request, as a sum of shares, and each loss as text."""

    amount: Decimal = ZERO
    texts: tuple[str, ...] = ()


@record
class WorkloadRequest:
    """The request of one workload; None where nothing is requested or it is unknown.

    `gpus` counts those of all its machines, `memory` is GB of one, `tflops` its dense TFLOPS;
    `vcpu` and `host_memory` (GiB) are of one machine; `processor` is its architecture, for which
    images and programs are built.
    """

    gpus: Decimal | None = None
    memory: Decimal | None = None
    tflops: Decimal | None = None
    vcpu: Decimal | None = None
    host_memory: Decimal | None = None
    fabric: Decimal | None = None
    fabric_rank: int = 0
    nvlink: bool = False
    hours: Decimal | None = None
    checkpoints: bool = False
    size: Decimal | None = None
    throughput: Decimal | None = None
    processor: str | None = None


WorkloadRequests = Mapping[str, WorkloadRequest]
"""The requests, by workload."""


def plan_requests(plan: Plan) -> WorkloadRequests:
    """Return the properties of each group of a plan, on the rung that has the least of each."""
    files = {file_system.group: file_system for file_system in plan.file_systems}
    return {group.subject: group_request(group, files.get(group.name)) for group in plan.groups}


def group_request(group: Group, files: FileSystem | None = None) -> WorkloadRequest:
    """Return the properties of a group, on the rung that has the least of each."""
    names = dict.fromkeys((*(rung.machine for rung in group.rungs), *group.machines))
    types = [
        machine
        for name in names
        if (machine := provider_of(group.cloud).machines.get(name)) is not None
    ]
    machines = machines_request(types, group.maximum)
    fabric = group.fabric
    return WorkloadRequest(
        gpus=machines.gpus,
        memory=machines.memory,
        tflops=machines.tflops,
        vcpu=machines.vcpu,
        host_memory=machines.host_memory,
        fabric=machines.fabric if fabric is not None else None,
        fabric_rank=FABRIC_RANKS[fabric.requirement] if fabric is not None else 0,
        nvlink=group.needs.nvlink,
        hours=group.needs.hours,
        checkpoints=group.needs.checkpoints is True,
        size=_number(files.size_gib) if files is not None else None,
        throughput=_number(files.throughput_mbs) if files is not None else None,
        processor=machines.processor,
    )


def machines_request(machines: Sequence[Machine], count: int | Unknown) -> WorkloadRequest:
    """Return the properties of `count` machines, of several types the least."""
    gpus = _least_value([machine.gpu_count for machine in machines])
    gpu_facts = [gpu(machine.gpu) for machine in machines]
    return WorkloadRequest(
        gpus=None if gpus is None or isinstance(count, Unknown) else gpus * count,
        memory=_least_value([machine.gpu_memory_nominal_gb for machine in machines]),
        tflops=_least_value(
            [model.bf16_tflops or model.fp16_tflops if model else None for model in gpu_facts]
        ),
        vcpu=_least_value(
            [None if machine.vcpu is None else Decimal(machine.vcpu) for machine in machines]
        ),
        host_memory=_least_value([machine.memory_gib for machine in machines]),
        fabric=_least_value([machine.fabric_gbps for machine in machines]),
        processor=_common_value([machine.architecture for machine in machines]),
    )


def loss(
    workloads: WorkloadRequests, plan_after: Plan, known_losses: Iterable[LostShare] = ()
) -> Loss:
    """Return the loss of a plan against the requests.

    Args:
        workloads: the workloads by subject.
        plan_after: the plan with edits.
        known_losses: what the edits themselves give up.
    """
    losses = list(known_losses)
    for subject, planned_request in plan_requests(plan_after).items():
        if subject in workloads and planned_request != workloads[subject]:
            name = short_name(subject)
            losses += (
                (share, f"{name}: {loss_text}")
                for share, loss_text in _request_losses(workloads[subject], planned_request)
            )
    return Loss(
        amount=sum((share for share, _ in losses), ZERO),
        texts=tuple(loss_text for _, loss_text in losses),
    )


def _request_losses(
    earlier_request: WorkloadRequest, planned_request: WorkloadRequest
) -> Iterator[LostShare]:
    for earlier_value, current_value, content in (
        (earlier_request.gpus, planned_request.gpus, "the GPUs"),
        (earlier_request.memory, planned_request.memory, "the memory per GPU"),
        (earlier_request.tflops, planned_request.tflops, "the speed per GPU"),
        (earlier_request.vcpu, planned_request.vcpu, "the vCPUs per machine"),
        (earlier_request.host_memory, planned_request.host_memory, "the memory per machine"),
        (earlier_request.hours, planned_request.hours, "the hours of a run"),
        (earlier_request.size, planned_request.size, "the size of the file system"),
        (earlier_request.throughput, planned_request.throughput, "the speed of the file system"),
    ):
        yield from _lost_share(earlier_value, current_value, content)
    if planned_request.fabric_rank < earlier_request.fabric_rank:
        removed = not planned_request.fabric_rank
        yield (TWO, "the fabric") if removed else (ONE, "proof of a fabric")
    elif planned_request.fabric_rank:
        yield from _lost_share(
            earlier_request.fabric, planned_request.fabric, "the speed of the fabric"
        )
    if earlier_request.nvlink and not planned_request.nvlink:
        yield ONE, "NVLink"
    if (
        earlier_request.processor
        and planned_request.processor
        and planned_request.processor != earlier_request.processor
    ):
        yield (
            ONE,
            (
                f"images and programs built for {earlier_request.processor}: the new processor is "
                f"{planned_request.processor}"
            ),
        )
    if earlier_request.checkpoints and not planned_request.checkpoints:
        yield ONE, "checkpoints"


def _lost_share(
    earlier_value: Decimal | None, current_value: Decimal | None, content: str
) -> Iterator[LostShare]:
    """Yield the lost share; a figure that is no longer known counts as lost."""
    if earlier_value is None or not earlier_value:
        return
    if current_value is None:
        yield ONE, f"{content}, by an unknown amount"
    elif current_value < earlier_value:
        lost_share = (earlier_value - current_value) / earlier_value
        yield lost_share, f"{format_percent(lost_share)} of {content}"


def _number(value: int | Decimal | Unknown | None) -> Decimal | None:
    return None if value is None or isinstance(value, Unknown) else Decimal(value)


def _common_value(values: Sequence[str | None]) -> str | None:
    """Return the common value; None where the values differ or one is unknown."""
    return values[0] if values and len(set(values)) == 1 else None


def _least_value(values: Sequence[Decimal | None]) -> Decimal | None:
    known_values = [value for value in values if value is not None]
    return min(known_values) if known_values and len(known_values) == len(values) else None
