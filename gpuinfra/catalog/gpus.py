"""GPU models and their names, and the families of accelerators."""

import math
import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from functools import cache
from typing import Any, Final

from gpuinfra.catalog.tables import TABLES
from gpuinfra.clouds.tables import number
from gpuinfra.model import Gpu, Machine
from gpuinfra.records import record

NEAREST: Final = 2
"""How many of the most similar GPUs are named as near."""

LESS_MEMORY: Final = 2
"""How much more a factor of two in memory counts where there is less: models may not fit."""


@record
class AcceleratorFamily:
    """A family of accelerators that run the same programs.

    `collectives` is the library by which they exchange data, `transport` what that uses between
    machines, None where it is their fabric; `for_inference`: they are sold for inference.
    """

    name: str
    collectives: str
    transport: str | None
    for_inference: bool
    source: str
    as_of: str


@cache
def gpus() -> tuple[Gpu, ...]:
    """Return every GPU model of the table."""
    return tuple(map(_gpu, TABLES.rows("gpus")))


def gpu(key: str) -> Gpu | None:
    """Return one GPU model by its key; None when the table has none."""
    return _by_key().get(key)


@cache
def matching(word: str) -> tuple[str, ...]:
    """Return the keys that a word can mean: a key, a family (A100), or another spelling.

    An exact key means itself alone; a family means all of its models (H100: SXM, PCIe, NVL);
    letter case, blanks and hyphens do not matter. Empty when nothing is called so.
    """
    normalized = _normalize_name(
        re.sub(r"^(nvidia|amd|aws|tesla)[ -]+", "", word.strip(), flags=re.IGNORECASE)
    )
    if not normalized:
        return ()
    exact = tuple(gpu.key for gpu in gpus() if _normalize_name(gpu.key) == normalized)
    if exact:
        return exact
    family = tuple(gpu.key for gpu in gpus() if normalized in _key_prefixes(gpu.key))
    spelled = tuple(
        gpu.key
        for gpu in gpus()
        if normalized in map(_normalize_name, gpu.aliases) and gpu.key not in family
    )
    return (*family, *spelled)


def most_similar(keys: Collection[str], offered: Collection[str]) -> tuple[str, ...]:
    """Return the offered GPUs, first those most like one of `keys`.

    Those of the same maker come first, since they run the same programs; then the nearest in
    memory and speed: a factor of two in either counts as much as one in the other, and twice as
    much if memory is missing. One of which memory or speed is not known comes last.
    """
    models = [model for model in map(gpu, keys) if model is not None]

    def unlike(key: str) -> tuple[bool, float, str]:
        model = gpu(key)
        distances = [] if model is None else [_distance(model, other) for other in models]
        other_maker, distance = min(distances, default=(True, math.inf))
        return other_maker, distance, key

    return tuple(sorted(offered, key=unlike))


def nearest_gpus_text(requested: Collection[str], nearest: Sequence[str]) -> str:
    """Return the nearest GPUs with memory and speed, beside those of the requested one."""
    models = [model for model in map(gpu, nearest[:NEAREST]) if model is not None]
    models_with_size = [f"{model.key} ({size})" for model in models if (size := _size_text(model))]
    requested_texts = [
        f"{model.key} has {_size_text(model)}" for model in map(gpu, requested) if model
    ]
    than = f"; {requested_texts[0]}" if len(requested_texts) == 1 else ""
    return (
        f"nearest in memory and speed: {', '.join(models_with_size)}{than}"
        if models_with_size
        else ""
    )


def _size_text(model: Gpu) -> str:
    """Return the memory of a GPU and its speed, each if it is known."""
    rates = (("BF16", model.bf16_tflops), ("FP16", model.fp16_tflops))
    speed = next((f"{rate:f} {name} TFLOPS" for name, rate in rates if rate), "")
    memory = f"{model.memory_gb:f} GB" if model.memory_gb else ""
    return ", ".join(filter(None, (memory, speed)))


