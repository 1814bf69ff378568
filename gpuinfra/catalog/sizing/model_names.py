"""Models in a word: the size or the published model that a name or a repository means."""

import re
from collections.abc import Sequence
from typing import Final

from gpuinfra.catalog.sizing.measured_models import measured_models
from gpuinfra.catalog.sizing.shapes import models
from gpuinfra.errors import Problem, command_line

_SMALLER: Final = re.compile(r"awq|gptq|int[48]|fp[48]|bit|gguf|w[48]a|quant|nvfp|bnb")
"""The name parts of models whose weights are not 16 bits; their number of bits is unknown."""

_SIZE: Final = re.compile(
    r"([0-9]{1,6}(?:\.[0-9]{1,3})?) ?([MBT])(?:n|illion|rillion)?", re.IGNORECASE
)
"""A number of parameters and nothing else: 70B, 7b, 70 billion."""

_SIZE_IN_NAME: Final = re.compile(
    r"(?:[-_ ])([0-9]{1,4}(?:\.[0-9]{1,3})?)b(?=[-_ ]|$)", re.IGNORECASE
)
"""Billions of parameters in a name: 40 of falcon-40b, none of mixtral-8x7b, which has experts."""

_EXPERTS: Final = re.compile(r"[0-9]+x[0-9]+b", re.IGNORECASE)
"""The size of a model with experts, which the name of one model may have."""

UNKNOWN: Final = "MODEL"
"""The placeholder of an unknown model in a command."""


def published_model(model_name: str, names: Sequence[str]) -> str | None:
    """Return the published model that a repository is a copy of; None if none is known."""
    repository = model_name.rpartition("/")[2].lower()
    if _SMALLER.search(repository):
        return None
    normalized_name = _normalize_name(repository.removeprefix("meta-"))
    matching_names = (
        name
        for name in names
        if re.match(rf"{re.escape(_normalize_name(name))}(?![\d.])", normalized_name)
    )
    return max(matching_names, key=len, default=None)


def size_in(model_name: str) -> str:
    """Return the size in a model's name, as `for_model` takes it; empty if there is none."""
    size = None if _SMALLER.search(model_name.lower()) else _SIZE_IN_NAME.search(model_name)
    return f"{size[1]}B" if size else ""


def suggested_model(model_word: str) -> str | None:
    """Return the model that a word means, as `for_model` takes it: a size or a name.

    Empty where the word is a model, but which one is not known; None where it is no model.
    """
    size = _SIZE.fullmatch(model_word.strip())
    if size:
        return f"{size[1]}{size[2].upper()}"
    names = (*models(), *measured_models())
    if _EXPERTS.fullmatch(model_word):
        return next((name for name in names if name.endswith(f"-{model_word.lower()}")), "")
    parameters = published_model(model_word, names) or size_in(model_word)
    return parameters or (
        "" if _family(model_word.rpartition("/")[2]) in map(_family, names) else None
    )


def not_a_gpu(word: str, suggestion: str, write: str = "") -> Problem:
    """Return the problem of a model in the place of a GPU.

    Args:
        word: as it was written.
        suggestion: what `suggested_model` returned.
        write: what to write or run instead, with this model; by default `gpuinfra choose`.
    """
    write = write or command_line("choose", "--for-model", suggestion or UNKNOWN)
    names = f"`{command_line('catalog', 'models')}`"
    which = "" if suggestion else f"; {UNKNOWN} is its size, for example 70B, or a name of {names}"
    return Problem(message="this is a model, not a GPU", value=word, fix=f"{write}{which}")


def _family(name: str) -> str:
    """Return the letters before the first digit or hyphen: llama of llama-3.1-70b."""
    letters = re.match(r"[a-z]*", name.lower())
    return letters[0] if letters else ""


def _normalize_name(name: str) -> str:
    return re.sub(r"[-_ ]", "", name.lower())
