"""Values and paths of edits in words."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gpuinfra.errors import PathPart
from gpuinfra.model import Unknown
from gpuinfra.stackfile.edit import written


def shown(value: Any) -> str:
    """A value as a stack file or a program has it, on one line."""
    return written(_writable(value))


def _writable(value: Any) -> Any:
    """A value of a program as YAML can hold it; what is not known is said to be so."""
    if isinstance(value, str | bool | int | Decimal):
        return value
    if isinstance(value, Mapping):
        return {str(key): _writable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_writable(inner) for inner in value]
    if isinstance(value, float):
        return Decimal(str(value))
    return "nothing" if value is None else "unknown" if isinstance(value, Unknown) else str(value)


def property_of(path: tuple[PathPart, ...], *, each: bool = False) -> str:
    """A property's path as providers write it: disks[0].encrypted, or disks[*].encrypted."""
    entries = ("[*]" if each else f"[{part}]" if isinstance(part, int) else "" for part in path)
    parts = zip(path, entries, strict=True)
    words = "".join(entry if isinstance(part, int) else f".{part}" for part, entry in parts)
    return words.removeprefix(".")


def cut(words: str, longest: int) -> str:
    """The start of a text that is too long."""
    return words if len(words) <= longest else f"{words[:longest]}…"
