"""The machines that hold a model: the memory per GPU, and the smallest number of machines."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.sizing.measured_models import Measurement
from gpuinfra.catalog.sizing.memory_terms import (
    GIB,
    GIGA,
    STATES,
    WEIGHT,
    added_bytes,
    checkpoint_bytes,
    split_of,
    terms_of,
    weight_bytes,
)
from gpuinfra.catalog.sizing.model_request import (
    CONTEXT,
    OPTIMIZER,
    PRECISION,
    RANK,
    RECOMPUTE,
    MemoryTerm,
    ModelRequest,
    model_request_of,
)
from gpuinfra.catalog.sizing.request_conflicts import refusals
from gpuinfra.model import Machine
from gpuinfra.records import record
from gpuinfra.units import format_count

__all__ = [
    "MemoryNeed",
    "MemoryTerm",
    "ModelRequest",
    "checkpoint_bytes",
    "fewest_machines",
    "gpu_memory_gb",
    "memory_need",
    "misfit_reason",
    "model_request_of",
    "refusals",
    "rule_of_thumb",
]

MOST_MACHINES: Final = 1000
"""No workload of a stack file has more machines."""

THUMB: Final = Decimal("1.5")
"""The guides' rule: parameters × bytes of a weight, at least × 1.5 for all that training adds."""


@record
class MemoryNeed:
    """The memory that a request needs on each of its GPUs.

    `faults` say why the model can't be split over just so many GPUs: then it does not fit,
    however large they are. `assumptions` says which values were not stated and were assumed.
    """

    gpus: int
    machines: int
    terms: tuple[MemoryTerm, ...]
    assumptions: tuple[str, ...]
    faults: tuple[str, ...] = ()

    @property
    def per_gpu_gb(self) -> Decimal:
        """The GB (10^9 bytes) on the fullest GPU."""
        return sum((term.gigabytes for term in self.terms), Decimal(0))


def memory_need(request: ModelRequest, gpus: int, machines: int = 1) -> MemoryNeed:
    """Return the memory need of each GPU, for `gpus` in total in this many machines.

    Under `none` every GPU holds the whole; under `tensor` every machine does.
    """
    split = split_of(request, gpus, machines)
    return MemoryNeed(
        gpus=gpus,
        machines=machines,
        terms=tuple(terms_of(request, split)),
        assumptions=tuple(_assumptions(request)),
        faults=tuple(_faults(request, split.tensor, split.stages)),
    )


def gpu_memory_gb(machine: Machine) -> Decimal | None:
    """Return the usable GB of one GPU: the lower of the nominal and the reported size."""
    reported = machine.gpu_memory_gib
    sizes = [
        size
        for size in (
            machine.gpu_memory_nominal_gb,
            None if reported is None else reported * GIB / GIGA,
        )
        if size is not None
    ]
    return min(sizes, default=None)


def misfit_reason(request: ModelRequest, machine: Machine, machines: int = 1) -> str:
    """Return why this many machines of a type don't hold a model; empty when they do."""
    size = gpu_memory_gb(machine)
    if size is None:
        return "its GPU memory is unknown"
    memory_needed = memory_need(request, _gpus(machine) * machines, machines)
    if memory_needed.faults:
        return memory_needed.faults[0]
    if memory_needed.per_gpu_gb <= size:
        return ""
    fewest = fewest_machines(request, machine)
    suggestion = (
        f"{format_count(fewest, 'machine')} would do" if fewest else "more machines would not help"
    )
    return f"needs {memory_needed.per_gpu_gb:,.0f} GB per GPU, has {size:.0f}; {suggestion}"


def adapters_need(request: ModelRequest, machine: Machine, machines: int = 1) -> Decimal | None:
    """Return the GB of each GPU to train adapters alone, where that fits; else None.

    None, too, for what trains no parameters.
    """
    if not request.trains_every_parameter or request.measurements:
        return None
    adapters = replace(request, task="lora")
    if not _has_enough_memory(adapters, machine, machines):
        return None
    return memory_need(adapters, _gpus(machine) * machines, machines).per_gpu_gb


