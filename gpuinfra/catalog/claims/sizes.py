"""The checks of claims about model memory and GPU energy, which are computed each time."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, Decimal
from itertools import product
from typing import Final, get_args

from gpuinfra.catalog.claims.verdict import ClaimVerdict, plain, share, unknown, verdict_from
from gpuinfra.catalog.gpus import gpus
from gpuinfra.catalog.sizing.machine_fit import memory_need
from gpuinfra.catalog.sizing.model_request import ModelRequest, Optimizer, Precision
from gpuinfra.catalog.sizing.shapes import models
from gpuinfra.model import Gpu
from gpuinfra.units import BYTES

PRECISIONS: dict[str, Precision] = {get_arg: get_arg for get_arg in get_args(Precision)}

SHORT_SEQUENCE_TOKENS: Final = 512
"""Tokens of a short sequence, whose activations are small beside the rest."""


def weights_fit(parameters: int, bytes: int, gpu: str, count: int) -> ClaimVerdict:  # noqa: A002
    """Judge whether a model's weights alone fit on this many GPUs."""
    model = _gpu(gpu)
    if model.memory_gb is None:
        return unknown(f"the memory of {gpu} is unknown")
    need, available = _gigabytes(parameters, bytes), count * model.memory_gb
    fits = need <= available
    least = (need / model.memory_gb).to_integral_value(ROUND_CEILING)
    statement = (
        f"{plain(need)} GB of weights alone against"
        f" {count} × {plain(model.memory_gb)} GB = {plain(available)} GB"
    )
    statement += "" if fits else f"; the weights take {plain(least)} GPUs"
    return verdict_from("right" if fits else "wrong", statement, (model,))


def weights_take(parameters: int, bytes: int, gb: int) -> ClaimVerdict:  # noqa: A002
    """Judge whether a model's weights take this many gigabytes."""
    need = _gigabytes(parameters, bytes)
    return ClaimVerdict(
        outcome="right" if need >= gb else "wrong",
        evidence=f"{parameters:,} × {bytes} B = {plain(need)} GB",
        source="arithmetic",
        as_of="",
    )


def training_memory(
    model: str,
    low: int,
    high: int,
    precisions: Sequence[str],
    contexts: Sequence[int],
    batches: Sequence[int],
) -> ClaimVerdict:
    """Judge whether training a model takes the claimed gigabytes with any of these methods."""
    shape = models()[model]
    sizes = {
        (precision, context, batch): memory_need(
            ModelRequest(
                parameters=shape.parameters,
                name=model,
                precision=PRECISIONS[precision],
                context=context,
                batch=batch,
                recompute="none",
            ),
            1,
        ).per_gpu_gb
        for precision, context, batch in product(precisions, contexts, batches)
    }
    smallest, largest = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    ends = (
        f"{sizes[which]:.1f} GB ({which[0]}, {which[1]} tokens, batch {which[2]})"
        for which in (smallest, largest)
    )
    agreeing = [low <= size <= high for size in sizes.values()]
    is_outside = sizes[largest] < low or sizes[smallest] > high
    return ClaimVerdict(
        outcome="right" if all(agreeing) else "wrong" if is_outside else "partly",
        evidence=f"{' to '.join(ends)}: the batch and its length decide",
        source=f"computed from its shape, {shape.source}",
        as_of="",
    )


def training_factor(model: str, precision: str, factor: str) -> ClaimVerdict:
    """Judge whether training takes at least `factor` times the weights, with any method."""
    shape = models()[model]
    requests_by_method = {"LoRA": ModelRequest(parameters=shape.parameters, task="lora")}
    requests_by_method |= {
        optimizer: ModelRequest(parameters=shape.parameters, optimizer=optimizer)
        for optimizer in get_args(Optimizer)
    }
    times = {
        name: _times(
            replace(
                request, name=model, precision=PRECISIONS[precision], context=SHORT_SEQUENCE_TOKENS
            )
        )
        for name, request in requests_by_method.items()
    }
    enough = sum(time >= Decimal(factor) for time in times.values())
    times_text = ", ".join(
        f"{times_weights:.1f} with {name}" for name, times_weights in times.items()
    )
    return ClaimVerdict(
        outcome=share(enough, len(times)),
        evidence=f"of {model} on {SHORT_SEQUENCE_TOKENS} tokens it takes {times_text}: a lower "
        "bound for training every parameter, not for planning",
        source=f"computed from its shape, {shape.source}",
        as_of="",
    )


def energy(gpu: str, pue: str, hours: int, kwh: str) -> ClaimVerdict:
    """Judge whether watts × PUE × hours equals the claimed kWh."""
    model = _gpu(gpu)
    if model.watts is None:
        return unknown(f"the power of {gpu} is unknown")
    energy_kwh = model.watts * Decimal(pue) * hours / 1000
    calculation = f"{gpu}: {plain(model.watts)} W × {pue} × {hours:,} h = {plain(energy_kwh)} kWh"
    return verdict_from("right" if energy_kwh == Decimal(kwh) else "wrong", calculation, (model,))


def _times(request: ModelRequest) -> Decimal:
    """Return a model's memory on one GPU that holds it all, relative to its weights."""
    memory = memory_need(request, 1)
    return memory.per_gpu_gb / memory.terms[0].gigabytes


def _gigabytes(parameters: int, size: int) -> Decimal:
    return Decimal(parameters) * size / BYTES["GB"]


def _gpu(key: str) -> Gpu:
    return next(gpu for gpu in gpus() if gpu.key == key)
