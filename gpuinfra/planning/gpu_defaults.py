"""The GPU attributes that workloads leave open, and the values chosen for them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpuinfra.catalog import Candidate, PriceBook
from gpuinfra.catalog.choosing.request import on_fabric
from gpuinfra.catalog.choosing.selection import choose_bounded
from gpuinfra.catalog.price_book import COUNTS_AS
from gpuinfra.catalog.rates import rung_rate
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.errors import InputError
from gpuinfra.model import Group, Machine, Plan, Rung
from gpuinfra.planning.locations import CloudPlace
from gpuinfra.planning.machine_request import requested_machine
from gpuinfra.specs import GpuRequest, Stack, Training
from gpuinfra.specs.for_model import ForModel
from gpuinfra.specs.parameter_counts import format_parameters
from gpuinfra.specs.schema import Inference
from gpuinfra.stackfile.defaults import BUILT_IN, Default
from gpuinfra.units import format_money, plain

Workload = Training | Inference

ADAPTERS: Final = "lora"


def open_defaults(stack: Stack, plan: Plan) -> Iterator[Default]:
    """Yield the task and the GPU count of each workload that names none, as they were taken."""
    for group in plan.groups:
        work = stack.workloads.get(group.name)
        gpu = None if work is None else work.gpu
        if work is None or gpu is None:
            continue
        path = (*group.subject.split("."), "gpu")
        if gpu.for_model is not None and gpu.for_model.task is None:
            task = "train" if isinstance(work, Training) else "serve"
            yield Default(path=(*path, "for_model", "task"), value=task, origin=BUILT_IN)
        machine = _machine(group)
        if gpu.count is None and machine is not None:
            origin = f"{machine.type}, the machine that was chosen"
            yield Default(path=(*path, "count"), value=plain(machine.gpu_count), origin=origin)


def open_notes(stack: Stack, plan: Plan, prices: PriceBook) -> Iterator[str]:
    """Yield a note for each workload without a task, without a GPU count, or without a fabric key.

    A count of one is what a reader expects, and a model settles the count by its size. The fabric
    counts where it takes a more expensive machine.
    """
    for group in plan.groups:
        work = stack.workloads.get(group.name)
        gpu = None if work is None else work.gpu
        machine = _machine(group)
        if work is None or gpu is None or machine is None:
            continue
        if isinstance(work, Training) and "fabric" not in work.model_fields_set:
            yield from _fabric(work, group, prices)
        if gpu.for_model is not None:
            if gpu.for_model.task is None and isinstance(work, Training):
                yield f"{group.name}: {_task(work, gpu, gpu.for_model, group, prices)}"
        elif gpu.count is None and machine.gpu_count > 1:
            yield f"{group.name}: {_count(work, gpu, group, machine, prices)}"


def _machine(group: Group) -> Machine | None:
    return provider_of(group.cloud).machines.get(group.rung.machine)


def _count(
    work: Workload, gpu: GpuRequest, group: Group, machine: Machine, prices: PriceBook
) -> str:
    """Return how many GPUs were taken, and where the cheapest machine has fewer."""
    count = plain(machine.gpu_count)
    write = f"gpu: {gpu.model}:{count}" if gpu.model_fields_set == {"model"} else f"count: {count}"
    taken = f"its gpu has no count, and the chosen {machine.type} has {count}"
    return "; ".join(
        (taken, f"write {write} to keep it", *_fewer_gpu_notes(work, group, machine, prices))
    )


def _fewer_gpu_notes(
    work: Workload, group: Group, machine: Machine, prices: PriceBook
) -> Iterator[str]:
    """Yield, for each cloud, a machine with fewer GPUs if it is the cheapest in all regions."""
    for cloud in CLOUDS:
        candidate = _chosen_candidate(work, group, cloud, provider_of(cloud).regions.all(), prices)
        if candidate is not None and candidate.machine.gpu_count < machine.gpu_count:
            count = plain(candidate.machine.gpu_count)
            yield f"{cloud} has {candidate.machine.type} with {count} in {candidate.region}"


def _task(
    work: Training, gpu: GpuRequest, model: ForModel, group: Group, prices: PriceBook
) -> str:
    """Return the task that a model is sized for, and the memory of training adapters instead."""
    adapters = model.model_copy(update={"task": ADAPTERS})
    name = model.name or format_parameters(model.parameters or 0)
    taken = f"for_model names no task, so {name} is sized to train every parameter (task: train)"
    with_adapters = work.model_copy(update={"gpu": gpu.model_copy(update={"for_model": adapters})})
    other = _chosen_candidate(with_adapters, group, group.cloud, (group.rung.region,), prices)
    now = _machines_text(group, group.rung, prices)
    if other is None:
        return f"{taken}: {now}"
    if other.machine.type == group.rung.machine:
        return f"{taken}: {now}; for {ADAPTERS} it would be the same machine"
    machines = _machines_text(group, replace(group.rung, machine=other.machine.type), prices)
    write = f"write for_model: {_model_text(adapters)}"
    return f"{taken}: {now}; to train adapters alone (LoRA) {machines} would do: {write}"


def _fabric(work: Training, group: Group, prices: PriceBook) -> Iterator[str]:
    """Yield what several nodes would cost without the fabric that they require by default."""
    if group.fabric is None:
        return
    without_fabric = replace(group, fabric=None)
    other = _chosen_candidate(work, without_fabric, group.cloud, (group.rung.region,), prices)
    if other is None or other.per_hour is None:
        return
    rung = replace(group.rung, machine=other.machine.type)
    rate_now, rate_without = (
        rung_rate(group.cloud, rung_fabric, prices) for rung_fabric in (group.rung, rung)
    )
    if rate_now.priced and rate_without.priced and rate_without.amount < rate_now.amount:
        taken = f"several nodes require a fabric: {_machines_text(group, group.rung, prices)}"
        less = f"without one (fabric: none) {_machines_text(group, rung, prices)} would do"
        yield f"{group.name}: {taken}; {less}"


def _chosen_candidate(
    work: Workload, group: Group, cloud: str, regions: tuple[str, ...], prices: PriceBook
) -> Candidate | None:
    """Return the first machine for a workload, bought as its active rung is; None for none."""
    rung = group.rung
    request = requested_machine(work, CloudPlace(cloud=cloud, regions=regions), (), [])
    if request is None:
        return None
    request = replace(
        request,
        capacity=COUNTS_AS.get(rung.capacity, rung.capacity),
        max_price=rung.max_price if rung.capacity == "spot" else None,
    )
    request = request if group.fabric is None else on_fabric(request)
    try:
        return choose_bounded(request, prices)
    except InputError:
        return None


def _machines_text(group: Group, rung: Rung, prices: PriceBook) -> str:
    """Return the machines of a group on a rung as text, with their price an hour at most."""
    count = group.maximum if isinstance(group.maximum, int) else 1
    rate = rung_rate(group.cloud, rung, prices)
    price = f" for {format_money(rate.amount * count)}/h" if rate.priced else ""
    return f"{count} × {rung.machine}{price}"


def _model_text(model: ForModel) -> str:
    """Return a model as a stack file writes it, on one line."""
    figures = model.model_dump(exclude_none=True, exclude={"parameters"})
    size = {} if model.parameters is None else {"parameters": format_parameters(model.parameters)}
    return f"{{{', '.join(f'{key}: {value}' for key, value in {**size, **figures}.items())}}}"
