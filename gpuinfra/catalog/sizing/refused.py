"""Contradictions in a wish for a model, and words of it that would have no effect."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.sizing.shapes import PARAMETERS_PER_LAYER
from gpuinfra.catalog.sizing.wish import ModelRequest
from gpuinfra.errors import Problem

APART: Final = 64
"""How many times the parameters of a model may differ from 12 · layers · hidden², at most.

Dense models come close to it, shared layers have a twelfth (ALBERT, https://arxiv.org/abs/1909.11942
section 3.1), and sparse ones more: Kimi K2 has 27 times as many
(https://github.com/MoonshotAI/Kimi-K2, Model Summary).
"""

OTHERWISE: Final = "write what is allowed, or ask for the memory you measured: memory: 48GB.."


def refusals(wish: ModelRequest) -> Iterator[Problem]:
    """What contradicts itself or has no effect in a wish, by path inside it."""
    if wish.measurements:
        yield from _not_measured(wish)
        yield from _unused(wish)
        return
    yield from _by_task(wish)
    yield from _unused(wish)
    yield from _shape(wish)


def _not_measured(wish: ModelRequest) -> Iterator[Problem]:
    """What is asked of a model of which only what was measured is known."""
    name, most = wish.name, max(each.batch for each in wish.measurements)
    precisions = " | ".join(each.precision for each in wish.measurements if each.precision)
    for key, value, allowed, message in (
        ("task", wish.task, "serve", f"for {name} only the memory to serve it is known"),
        ("sharding", wish.split, "none", f"{name} was measured whole on one GPU"),
        (
            "precision",
            wish.precision,
            precisions,
            f"{name} was not measured in it" if precisions else f"no precision of {name} is known",
        ),
        ("context", wish.context, "", f"{name} has no context of tokens to size"),
    ):
        if value is not None and value not in allowed.split(" | "):
            yield Problem(
                message=message,
                path=(key,),
                value=str(value),
                allowed=allowed,
                fix=OTHERWISE if allowed else f"remove {key}",
            )
    if wish.batch is not None and wish.batch > most:
        yield Problem(
            message=f"{name} was measured with at most {most} at once",
            path=("batch",),
            value=str(wish.batch),
            allowed=f"1..{most}",
            fix=OTHERWISE,
        )


def _by_task(wish: ModelRequest) -> Iterator[Problem]:
    if wish.task == "serve" and wish.split.startswith("zero"):
        yield Problem(
            message=f"{wish.split} shards training state; a served model is split otherwise",
            path=("sharding",),
            value=wish.split,
            allowed="none | tensor | pipeline",
            fix="set sharding: tensor, or remove it",
        )
    if wish.task in {"train", "fine-tune"} and wish.weights in {"int8", "int4"}:
        yield Problem(
            message=f"weights of {wish.weights} can be served, or carry adapters (lora), but not"
            " be trained",
            path=("precision",),
            value=wish.weights,
            allowed="fp32 | bf16 | fp16 | fp8",
            fix=f"set task: lora to train adapters over {wish.weights} weights, or bf16",
        )


def _unused(wish: ModelRequest) -> Iterator[Problem]:
    """Keys that would have no effect: their author probably meant something else."""
    if wish.rank is not None and wish.task != "lora":
        yield Problem(
            message=f"rank applies to LoRA adapters, and the task is {wish.task}",
            path=("rank",),
            value=str(wish.rank),
            fix="set task: lora, or remove rank",
        )
    if wish.task == "serve":
        for key, value in (("optimizer", wish.optimizer), ("recompute", wish.recompute)):
            if value is not None:
                yield Problem(
                    message=f"{key} applies to training, and the task is serve",
                    path=(key,),
                    value=value,
                    fix=f"remove {key}, or set a task that trains: fine-tune, lora",
                )
    if wish.name is not None:
        for key, size in (("layers", wish.layers), ("hidden", wish.hidden)):
            if size is not None:
                yield Problem(
                    message=f"{wish.name} is a published model with its own layers",
                    path=(key,),
                    value=str(size),
                    fix=f"remove {key}, or set parameters instead of name",
                )


def _shape(wish: ModelRequest) -> Iterator[Problem]:
    """Layers and a hidden size that another model would have."""
    if wish.name is not None or (wish.layers is None and wish.hidden is None):
        return
    shape = wish.shape
    by_shape = PARAMETERS_PER_LAYER * shape.layers * shape.hidden**2
    if Decimal(1) / APART <= Decimal(wish.parameters) / by_shape <= APART:
        return
    key, size = ("hidden", wish.hidden) if wish.hidden is not None else ("layers", wish.layers)
    yield Problem(
        message=f"{shape.layers:,} × 12 · {shape.hidden:,}² are about {by_shape:,} parameters"
        f" (12 · layers · hidden²), and the model has {wish.parameters:,}",
        path=(key,),
        value=str(size),
        allowed=f"what is within {APART} times of the model's parameters",
        fix="set the layers and the hidden size of the same model, or remove both",
    )
