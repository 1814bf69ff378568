"""The text of an edit's values and property paths."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.errors import PathPart
from gpuinfra.model import Unknown
from gpuinfra.stackfile.yaml_edit import yaml_text

DATA_MOVE_NOTE: Final = "its data must be moved"
"""The note of a change that moves a bucket."""


def value_line(value: Any) -> str:
    """Return a value on one line, as a stack file or a program has it."""
    return yaml_text(_writable(value))


def _writable(value: Any) -> Any:
    """Return a program's value in a form that YAML can hold, with a word for unknown values."""
    if isinstance(value, str | bool | int | Decimal):
        return value
    if isinstance(value, Mapping):
        return {str(key): _writable(nested_value) for key, nested_value in value.items()}
    if isinstance(value, list | tuple):
        return [_writable(nested_value) for nested_value in value]
    if isinstance(value, float):
        return Decimal(str(value))
    return "nothing" if value is None else "unknown" if isinstance(value, Unknown) else str(value)


def property_of(path: tuple[PathPart, ...], *, each: bool = False) -> str:
    """Return a property's path as providers write it: disks[0].encrypted or disks[*].encrypted."""
    entries = ("[*]" if each else f"[{part}]" if isinstance(part, int) else "" for part in path)
    parts = zip(path, entries, strict=True)
    path_text = "".join(entry if isinstance(part, int) else f".{part}" for part, entry in parts)
    return path_text.removeprefix(".")


def cut(text: str, longest: int) -> str:
    """Return the start of a text that is too long."""
    return text if len(text) <= longest else f"{text[:longest]}…"
