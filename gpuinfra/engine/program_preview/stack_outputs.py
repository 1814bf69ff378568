"""The stack's outputs in a preview, which the engine writes only to its events."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from gpuinfra.engine.program_preview import yaml_json_texts
from gpuinfra.pulumi_special_values import UNKNOWN_TEXT, shown_unknown

STACK: Final = "pulumi:pulumi:Stack"
NO_PROGRAM: Final[Mapping[str, Any]] = MappingProxyType({})


def hand_over(
    digest: Path, events: Path, target: Path, program: Mapping[str, Any] = NO_PROGRAM
) -> Path:
    """Write the preview with the stack's outputs, secrets hidden, and return its path.

    Args:
        digest: what `pulumi preview --json` wrote.
        events: the engine's events of the same preview, one in a line.
        target: the file to write.
        program: the content of a program in YAML, which says what is in its JSON texts.
    """
    preview = json.loads(digest.read_text("utf-8"))
    outputs = _outputs(events)
    for step in preview.get("steps") or ():
        state = step.get("newState") or {}
        if state.get("type") == STACK:
            state["outputs"] = outputs
    preview = _unknown(preview)
    yaml_json_texts.with_known_parts(preview, program)
    target.write_text(json.dumps(preview), encoding="utf-8")
    return target


def hand_over_part(
    digest: Path, events: Path, target: Path, program: Mapping[str, Any] = NO_PROGRAM
) -> None:
    """Write the preview of a program that failed, if the engine got to write one."""
    with suppress(OSError, ValueError):
        if json.loads(digest.read_text("utf-8")).get("steps"):
            hand_over(digest, events, target, program)


def _unknown(value: Any) -> Any:
    """Return a value in which texts with a placeholder are unknown, except in names."""
    if isinstance(value, dict):
        return {shown_unknown(key): _unknown(nested_value) for key, nested_value in value.items()}
    if isinstance(value, list):
        return [_unknown(nested_value) for nested_value in value]
    if not isinstance(value, str) or UNKNOWN_TEXT not in value:
        return value
    return shown_unknown(value) if value.startswith("urn:pulumi:") else UNKNOWN_TEXT


def _outputs(events: Path) -> dict[str, Any]:
    """Return the outputs in the last event of the stack itself."""
    last: dict[str, Any] = {}
    with events.open(encoding="utf-8") as lines:
        for line in lines:
            if STACK in line:
                state = json.loads(line).get("resOutputsEvent", {}).get("metadata", {}).get("new")
                if state and state.get("type") == STACK:
                    last = state.get("outputs") or {}
    return last
