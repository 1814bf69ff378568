"""Models in the arguments of a pool's container that the pool's GPUs can't hold."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Group, Plan
from gpuinfra.specs import Stack

_MODEL: Final = ("--model", "--model-path", "--model-id", "serve")
"""The arguments of vLLM, SGLang and TGI that precede a model name."""

_FOLDER_PREFIXES: Final = ("/", ".", "~")
"""The prefixes of paths to a weights folder, unlike a model repository."""

_WEIGHT_SIZE_ARGUMENTS: Final = (
    "--quantization",
    "-q",
    "--quantize",
    "--cpu-offload-gb",
    "--load-format",
)
"""Arguments with which the weights take another size, or are elsewhere."""


def model_misfits(stack: Stack, plan: Plan) -> Iterator[str]:
    """Yield a message for each model in a pool's arguments that the chosen GPUs can't hold.

    Only published models of known shape, where the file does not ask for one: else it is planned.
    """
    for group in plan.groups:
        work = stack.inference.get(group.name)
        if work is not None and (work.gpu is None or work.gpu.for_model is None):
            yield from _model_misfit(group, tuple(map(str, work.args or ())))


def _model_misfit(group: Group, args: Sequence[str]) -> Iterator[str]:
    model_name = _model_name(args)
    machine = priced_cloud_of(group.cloud).machines.get(group.rung.machine)
    if not model_name or model_name.startswith(_FOLDER_PREFIXES) or machine is None:
        return
    # Few pools name a published model, and what it takes is loaded for those alone.
    from gpuinfra.catalog.sizing.model_names import published_model  # noqa: PLC0415
    from gpuinfra.catalog.sizing.shapes import models  # noqa: PLC0415

    published = published_model(model_name, tuple(models()))
    if published is None:
        return
    from gpuinfra.catalog.sizing.machine_fit import (  # noqa: PLC0415
        ModelRequest,
        gpu_memory_gb,
        memory_need,
    )

    size = gpu_memory_gb(machine)
    request = ModelRequest(parameters=models()[published].parameters, name=published, task="serve")
    needed_gb = memory_need(request, max(1, int(machine.gpu_count))).per_gpu_gb
    if size is not None and needed_gb > size:
        yield (
            f"{group.name}: its args name {model_name}, which needs {needed_gb:,.0f} GB per GPU "
            f"to serve; {machine.type} has {size:.0f}; add "
            f"for_model: {{name: {published}}} to its gpu"
        )


def _model_name(args: Sequence[str]) -> str:
    """Return the model that arguments name; empty if none, or if its weights are not 16 bits."""
    flags = {arg.partition("=")[0] for arg in args}
    if flags.intersection(_WEIGHT_SIZE_ARGUMENTS):
        return ""
    assigned = (arg.partition("=")[2] for arg in args if arg.partition("=")[0] in _MODEL)
    following = (second for first, second in pairwise(args) if first in _MODEL)
    return next(filter(None, (*assigned, *following)), "")
