"""The memory of one GPU, term by term, each with its formula and source."""

from collections.abc import Iterator
from decimal import Decimal
from math import ceil
from typing import Final

from gpuinfra.catalog.sizing.measured_models import Measurement
from gpuinfra.catalog.sizing.model_request import (
    OPTIMIZER,
    RANK,
    RECOMPUTE,
    MemoryTerm,
    ModelRequest,
)
from gpuinfra.catalog.sizing.shapes import ModelShape
from gpuinfra.records import record

ZERO: Final = "https://arxiv.org/abs/1910.02054 sections 3.1 and 5 (ZeRO)"
TENSOR: Final = "https://arxiv.org/abs/2104.04473 section 2 (Megatron-LM)"
ACTIVATIONS: Final = "https://arxiv.org/abs/2205.05198 section 4; measured, see docs/models.md"
LORA: Final = "https://arxiv.org/abs/2106.09685 section 4.1"
EIGHT_BIT: Final = "https://arxiv.org/abs/2110.02861 (8-bit optimizers)"
KV_CACHE: Final = "https://arxiv.org/abs/2309.06180 section 3 (PagedAttention)"
LATENT: Final = "https://arxiv.org/abs/2405.04434 section 2.1 (multi-head latent attention)"
FSDP: Final = "https://arxiv.org/abs/2304.11277 section 3.3 (PyTorch FSDP)"
HEADROOM: Final = "https://docs.vllm.ai/en/latest/configuration/engine_args (0.9 of the GPU)"

GIGA: Final = Decimal(10**9)
GIB: Final = Decimal(2**30)
WEIGHT: Final = {
    "fp32": Decimal(4),
    "bf16": Decimal(2),
    "fp16": Decimal(2),
    "fp8": Decimal(1),
    "int8": Decimal(1),
    "int4": Decimal("0.5"),
}
"""Bytes of one weight."""

MASTER: Final = 4
"""Bytes of the fp32 copy of a weight that mixed precision updates."""

STATES: Final = {"adamw": 8, "adamw-8bit": 2, "sgd": 0}
"""Bytes of optimizer states per trained parameter: Adam keeps two numbers, plain SGD none."""

GATHERED_LAYERS: Final = 2
"""Layers whose weights are whole at once: the one that is computed, and the next."""

LOGIT: Final = 16
"""Bytes of a logit where PyTorch computes the loss: the logit and its logarithm of the softmax in
fp32, and the gradients of both, as was measured: tests/catalog/sizing/measured_on_gpu.json. A
fused or chunked loss keeps less."""

ADAPTER_FACTOR: Final = 18
"""Adapter parameters of a layer are 18·hidden·rank when every matrix of its 12·hidden² has one:
rank·(rows + columns) for four of hidden × hidden and two of hidden × 4·hidden."""

LEFT_FREE: Final = Decimal(1) / 9
"""The free share of the counted memory, so that it fills nine tenths of the GPU."""


@record(kw_only=False)
class Parallelism:
    """The number of parts of weights, gradients, states and layer tensors, and of stages."""

    weights: int
    gradients: int
    states: int
    tensor: int
    stages: int


