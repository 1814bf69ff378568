"""Names of other tools for keys of a stack file, each with what to write instead.

They stand in `other_words.json`; a test sees that every key that is named there is one of the
grammar.
"""

import json
from pathlib import Path
from typing import Any, Final

from gpuinfra.specs.unsupported_words import Words

_TABLE: Final[dict[str, Any]] = json.loads(
    Path(__file__).with_name("other_words.json").read_bytes()
)


def _section(name: str) -> Words:
    """Return a section of the table by the other tools' words."""
    return {word: own_key for own_key, other_words in _TABLE[name].items() for word in other_words}


STACK_MEANT: Final = _section("stack means")
"""Keys that other tools have at the top, each with ours."""

STACK: Final = _section("stack")
"""Keys at the top that a stack file has not, each with what to do instead."""

WORKLOAD_MEANT: Final = _section("workload means")
"""Keys that other tools have for a workload, each with ours."""

TRAINING_MEANT: Final[Words] = {**WORKLOAD_MEANT, **_section("training means")}
"""Keys that other tools have for a training run, each with ours."""

TRAINING: Final[Words] = {**_section("workload"), **_section("training")}
"""Keys that a training run has not, each with what to do instead."""

INFERENCE_MEANT: Final[Words] = {**WORKLOAD_MEANT, **_section("inference means")}
"""Keys that other tools have for a pool, each with ours."""

INFERENCE: Final[Words] = {**_section("workload"), **_section("inference")}
"""Keys that a pool has not, each with what to do instead."""

VALUES: Final[dict[str, list[str]]] = _TABLE["values"]
"""The words of the grammar, each with what other tools call it; YAML reads a bare off as false."""

FOR_MODEL_HINTS: Final = _section("for_model means")
"""Keys that other tools have for a model, each with ours."""

GPU_MEANT: Final = _section("gpu means")
"""Keys that other tools have for a request for GPUs, each with ours."""
