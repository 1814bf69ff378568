"""`gpuinfra catalog models`: the models that `for_model` accepts by name, with their shapes."""

from collections.abc import Iterable, Iterator
from typing import Final

import click

from gpuinfra.catalog.sizing.machine_fit import ModelRequest, memory_need
from gpuinfra.catalog.sizing.measured_models import measured_models
from gpuinfra.catalog.sizing.shapes import ModelShape, models
from gpuinfra.cli.options import formats
from gpuinfra.cli.views.render import show_json, show_table

BILLION: Final = 10**9
COLUMNS: Final = ("name", "parameters", "layers", "hidden", "heads", "vocabulary", "KB per token")
PAGE: Final = """\
# Models known by name

Made by `make docs` from `gpuinfra/catalog/models.json`; `gpuinfra catalog models` prints the same.
`for_model: NAME` takes the shape of a model from here. Of a mixture of experts all parameters have
to be held, and those in brackets work on one token. *Heads* are those of attention, in brackets
those with keys and values of their own. *KB per token* is the cache of keys and values of a token
in 16 bits, in all layers; windows of local attention, which keep less, are not counted.

A model that is not listed is sized by `parameters`, with grouped-query attention of 8 heads. What
Hugging Face publishes for Llama 3.1 (LoRA 16, 160 and 950 GB; 4-bit QLoRA 6, 48 and 250 GB for 8B,
70B and 405B, <https://huggingface.co/blog/llama31>, 2024-07) names no sequence length: with 512
tokens on one GPU the size alone gives as much within 10%, and longer sequences take more.

What is counted was measured on 2026-11-26 on an NVIDIA H200 with PyTorch 2.11: training, LoRA and
serving of Llama and Qwen models of 0.5B to 8B took between 98% and 101% of it. On top of that,
the context of the GPU and fragments took 1 to 19%, mostly under 11%, which is what `left free`
covers. The logits of the loss are counted as PyTorch keeps them, 16 B for each token and entry of
the vocabulary; a fused or chunked loss keeps a fraction of that. `tests/gpu/measure_memory.py`
measures again.
"""
MEASURED_COLUMNS: Final = ("name", "parameters", "weights", "at once", "GiB", "while it serves")
MEASURED_PAGE: Final = """\

## Models of speech and of images

Their memory can't be computed from a shape; it is the measured maximum of one GPU while serving.
`for_model` takes them for serving only, whole on each GPU, and leaves a tenth of the GPU free.
The figures are in `gpuinfra/catalog/measured_models.json`.
"""


@click.command("models")
@formats("table", "json", "markdown")
def command(format_: str) -> int:
    """Show the models that --for-model and for_model know by name, with their shapes."""
    named_models = models()
    if format_ == "json":
        show_json(
            {
                "models": [{"name": name, "shape": shape} for name, shape in named_models.items()],
                "measured": [
                    {"name": name, "measurements": measurements}
                    for name, measurements in measured_models().items()
                ],
            }
        )
    elif format_ == "markdown":
        click.echo(markdown(), nl=False)
    else:
        show_table(
            COLUMNS, [row(name, shape) for name, shape in named_models.items()], right=COLUMNS[1:]
        )
        click.echo("\nmeasured while they serve, whole on one GPU:")
        show_table(
            MEASURED_COLUMNS, [cells for cells, _ in measured_rows()], right=MEASURED_COLUMNS[1:5]
        )
    return 0


def markdown() -> str:
    """Return the generated page docs/models.md."""
    shapes = [(*row(name, shape), shape.source) for name, shape in models().items()]
    measured = [(*cells, source) for cells, source in measured_rows()]
    lines = [PAGE, *_table(COLUMNS, shapes), MEASURED_PAGE, *_table(MEASURED_COLUMNS, measured)]
    return "\n".join(lines) + "\n"


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join((*columns, 'source'))} |"
    yield f"|{' --- |' * (len(columns) + 1)}"
    yield from (f"| {' | '.join(map(cell, cells))} |" for cells in rows)


def measured_rows() -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each measurement in the columns of its table, with its source."""
    for name, measurements in measured_models().items():
        for measurement in measurements:
            yield (
                (
                    name,
                    f"{measurement.parameters / BILLION:.3g}B",
                    measurement.precision or "not told",
                    str(measurement.batch),
                    f"{measurement.gibibytes}",
                    measurement.subject,
                ),
                measurement.source,
            )


def row(name: str, shape: ModelShape) -> tuple[str, ...]:
    """Return a model in the columns of the table."""
    request = ModelRequest(
        parameters=shape.parameters, name=name, task="serve", context=1, batch=1, precision="bf16"
    )
    cache = next(
        term.gigabytes for term in memory_need(request, 1).terms if term.name == "KV cache"
    )
    active = "" if shape.active is None else f" ({shape.active / BILLION:.3g}B)"
    return (
        name,
        f"{shape.parameters / BILLION:.3g}B{active}",
        str(shape.layers),
        f"{shape.hidden:,}",
        f"{shape.heads} (latent)" if shape.latent else f"{shape.heads} ({shape.kv_heads})",
        f"{shape.vocabulary:,}",
        f"{cache * 10**6:.0f}",
    )


def cell(text: str) -> str:
    """Return a text escaped for a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")
