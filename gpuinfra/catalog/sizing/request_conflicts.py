"""Contradictions in a request for a model, and keys that would have no effect."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.sizing.model_request import ModelRequest
from gpuinfra.catalog.sizing.shapes import PARAMETERS_PER_LAYER
from gpuinfra.errors import Problem

MAX_SIZE_FACTOR: Final = 64
"""The maximum factor between a model's parameters and 12 · layers · hidden².

Dense models come close to it, shared layers have a twelfth (ALBERT,
https://arxiv.org/abs/1909.11942 section 3.1), and sparse ones more: Kimi K2 has 27 times as many
(https://github.com/MoonshotAI/Kimi-K2, Model Summary).
"""

MEASURED_MEMORY_FIX: Final = (
    "use an allowed value, or request the memory you measured: memory: 48GB.."
)


def refusals(request: ModelRequest) -> Iterator[Problem]:
    """Yield problems of contradictions and ineffective keys in a request, by path inside it."""
    if request.measurements:
        yield from _not_measured(request)
        yield from _unused_key_problems(request)
        return
    yield from _task_conflicts(request)
    yield from _unused_key_problems(request)
    yield from _shape(request)


def _not_measured(request: ModelRequest) -> Iterator[Problem]:
    """Yield problems of a request for a measured model beyond its measurements."""
    name, largest_batch = (
        request.name,
        max(measurement.batch for measurement in request.measurements),
    )
    precisions = ", ".join(
        measurement.precision for measurement in request.measurements if measurement.precision
    )
    for key, value, allowed, message in (
        ("task", request.task, "serve", f"for {name} only the memory for serving is known"),
        ("sharding", request.split, "none", f"{name} was measured on one GPU, without sharding"),
        (
            "precision",
            request.precision,
            precisions,
            f"{name} was not measured in this precision"
            if precisions
            else f"no precision of {name} is known",
        ),
        (
            "context",
            request.context,
            "",
            f"the memory of {name} does not depend on a context length",
        ),
    ):
        if value is not None and value not in allowed.split(", "):
            yield Problem(
                message=message,
                path=(key,),
                value=str(value),
                allowed=allowed,
                fix=MEASURED_MEMORY_FIX if allowed else f"remove {key}",
            )
    if request.batch is not None and request.batch > largest_batch:
        yield Problem(
            message=f"{name} was measured with a batch of at most {largest_batch}",
            path=("batch",),
            value=str(request.batch),
            allowed=f"1..{largest_batch}",
            fix=MEASURED_MEMORY_FIX,
        )


def _task_conflicts(request: ModelRequest) -> Iterator[Problem]:
    if request.task == "serve" and request.split.startswith("zero"):
        yield Problem(
            message=f"{request.split} shards training state; a served model is split otherwise",
            path=("sharding",),
            value=request.split,
            allowed="none, tensor, pipeline",
            fix="set sharding: tensor, or remove it",
        )
    if request.trains_every_parameter and request.weights in {"int8", "int4"}:
        yield Problem(
            message=f"weights of {request.weights} can be served, or carry adapters (lora), but"
            " not be trained",
            path=("precision",),
            value=request.weights,
            allowed="fp32, bf16, fp16, fp8",
            fix=f"set task: lora to train adapters over {request.weights} weights, or bf16",
        )


def _unused_key_problems(request: ModelRequest) -> Iterator[Problem]:
    """Yield problems of keys that would have no effect, which suggests a mistake."""
    if request.rank is not None and request.task != "lora":
        yield Problem(
            message=f"rank applies to LoRA adapters, and the task is {request.task}",
            path=("rank",),
            value=str(request.rank),
            fix="set task: lora, or remove rank",
        )
    if request.task == "serve":
        for key, value in (("optimizer", request.optimizer), ("recompute", request.recompute)):
            if value is not None:
                yield Problem(
                    message=f"{key} applies to training, and the task is serve",
                    path=(key,),
                    value=value,
                    fix=f"remove {key}, or set a task that trains: fine-tune, lora",
                )
    if request.name is not None:
        for key, size in (("layers", request.layers), ("hidden", request.hidden)):
            if size is not None:
                yield Problem(
                    message=f"{request.name} is a published model, whose {key} can't be set",
                    path=(key,),
                    value=str(size),
                    fix=f"remove {key}, or set parameters instead of name",
                )


def _shape(request: ModelRequest) -> Iterator[Problem]:
    """Yield a problem if layers and hidden size don't match the number of parameters."""
    if request.name is not None or (request.layers is None and request.hidden is None):
        return
    shape = request.shape
    by_shape = PARAMETERS_PER_LAYER * shape.layers * shape.hidden**2
    if Decimal(1) / MAX_SIZE_FACTOR <= Decimal(request.parameters) / by_shape <= MAX_SIZE_FACTOR:
        return
    key, size = (
        ("hidden", request.hidden) if request.hidden is not None else ("layers", request.layers)
    )
    yield Problem(
        message=f"{shape.layers:,.0f} × 12 · {shape.hidden:,.0f}² are about"
        f" {by_shape:,.0f} parameters (12 · layers · hidden²), and the model has"
        f" {request.parameters:,}",
        path=(key,),
        value=str(size),
        allowed=f"sizes that give the model's parameters within a factor of {MAX_SIZE_FACTOR}",
        fix="set the layers and the hidden size of the same model, or remove both",
    )