def by_memory(keys: Collection[str]) -> tuple[str, ...]:
    """Return GPUs in the order of their memory; one of which it is not known comes last."""

    def size(key: str) -> tuple[float, str]:
        model = gpu(key)
        return float(model.memory_gb) if model and model.memory_gb else math.inf, key

    return tuple(sorted(keys, key=size))


def _distance(model: Gpu, other: Gpu) -> tuple[bool, float]:
    """Return whether a GPU has another maker than `other`, and the factors of two between them."""
    memory = _factors(model.memory_gb, other.memory_gb)
    speeds = [gpu.bf16_tflops or gpu.fp16_tflops for gpu in (model, other)]
    if not any(speeds):
        speeds = [model.fp32_tflops, other.fp32_tflops]
    distance = max(memory, -memory * LESS_MEMORY) + abs(_factors(*speeds))
    return model.name.split()[0] != other.name.split()[0], distance


def _factors(size: Decimal | None, other: Decimal | None) -> float:
    """Return how many factors of two a size is above another; infinite if one is unknown."""
    return math.log2(size / other) if size and other else math.inf


@cache
def gpu_names() -> tuple[str, ...]:
    """Return every word that `matching` accepts, as usually written: families, keys, aliases."""
    spellings = {gpu.key.split("-")[0] for gpu in gpus()}
    for model in gpus():
        spellings.update((model.key, *model.aliases))
    return tuple(sorted(spellings - {"RTX", "GRID", "QUALCOMM"}))


@cache
def accelerator_families() -> tuple[AcceleratorFamily, ...]:
    """Return every family of the table."""
    return tuple(AcceleratorFamily(**row) for row in TABLES.rows("accelerators"))


def family_of(machine: Machine | None) -> AcceleratorFamily | None:
    """Return the family of a machine's accelerators; None where no table has it."""
    facts = None if machine is None else gpu(machine.gpu)
    name = "" if facts is None else facts.name
    families = (family for family in accelerator_families() if name.startswith(family.name))
    return max(families, key=lambda family: len(family.name), default=None)


@cache
def _by_key() -> dict[str, Gpu]:
    return {gpu.key: gpu for gpu in gpus()}


@cache
def _normalize_name(word: str) -> str:
    return re.sub(r"[^a-z0-9]", "", word.lower())


@cache
def _key_prefixes(key: str) -> frozenset[str]:
    """Return the prefixes of a key at its hyphens: h100 and h100sxm of H100-SXM-80GB."""
    parts = key.split("-")
    return frozenset(_normalize_name("".join(parts[:count])) for count in range(1, len(parts)))


def _gpu(row: dict[str, Any]) -> Gpu:
    return Gpu(
        key=row["key"],
        name=row["name"],
        architecture=row["architecture"],
        memory_gb=number(row["memory_gb"]),
        bandwidth_gbs=number(row["bandwidth_gbs"]),
        fp32_tflops=number(row["fp32_tflops"]),
        fp16_tflops=number(row["fp16_tflops"]),
        bf16_tflops=number(row["bf16_tflops"]),
        fp8_tflops=number(row["fp8_tflops"]),
        nvlink_gbs=number(row["nvlink_gbs"]),
        watts=number(row["watts"]),
        aliases=tuple(row["aliases"]),
        source=row["source"],
        as_of=row["as_of"],
        unverified=tuple(row["unverified"]),
        notes=row["notes"] or "",
    )


_TPU: Final = re.compile(r"(?i)(?:cloud[ _-]?)?tpu\S*|v[2-7][ep]?(?:-\d+)?|trillium|ironwood")


def unlisted_accelerator(word: str) -> str:
    """Return the start of a sentence, that no table has TPUs, where a word means one; or ""."""
    return "TPUs are not in the catalog; " if _TPU.fullmatch(word) else ""
