"""The values at paths in the plain value of a whole file, and copies with other ones."""

from collections.abc import Mapping, Sequence
from typing import Any

from gpuinfra.errors import PathPart
from gpuinfra.stackfile.yaml_composer import mapping

Path = Sequence[PathPart]


def value_at(file: Any, path: Path) -> Any:
    """Return the value at a path; None where there is none."""
    for part in path:
        if isinstance(file, list) and isinstance(part, int) and part < len(file):
            file = file[part]
        else:
            file = file.get(part) if isinstance(file, dict) else None
    return file


def with_value(value: Any, path: Path, new_value: Any) -> Any:
    """Return a plain value with another value at a path; unchanged parts are shared."""
    if not path:
        return new_value
    first, *inner_path = path
    if isinstance(value, list) and isinstance(first, int):
        return [
            with_value(entry, inner_path, new_value) if entry_index == first else entry
            for entry_index, entry in enumerate(value)
        ]
    siblings: Mapping[Any, Any] = mapping(value)
    return {**siblings, first: with_value(siblings.get(first), inner_path, new_value)}


def without_key(file: Any, path: Path) -> Any:
    """Return the file without the key at a path."""
    *parent, key = path
    holder = value_at(file, parent)
    if not isinstance(holder, dict):
        return file
    return with_value(file, parent, {entry: holder[entry] for entry in holder if entry != key})