def split_of(request: ModelRequest, gpus: int, machines: int) -> Parallelism:
    """Return how a request's sharding splits over `gpus` in this many machines."""
    per_machine = max(1, gpus // machines)
    match request.split:
        case "zero-1":
            return Parallelism(1, 1, gpus, 1, 1)
        case "zero-2":
            return Parallelism(1, gpus, gpus, 1, 1)
        case "zero-3":
            return Parallelism(gpus, gpus, gpus, 1, 1)
        case "tensor":
            return Parallelism(per_machine, per_machine, per_machine, per_machine, 1)
        case "pipeline":
            return Parallelism(per_machine, per_machine, per_machine, per_machine, machines)
        case "none":
            return Parallelism(1, 1, 1, 1, 1)


def terms_of(request: ModelRequest, split: Parallelism) -> Iterator[MemoryTerm]:
    """Yield every term of the memory of the fullest GPU; the last is the reserve."""
    measured = request.measurement
    terms = (
        [*_computed_terms(request, request.shape, split)]
        if measured is None
        else [_measured_term(measured)]
    )
    yield from terms
    total_gb = sum((term.gigabytes for term in terms), Decimal(0))
    yield MemoryTerm(
        name="left free",
        formula="a tenth of the GPU: its context, communication buffers, fragmentation",
        gigabytes=total_gb * LEFT_FREE,
        source=HEADROOM,
    )


def _measured_term(measured: Measurement) -> MemoryTerm:
    weights = f", weights in {measured.precision}" if measured.precision else ""
    return MemoryTerm(
        name="measured",
        formula=f"{measured.gibibytes} GiB: {measured.subject}, {measured.batch} at once{weights}",
        gigabytes=measured.gibibytes * GIB / GIGA,
        source=measured.source,
    )


def _computed_terms(
    request: ModelRequest, shape: ModelShape, split: Parallelism
) -> Iterator[MemoryTerm]:
    yield from _weights(request, shape, split)
    if request.task == "serve":
        yield _cache(request, shape, split)
    else:
        yield from _training_terms(request, shape, split)
        yield from _activations(request, shape, split)


def trained_parameters(request: ModelRequest) -> int:
    """Return the number of parameters that the optimizer updates."""
    if request.task == "serve":
        return 0
    if request.task == "lora":
        shape = request.shape
        return int(ADAPTER_FACTOR * shape.layers * shape.hidden * (request.rank or RANK))
    return request.parameters


def checkpoint_bytes(request: ModelRequest) -> int:
    """Return the bytes of a resumable checkpoint: trained weights, fp32 copy, optimizer states."""
    return int(trained_parameters(request) * added_bytes(request))


def added_bytes(request: ModelRequest) -> Decimal:
    """Return the bytes that training adds per trained weight: gradient, fp32 copy, states.

    A gradient is as long as its weight, so a checkpoint, which has the one and not the other, has
    as many bytes.
    """
    is_mixed_precision = request.weights != "fp32"
    each = WEIGHT["bf16"] + MASTER if is_mixed_precision else WEIGHT["fp32"]
    return each + STATES[request.optimizer or OPTIMIZER]


def weight_bytes(request: ModelRequest) -> Decimal:
    """Return the bytes of one weight on the GPU; fp8 training keeps its weights in 16 bits."""
    if request.weights == "fp8" and request.trains_every_parameter:
        return WEIGHT["bf16"]
    return WEIGHT[request.weights]


def _weights(request: ModelRequest, shape: ModelShape, split: Parallelism) -> Iterator[MemoryTerm]:
    each = weight_bytes(request)
    all_weights = request.parameters * each
    part = all_weights / split.weights * _stage(shape, split)
    yield MemoryTerm(
        name="weights",
        formula=f"parameters × {each} B{_divisor(split.weights, split.stages)}",
        gigabytes=part / GIGA,
        source=TENSOR if split.tensor > 1 else ZERO,
    )
    if request.split == "zero-3" and split.weights > 1:
        yield MemoryTerm(
            name="gathered layers",
            formula=f"weights of {GATHERED_LAYERS} layers, whole while they are computed",
            gigabytes=min(all_weights * GATHERED_LAYERS / shape.layers, all_weights - part) / GIGA,
            source=FSDP,
        )


def _training_terms(
    request: ModelRequest, shape: ModelShape, split: Parallelism
) -> Iterator[MemoryTerm]:
    """Yield the gradients and states of trained parameters; for LoRA also the adapters."""
    count, lora = trained_parameters(request), request.task == "lora"
    trained, low = "adapter parameters" if lora else "parameters", request.weights != "fp32"
    each = WEIGHT["bf16"] if low else WEIGHT["fp32"]
    stage = _stage(shape, split)
    if lora:
        yield MemoryTerm(
            name="LoRA adapters",
            formula=f"{ADAPTER_FACTOR} · layers · hidden · rank {request.rank or RANK} × {each} B"
            f"{_divisor(split.weights, split.stages)}",
            gigabytes=count * each / split.weights * stage / GIGA,
            source=LORA,
        )
    yield MemoryTerm(
        name="gradients",
        formula=f"{trained} × {each} B{_divisor(split.gradients, split.stages)}",
        gigabytes=count * each / split.gradients * stage / GIGA,
        source=ZERO,
    )
    optimizer = request.optimizer or OPTIMIZER
    small = EIGHT_BIT if optimizer == "adamw-8bit" else ZERO
    for name, size, source in (
        ("master weights", MASTER if low else 0, ZERO),
        ("optimizer states", STATES[optimizer], small),
    ):
        if size:
            yield MemoryTerm(
                name=name,
                formula=f"{trained} × {size} B{_divisor(split.states, split.stages)}",
                gigabytes=Decimal(count * size) / split.states * stage / GIGA,
                source=source,
            )


def _activations(
    request: ModelRequest, shape: ModelShape, split: Parallelism
) -> Iterator[MemoryTerm]:
    """Yield the activations; the first pipeline stage holds as many batches as stages.

    The logits are gone when the backward pass computes a layer again, so the larger of the two
    counts.
    """
    parts = split.tensor
    width = 4 if request.weights == "fp32" else 2
    line = Decimal(width * request.tokens * shape.hidden)
    layer = width * request.tokens * _layer(shape, parts)
    factors = "2 Q + 2 KV + 4 feed-forward"
    split_parts = factors if parts == 1 else f"({factors}) / {parts}"
    each = f"tokens × {width} B × (4 hidden + {split_parts})"
    logits = Decimal(LOGIT * request.tokens * shape.vocabulary) / parts
    output = f"tokens × vocabulary × {LOGIT} B{_divisor(parts, 1)}: fp32 logits, loss, gradients"
    match request.recompute or RECOMPUTE:
        case "none":
            scores = line * 5 * shape.heads * request.length / shape.hidden / parts / 2
            numbers = shape.layers * (layer + scores)
            formula = f"layers × {each}, attention scores"
        case "selective":
            numbers, formula = shape.layers * layer, f"layers × {each}"
        case "full":
            numbers, formula = shape.layers * line, f"layers × tokens × {width} B × hidden"
            if layer > logits:
                logits, output = layer, f"{each}, as a layer is recomputed"
    yield MemoryTerm(
        name="activations", formula=formula, gigabytes=numbers / GIGA, source=ACTIVATIONS
    )
    yield MemoryTerm(
        name="output layer", formula=output, gigabytes=logits / GIGA, source=ACTIVATIONS
    )


def _layer(shape: ModelShape, tensor: int) -> Decimal:
    """Return how many numbers a layer keeps of a token when attention keeps no scores.

    That is FlashAttention.

    Whole: the inputs of both norms and what they return; split: queries, keys, values, what
    attention returns, and four of the feed-forward part (gate, its activation, the other branch
    and their product). Section 4.1 of the paper counts a layer of GPT so.
    """
    attention = shape.head * 2 * (shape.heads + shape.kv_heads)
    return 4 * shape.hidden + Decimal(attention + 4 * shape.feed_forward) / tensor


def _cache(request: ModelRequest, shape: ModelShape, split: Parallelism) -> MemoryTerm:
    """Return the term of the KV cache; a GPU holds keys and values of at least one head.

    Multi-head latent attention keeps one vector in place of all heads, which is not split.
    """
    each = WEIGHT["fp32"] if request.weights == "fp32" else WEIGHT["bf16"]
    heads = ceil(shape.kv_heads / split.tensor)
    width = 2 * shape.head * heads if shape.latent is None else shape.latent
    formula = (
        f"2 × layers × KV heads ({heads} here) × head size"
        if shape.latent is None
        else f"layers × {shape.latent} (latent attention)"
    )
    size = shape.layers * Decimal(width) * request.tokens * each * _stage(shape, split)
    return MemoryTerm(
        name="KV cache",
        formula=f"{formula} × tokens × {each} B{_divisor(1, split.stages)}",
        gigabytes=size / GIGA,
        source=KV_CACHE if shape.latent is None else LATENT,
    )


def _stage(shape: ModelShape, split: Parallelism) -> Decimal:
    """Return the share of the layers in the largest pipeline stage."""
    return min(Decimal(1), ceil(shape.layers / split.stages) / Decimal(shape.layers))


def _divisor(parts: int, stages: int) -> str:
    """Return the divisor of a formula: the number of GPUs that share the term."""
    divisor_text = f" / {parts} GPUs" if parts > 1 else ""
    return divisor_text + (f" / {stages} stages" if stages > 1 else "")
