"""`for_model`: GPUs requested by the model that they have to hold, as a user writes it."""

import re
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from gpuinfra.specs import other_tool_keys
from gpuinfra.specs.fields import JsonSchema, anchor_pattern, input_error, text, word_reader
from gpuinfra.specs.forms import RequiredKeyForm, RequiredKeys
from gpuinfra.specs.numbers import measure, whole_number_reader
from gpuinfra.specs.parameter_counts import (
    PARAMETERS_ALLOWED,
    PARAMETERS_PATTERN,
    parse_parameters,
)
from gpuinfra.units import UnitError

NAME_PATTERN: Final = r"[a-z][a-z0-9.-]{0,62}[a-z0-9]"
NAME_ALLOWED: Final = "a published model's name in lower case, for example llama-3.1-70b"
SHORT_ALLOWED: Final = "a model's size (70B) or name (llama-3.1-70b), or a mapping"
VARIANT: Final = r"-(?:instruct|chat|hf|it|base)(?:-hf)?$"
"""The endings of repository names of variants with the same shape."""

TASKS: Final = ("train", "fine-tune", "lora", "serve")
PRECISIONS: Final = ("fp32", "bf16", "fp16", "fp8", "int8", "int4")
SHARDINGS: Final = ("none", "zero-1", "zero-2", "zero-3", "fsdp", "tensor", "pipeline")
OPTIMIZERS: Final = ("adamw", "adamw-8bit", "sgd")
RECOMPUTATION_MODES: Final = ("none", "selective", "full")

Parameters = Annotated[int, measure(parse_parameters, PARAMETERS_PATTERN, PARAMETERS_ALLOWED)]
ModelName = Annotated[str, text(NAME_PATTERN, NAME_ALLOWED, hint=str.lower, longest=64)]
Task = Annotated[Literal["train", "fine-tune", "lora", "serve"], word_reader(TASKS)]
Precision = Annotated[
    Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"], word_reader(PRECISIONS)
]
Sharding = Annotated[
    Literal["none", "zero-1", "zero-2", "zero-3", "fsdp", "tensor", "pipeline"],
    word_reader(SHARDINGS),
]
Optimizer = Annotated[Literal["adamw", "adamw-8bit", "sgd"], word_reader(OPTIMIZERS)]
Recompute = Annotated[Literal["none", "selective", "full"], word_reader(RECOMPUTATION_MODES)]
Tokens = Annotated[int, whole_number_reader(1, 10_000_000)]
Sequences = Annotated[int, whole_number_reader(1, 100_000)]
Rank = Annotated[int, whole_number_reader(1, 1024)]
Layers = Annotated[int, whole_number_reader(1, 10_000)]
Hidden = Annotated[int, whole_number_reader(1, 1_000_000)]


class ForModel(RequiredKeyForm):
    """A model that the GPUs have to hold; `70B` or `llama-3.1-70b` is short for size or name."""

    key_synonyms = other_tool_keys.FOR_MODEL_HINTS
    short = "a model's size or name, for example 70B or llama-3.1-70b"
    file_title = "the model"
    example = "write 70B, llama-3.1-70b, or {parameters: 70B, task: serve}"
    needs = RequiredKeys(
        keys=("parameters", "name"),
        exactly_one=True,
        missing_message="names neither a model nor its size",
        fix="write for_model: {parameters: 70B, task: fine-tune}, or for_model: llama-3.1-70b",
    )

    parameters: Parameters | None = Field(
        default=None, description="Number of parameters, for example 70B."
    )
    name: ModelName | None = Field(
        default=None,
        description="A published model whose architecture is known, for example llama-3.1-70b.",
    )
    task: Task | None = Field(
        default=None,
        description="train, fine-tune, lora or serve; by the kind of workload when absent.",
    )
    precision: Precision | None = Field(
        default=None, description="Precision of the weights: bf16 (when absent), fp32, int4 …"
    )
    sharding: Sharding | None = Field(
        default=None,
        description="How one copy is split over GPUs: none, zero-1 to zero-3 (fsdp is zero-3), "
        "tensor inside a machine, pipeline across machines.",
    )
    context: Tokens | None = Field(default=None, description="Tokens per sequence.")
    batch: Sequences | None = Field(
        default=None,
        description="Concurrent sequences: per GPU when training, in all when serving; 1 when "
        "absent.",
    )
    optimizer: Optimizer | None = Field(
        default=None,
        description="Optimizer of the trained parameters: adamw (when absent), adamw-8bit or sgd.",
    )
    recompute: Recompute | None = Field(
        default=None,
        description="Activation recomputation in training: none, selective or full (when absent).",
    )
    rank: Rank | None = Field(
        default=None, description="Rank of the LoRA adapters, for task: lora; 16 when absent."
    )
    layers: Layers | None = Field(
        default=None, description="Number of layers; derived when absent."
    )
    hidden: Hidden | None = Field(default=None, description="Hidden size; derived when absent.")

    @classmethod
    def spelled_out(cls, raw_value: Any) -> Any:
        """Return the mapping that a short form stands for; anything else unchanged."""
        return _expand_short_form(raw_value)

    @classmethod
    def _user_schema(cls, mapping: JsonSchema) -> JsonSchema:
        schema = super()._user_schema(mapping)
        short = {
            "type": "string",
            "pattern": anchor_pattern(f"(?:{PARAMETERS_PATTERN})|(?:{NAME_PATTERN})"),
            "maxLength": 64,
        }
        return {
            **{key: schema[key] for key in ("description",) if key in schema},
            "anyOf": [short, schema],
        }


def _expand_short_form(raw_value: Any) -> Any:
    """Return the mapping of `70B` as a size, or of `llama-3.1-70b` as a name."""
    if not isinstance(raw_value, str):
        return raw_value
    if re.fullmatch(NAME_PATTERN, raw_value):
        return {"name": raw_value}
    if re.fullmatch(PARAMETERS_PATTERN, raw_value):
        return {"parameters": raw_value}
    raise input_error(
        "is neither a model's size nor its name",
        allowed=SHORT_ALLOWED,
        suggestion=_hint(raw_value),
        fix="`gpuinfra catalog models` lists the names",
    )


def _hint(text: str) -> str:
    """Return the size, or the name of a repository's model, that a text probably meant."""
    try:
        parse_parameters(text)
    except UnitError as error:
        name = re.sub(VARIANT, "", text.rpartition("/")[2].lower().replace(" ", "-"))
        return error.hint or (name if re.fullmatch(NAME_PATTERN, name) else "")
    return ""
