"""The request for GPUs by model: its size, the task, and the sharding."""

from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal, cast

from gpuinfra.catalog.sizing.measured_models import Measurement, measured_models
from gpuinfra.catalog.sizing.model_names import size_in
from gpuinfra.catalog.sizing.shapes import ModelShape, derive_shape, models
from gpuinfra.errors import InputError, Problem, unknown_word
from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.specs.for_model import ForModel

Precision = Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]
Task = Literal["train", "fine-tune", "lora", "serve"]
Sharding = Literal["none", "zero-1", "zero-2", "zero-3", "tensor", "pipeline"]
Optimizer = Literal["adamw", "adamw-8bit", "sgd"]
Recompute = Literal["none", "selective", "full"]

CONTEXT: Final = 4096
"""Tokens of a sequence where the request does not state how many."""

PRECISION: Final[Precision] = "bf16"
OPTIMIZER: Final[Optimizer] = "adamw"
RECOMPUTE: Final[Recompute] = "full"
RANK: Final = 16
"""Defaults for what the request does not state."""

OTHER_NAMES: Final[dict[str, Sharding]] = {"fsdp": "zero-3"}
"""Other names of sharding strategies."""


@record
class ModelRequest:
    """A model and its task; None where the request does not state a value.

    Attributes:
        parameters: how many the model has.
        task: `fine-tune` trains every parameter, as `train` does; `lora` trains adapters.
        precision: of the weights as they are computed with; `int8` and `int4` only where they
            stay as they are (`lora`, `serve`).
        sharding: what the GPUs of one copy share. `zero-1` to `zero-3` are the stages of the ZeRO
            paper (FSDP is zero-3), over all GPUs; `tensor` splits over the GPUs of one machine;
            `pipeline` is tensor inside a machine and pipeline stages over machines. None is
            zero-3 for what trains and tensor for serving.
        context: tokens of a sequence; None is CONTEXT.
        batch: sequences at once: on each GPU (of one copy, where tensors are split) in training,
            in all when serving; None is one.
        optimizer: whose states are kept.
        recompute: which activations are computed again in the backward pass instead of kept.
        rank: of the LoRA adapters.
        layers: of the model; None is derived.
        hidden: its hidden size; None is derived.
        name: of a model in the table of shapes, which then gives the rest, or in that of
            measured memory.
    """

    parameters: int
    task: Task = "train"
    precision: Precision | None = None
    sharding: Sharding | None = None
    context: int | None = None
    batch: int | None = None
    optimizer: Optimizer | None = None
    recompute: Recompute | None = None
    rank: int | None = None
    layers: int | None = None
    hidden: int | None = None
    name: str | None = None

    @property
    def trains_every_parameter(self) -> bool:
        """Whether the task changes the whole model: it does not serve it or train adapters."""
        return self.task in {"train", "fine-tune"}

    @property
    def shape(self) -> ModelShape:
        """The model's layers: published, or derived from its size."""
        published_shape = models().get(self.name) if self.name else None
        return published_shape or derive_shape(self.parameters, self.layers, self.hidden)

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """The measurements of the model in each precision; empty where its shape is used."""
        return measured_models().get(self.name or "", ())

    @property
    def measurement(self) -> Measurement | None:
        """The measurement in the requested or the usual precision; None if there is none."""
        return next(
            (
                measurement
                for measurement in self.measurements
                if self.precision in {None, measurement.precision}
            ),
            None,
        )

    @property
    def split(self) -> Sharding:
        """The sharding: as stated, or else the usual one for the task."""
        if self.measurements:
            return self.sharding or "none"
        return self.sharding or ("tensor" if self.task == "serve" else "zero-3")

    @property
    def length(self) -> int:
        """The tokens of one sequence."""
        return self.context or CONTEXT

    @property
    def tokens(self) -> int:
        """The tokens of all sequences of the batch."""
        return self.length * (self.batch or 1)

    @property
    def weights(self) -> Precision:
        """The precision of the weights: as stated, or else bf16."""
        return self.precision or PRECISION


@record
class MemoryTerm:
    """A part of the memory of one GPU: the formula as text, GB of 10^9 bytes, its source."""

    name: str
    formula: str
    gigabytes: Decimal
    source: str


def model_request_of(model: "ForModel", task: Task) -> ModelRequest:
    """Return the model request of a stack file; `task` applies where the file names none.

    Raises:
        InputError: it names a model that is in no table; the path is inside it.
    """
    fields = model.model_dump(exclude={"parameters", "task", "sharding"})
    parameters = model.parameters
    if model.name is not None:
        parameters = _parameters(model.name)
    sharding = model.sharding and cast("Sharding", OTHER_NAMES.get(model.sharding, model.sharding))
    return ModelRequest(
        **fields, parameters=parameters or 0, task=model.task or task, sharding=sharding
    )


def _parameters(name: str) -> int:
    if name in measured_models():
        return measured_models()[name][0].parameters
    if name in models():
        return models()[name].parameters
    raise InputError([_unknown(name)])


def _unknown(name: str) -> Problem:
    model_names = (*models(), *measured_models())
    size = size_in(name)
    instead = f"parameters: {size}" if size else "for example parameters: 70B"
    fix = f"set its size instead, {instead}, and layers and hidden if known"
    return unknown_word("unknown model", name, model_names, ("name",), fix)
