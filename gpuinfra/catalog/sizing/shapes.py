"""The shapes of transformer models: published ones, and one derived from a parameter count."""

from functools import cache
from math import cbrt, ceil, isqrt
from typing import Final

from gpuinfra.catalog.tables import TABLES
from gpuinfra.records import record

HEAD: Final = 128
"""Numbers in one attention head, as in GPT-3 and Llama."""

KV_HEADS: Final = 8
"""Heads with keys and values of their own where it is not known how many, as in Llama 3, Qwen 3:
https://arxiv.org/abs/2407.21783 table 3, https://arxiv.org/abs/2505.09388 table 1"""

ASPECT: Final = 128
"""Hidden size per layer of a model of unknown shape: 12,288 / 96 in GPT-3."""

VOCABULARY: Final = 128_256
"""The default vocabulary size where it is not known: that of Llama 3, the larger kind."""

PARAMETERS_PER_LAYER: Final = 12
"""A layer has 12·hidden² parameters: https://arxiv.org/abs/2104.04473, main part of equation 2."""


@record
class ModelShape:
    """The layers of a model; `assumptions` lists the values that were derived, not stated.

    `head` counts the numbers in one attention head. `latent` is how many numbers multi-head latent
    attention keeps for each token and layer in place of keys and values; None where it is not
    used. Of a mixture of `experts`, `active` parameters work on one token; all have to be held.
    """

    parameters: int
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head: int
    vocabulary: int
    experts: int | None = None
    active: int | None = None
    latent: int | None = None
    assumptions: tuple[str, ...] = ()
    source: str = ""

    @property
    def feed_forward(self) -> int:
        """The intermediate size of a layer's feed-forward network.

        They are derived from the parameters that embedding and attention leave, in three matrices
        per layer as in Llama; of experts from those that work on a token. What latent attention
        takes is not known and counts as feed-forward.
        """
        attention = 2 * self.hidden * self.head * (self.heads + self.kv_heads)
        layers = self.layers * attention if self.latent is None else 0
        left = (self.active or self.parameters) - self.vocabulary * self.hidden - layers
        return max(0, left) // (3 * self.layers * self.hidden)


@cache
def models() -> dict[str, ModelShape]:
    """Return the published models by name."""
    shapes: dict[str, ModelShape] = {}
    for row in TABLES.rows("models"):
        name, source, as_of = row.pop("name"), row.pop("source"), row.pop("as_of")
        shapes[name] = ModelShape(**row, source=f"{source}, {as_of}")
    return shapes


def derive_shape(
    parameters: int, layers: int | None = None, hidden: int | None = None
) -> ModelShape:
    """Return the shape of a model from its size, and from its layers or hidden size if given.

    By parameters = 12 · layers · hidden², and hidden = 128 · layers where both are unknown; GPT-3
    comes out as it is. Grouped-query attention is taken, as models have it since 2023.
    """
    assumed: list[str] = []
    relation = "12 · layers · hidden² = parameters"
    if layers is None and hidden is None:
        layers = max(1, round(cbrt(parameters / (PARAMETERS_PER_LAYER * ASPECT**2))))
        hidden = ASPECT * layers
        assumed.append(f"{layers} layers of {hidden:,} ({relation}, hidden = {ASPECT} · layers)")
    elif hidden is None and layers is not None:
        hidden = _up(isqrt(parameters // (PARAMETERS_PER_LAYER * layers)), HEAD)
        assumed.append(f"a hidden size of {hidden:,} ({relation})")
    elif layers is None and hidden is not None:
        layers = max(1, ceil(parameters / (PARAMETERS_PER_LAYER * hidden**2)))
        assumed.append(f"{layers} layers ({relation})")
    if layers is None or hidden is None:
        raise TypeError("a shape has layers and a hidden size")
    heads = max(1, hidden // HEAD)
    kv_heads = min(heads, KV_HEADS)
    assumed.append(
        f"keys and values of {kv_heads} heads (grouped-query attention); a vocabulary of"
        f" {VOCABULARY:,}"
    )
    return ModelShape(
        parameters=parameters,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head=hidden // heads,
        vocabulary=VOCABULARY,
        assumptions=tuple(assumed),
    )


def _up(number: int, step: int) -> int:
    """Return the next multiple of a step."""
    return max(step, -(-number // step) * step)