def fewest_machines(request: ModelRequest, machine: Machine) -> int | None:
    """Return the fewest machines that hold a model; None when no number up to 1,000 does.

    The need of a GPU never grows with machines, so the smallest number is found by halving. Where
    a sharding splits nothing over machines (`none`, `tensor`), that is one or none.
    """
    most = MOST_MACHINES
    if request.split == "pipeline":
        most = min(most, int(request.shape.layers))
    if not _has_enough_memory(request, machine, most):
        return None
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        if _has_enough_memory(request, machine, middle):
            high = middle
        else:
            low = middle + 1
    return low


def rule_of_thumb(request: ModelRequest) -> MemoryTerm:
    """Return the guides' rule of thumb for the same model, over all GPUs, and where it errs."""
    weight_bytes_each = WEIGHT["fp32"] if request.weights == "fp32" else WEIGHT["fp16"]
    return MemoryTerm(
        name="rule of thumb",
        formula=f"parameters × {weight_bytes_each} B × {THUMB}; {_left_out(request)}",
        gigabytes=request.parameters * weight_bytes_each * THUMB / GIGA,
        source="the buying guides of docs/guides.md, Sizing",
    )


def _left_out(request: ModelRequest) -> str:
    """Return where the rule of thumb errs for a task."""
    if request.measurements:
        return "it is for training language models"
    match request.task:
        case "serve":
            return "it is for training: serving adds the KV cache, which grows with tokens"
        case "lora":
            return "it ignores frozen weights: only adapters have gradients and states"
        case "train" | "fine-tune":
            added = f"{added_bytes(request)} B a parameter to the weights"
            return f"gradients, master weights and optimizer states alone add {added}"


def _has_enough_memory(request: ModelRequest, machine: Machine, machines: int) -> bool:
    size = gpu_memory_gb(machine)
    memory_needed = memory_need(request, _gpus(machine) * machines, machines)
    return size is not None and not memory_needed.faults and memory_needed.per_gpu_gb <= size


def _gpus(machine: Machine) -> int:
    """Return the number of GPUs of a machine; a fraction counts as one, with that memory."""
    return max(1, int(machine.gpu_count))


def _faults(request: ModelRequest, tensor: int, stages: int) -> Iterator[str]:
    shape = request.shape
    if shape.source and shape.heads % tensor:
        yield f"{shape.heads} attention heads can't be split over {tensor} GPUs"
    if stages > shape.layers:
        yield f"{int(shape.layers)} layers can't be split into {stages} stages"


def _assumptions(request: ModelRequest) -> Iterator[str]:
    if request.measurement is not None:
        yield from _assumed_as_measured(request, request.measurement)
        return
    yield from request.shape.assumptions
    if request.context is None:
        yield f"{CONTEXT:,} tokens of context"
    if request.batch is None:
        yield _one_sequence(request)
    if request.sharding is None:
        yield f"sharding {request.split}"
    if request.precision is None:
        yield f"weights in {PRECISION}"
    if request.task != "serve":
        yield from _assumed_in_training(request)
    if weight_bytes(request) != WEIGHT[request.weights]:
        yield "weights kept in 16 bits, as fp8 training does"


def _assumed_as_measured(request: ModelRequest, measured: Measurement) -> Iterator[str]:
    if request.batch is None:
        yield f"{measured.subject}, {measured.batch} at once"
    if request.precision is None and measured.precision:
        yield f"weights in {measured.precision}"
    yield "each GPU serves a whole copy of the model"


def _one_sequence(request: ModelRequest) -> str:
    if request.task == "serve":
        return "a KV cache for one concurrent sequence (batch: 1), so for one user"
    return "one sequence per GPU at a time (batch: 1)"


def _assumed_in_training(request: ModelRequest) -> Iterator[str]:
    if request.optimizer is None:
        yield f"the optimizer AdamW, whose states take {STATES[OPTIMIZER]} B a parameter"
    if request.rank is None and request.task == "lora":
        yield f"adapters of rank {RANK}"
    if (request.recompute or RECOMPUTE) == "full":
        yield "activations recomputed (recompute: full), attention in pieces (FlashAttention)"
