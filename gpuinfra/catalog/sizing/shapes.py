"""The shapes of transformer models: published ones, and one derived from a parameter count."""

from decimal import Decimal
from functools import cache
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

    Derived values are not rounded: else a few parameters more could be a layer more, and less
    memory. `head` counts the numbers in one attention head. `latent` is how many numbers
    multi-head latent attention keeps for each token and layer in place of keys and values; None
    where it is not used. Of a mixture of `experts`, `active` parameters work on one token; all
    have to be held.
    """

    parameters: int
    layers: int | Decimal
    hidden: int | Decimal
    heads: int | Decimal
    kv_heads: int | Decimal
    head: int | Decimal
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
        parameters_left = (self.active or self.parameters) - self.vocabulary * self.hidden - layers
        return int(max(0, parameters_left) // (3 * self.layers * self.hidden))


@cache
def models() -> dict[str, ModelShape]:
    """Return the published models by name."""
    shapes: dict[str, ModelShape] = {}
    for row in TABLES.rows("models"):
        name, source, as_of = row.pop("name"), row.pop("source"), row.pop("as_of")
        shapes[name] = ModelShape(**row, source=f"{source}, {as_of}")
    return shapes


@cache
def derive_shape(
    parameters: int, layers: int | None = None, hidden_size: int | None = None
) -> ModelShape:
    """Return the shape of a model from its size, and from its layers or hidden size if given.

    By parameters = 12 · layers · hidden², and hidden = 128 · layers where both are unknown; GPT-3
    comes out within 1%. Grouped-query attention is taken, as models have it since 2023.
    """
    depth, width, derived = _layers_and_width(parameters, layers, hidden_size)
    heads = max(Decimal(1), width / HEAD)
    kv_heads = min(heads, Decimal(KV_HEADS))
    return ModelShape(
        parameters=parameters,
        layers=depth,
        hidden=width,
        heads=heads,
        kv_heads=kv_heads,
        head=width / heads,
        vocabulary=VOCABULARY,
        assumptions=(
            *derived,
            f"{kv_heads:.0f} key-value heads (grouped-query attention)",
            f"a vocabulary of {VOCABULARY:,}",
        ),
    )


def _layers_and_width(
    parameters: int, layers: int | None, hidden_size: int | None
) -> tuple[Decimal, Decimal, tuple[str, ...]]:
    """Return the number of layers, the hidden size, and which of them was derived."""
    size = Decimal(parameters) / PARAMETERS_PER_LAYER
    relation = "12 · layers · hidden² = parameters"
    if layers is not None and hidden_size is not None:
        return Decimal(layers), Decimal(hidden_size), ()
    if layers is not None:
        width = max(Decimal(HEAD), (size / layers).sqrt())
        return Decimal(layers), width, (f"a hidden size of about {width:,.0f} ({relation})",)
    if hidden_size is not None:
        depth = max(Decimal(1), size / hidden_size**2)
        return depth, Decimal(hidden_size), (f"about {depth:,.0f} layers ({relation})",)
    depth = max(Decimal(1), (size / ASPECT**2) ** (Decimal(1) / 3))
    width = ASPECT * depth
    text = f"about {depth:,.0f} layers of {width:,.0f} ({relation}, hidden = {ASPECT} · layers)"
    return depth, width, (text,)
