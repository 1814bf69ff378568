"""The checks of claims about the memory of models and the energy of GPUs; each computes anew."""

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from itertools import product
from typing import get_args

from gpuinfra.catalog.gpus import gpus
from gpuinfra.catalog.shapes import models
from gpuinfra.catalog.sizing import need
from gpuinfra.catalog.verdict import Verdict, by, plain, unknown
from gpuinfra.catalog.wish import ModelWish, Precision
from gpuinfra.model import Gpu
from gpuinfra.units import BYTES

PRECISIONS: dict[str, Precision] = {one: one for one in get_args(Precision)}


def weights_fit(parameters: int, bytes: int, gpu: str, count: int) -> Verdict:  # noqa: A002
    """Whether a model's weights alone fit on so many GPUs."""
    model = _gpu(gpu)
    if model.memory_gb is None:
        return unknown(f"the memory of {gpu} is not known")
    need, room = _gigabytes(parameters, bytes), count * model.memory_gb
    fits = need <= room
    least = (need / model.memory_gb).to_integral_value(ROUND_CEILING)
    words = (
        f"{plain(need)} GB of weights alone against"
        f" {count} × {plain(model.memory_gb)} GB = {plain(room)} GB"
    )
    words += "" if fits else f"; the weights take {plain(least)} GPUs"
    return by("right" if fits else "wrong", words, (model,))


def weights_take(parameters: int, bytes: int, gb: int) -> Verdict:  # noqa: A002
    """Whether a model's weights take so many gigabytes."""
    need = _gigabytes(parameters, bytes)
    return Verdict(
        outcome="right" if need >= gb else "wrong",
        found=f"{parameters:,} × {bytes} B = {plain(need)} GB",
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
) -> Verdict:
    """Whether training a model takes so many gigabytes, whatever is done with it of these."""
    shape = models()[model]
    sizes = {
        (precision, context, batch): need(
            ModelWish(
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
    least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    ends = (
        f"{sizes[which]:.1f} GB ({which[0]}, {which[1]} tokens, batch {which[2]})"
        for which in (least, most)
    )
    inside = [low <= size <= high for size in sizes.values()]
    apart = sizes[most] < low or sizes[least] > high
    return Verdict(
        outcome="right" if all(inside) else "wrong" if apart else "partly",
        found=f"{' to '.join(ends)}: the batch and its length decide",
        source=f"computed from its shape, {shape.source}",
        as_of="",
    )


def energy(gpu: str, pue: str, hours: int, kwh: str) -> Verdict:
    """Whether watts × PUE × hours is so much."""
    model = _gpu(gpu)
    if model.watts is None:
        return unknown(f"the power of {gpu} is not known")
    found = model.watts * Decimal(pue) * hours / 1000
    words = f"{plain(model.watts)} W × {pue} × {hours:,} h = {plain(found)} kWh"
    return by("right" if found == Decimal(kwh) else "wrong", words, (model,))


def _gigabytes(parameters: int, size: int) -> Decimal:
    return Decimal(parameters) * size / BYTES["GB"]


def _gpu(key: str) -> Gpu:
    return next(one for one in gpus() if one.key == key)
