"""The loss against the request, in GPUs, memory, speed, fabric, hours or data."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.catalog import gpu
from gpuinfra.clouds import provider_of
from gpuinfra.model import FileSystem, Group, Machine, Plan, Unknown
from gpuinfra.records import record
from gpuinfra.units import format_percent

ONE: Final = Decimal(1)
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
    known = [gpu(machine.gpu) for machine in machines]
    return WorkloadRequest(
        gpus=None if gpus is None or isinstance(count, Unknown) else gpus * count,
        memory=_least_value([machine.gpu_memory_nominal_gb for machine in machines]),
        tflops=_least_value(
            [model.bf16_tflops or model.fp16_tflops if model else None for model in known]
        ),
        vcpu=_least_value(
            [None if machine.vcpu is None else Decimal(machine.vcpu) for machine in machines]
        ),
        host_memory=_least_value([machine.memory_gib for machine in machines]),
        fabric=_least_value([machine.fabric_gbps for machine in machines]),
        processor=_common_value([machine.architecture for machine in machines]),
    )


def loss(workloads: WorkloadRequests, after: Plan, stated: Iterable[LostShare] = ()) -> Loss:
    """Return the loss of a plan against the requests.

    Args:
        workloads: the workloads by subject.
        after: the plan with edits.
        stated: what the edits themselves give up.
    """
    losses = list(stated)
    for subject, has in plan_requests(after).items():
        if subject in workloads and has != workloads[subject]:
            name = subject.rpartition("::")[2].rpartition(".")[2]
            losses += (
                (share, f"{name}: {words}")
                for share, words in _request_losses(workloads[subject], has)
            )
    return Loss(
        amount=sum((share for share, _ in losses), ZERO),
        texts=tuple(words for _, words in losses),
    )


def _request_losses(was: WorkloadRequest, has: WorkloadRequest) -> Iterator[LostShare]:
    for then, now, content in (
        (was.gpus, has.gpus, "the GPUs"),
        (was.memory, has.memory, "the memory per GPU"),
        (was.tflops, has.tflops, "the speed per GPU"),
        (was.vcpu, has.vcpu, "the vCPUs per machine"),
        (was.host_memory, has.host_memory, "the memory per machine"),
        (was.hours, has.hours, "the hours of a run"),
        (was.size, has.size, "the size of the file system"),
        (was.throughput, has.throughput, "the speed of the file system"),
    ):
        yield from _lost_share(then, now, content)
    if has.fabric_rank < was.fabric_rank:
        yield ONE, "the fabric" if not has.fabric_rank else "proof of a fabric"
    elif has.fabric_rank:
        yield from _lost_share(was.fabric, has.fabric, "the speed of the fabric")
    if was.nvlink and not has.nvlink:
        yield ONE, "NVLink"
    if was.processor and has.processor and has.processor != was.processor:
        yield (
            ONE,
            (
                f"images and programs built for {was.processor}: the new processor is "
                f"{has.processor}"
            ),
        )
    if was.checkpoints and not has.checkpoints:
        yield ONE, "checkpoints"


def _lost_share(then: Decimal | None, now: Decimal | None, content: str) -> Iterator[LostShare]:
    """Yield the lost share; a figure that is no longer known counts as lost."""
    if then is None or not then:
        return
    if now is None:
        yield ONE, f"{content}, by an unknown amount"
    elif now < then:
        gone = (then - now) / then
        yield gone, f"{format_percent(gone)} of {content}"


def _number(value: int | Decimal | Unknown | None) -> Decimal | None:
    return None if value is None or isinstance(value, Unknown) else Decimal(value)


def _common_value(values: Sequence[str | None]) -> str | None:
    """Return the common value; None where the values differ or one is unknown."""
    return values[0] if values and len(set(values)) == 1 else None


def _least_value(values: Sequence[Decimal | None]) -> Decimal | None:
    known = [value for value in values if value is not None]
    return min(known) if known and len(known) == len(values) else None
