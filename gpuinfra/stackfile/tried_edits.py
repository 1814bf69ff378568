"""Suggestions tried on the plain value of a whole file, so that none causes another fault."""

from contextlib import suppress
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from gpuinfra.specs.forms import Form
from gpuinfra.stackfile.defaults import fill_defaults
from gpuinfra.stackfile.grammar import form_at
from gpuinfra.stackfile.plain_values import Path, value_at, with_value, without_key


def causes_none(file: Any, edited: Any, root: type[Form]) -> bool:
    """Return whether an edited file has no fault that the file did not have."""
    if "version" in root.filled_in_fields:
        edited = fill_defaults(edited).value
    return _faults(edited, root) <= _faults(file, root)


def with_moved_key(file: Any, path: Path, target: Path, root: type[Form]) -> Any:
    """Return the file with the key at a path moved into the mapping at another path.

    A short form there is spelled out. None where the file has not the key, or the mapping has a
    key of this name.
    """
    *parent, key = path
    holder, target_value = value_at(file, parent), value_at(file, target)
    if not isinstance(holder, dict) or key not in holder:
        return None
    mapping_there = spelled_out(target_value, target, root)
    if mapping_there is None or key in mapping_there:
        return None
    return with_value(without_key(file, path), target, {**mapping_there, key: holder[key]})


def spelled_out(value: Any, path: Path, root: type[Form]) -> dict[Any, Any] | None:
    """Return the mapping of a value at a path, empty for none; None where it is no mapping."""
    if value is None or isinstance(value, dict):
        return value or {}
    form = form_at(path, root)
    with suppress(PydanticCustomError):
        expanded = None if form is None else form.spelled_out(value)
        return expanded if isinstance(expanded, dict) else None
    return None


def with_renamed_key(file: Any, path: Path, key: str) -> Any:
    """Return the file with the key at a path under another name, in its place."""
    *parent, old = path
    holder = value_at(file, parent)
    if not isinstance(holder, dict) or old not in holder:
        return None
    return with_value(
        file, parent, {key if entry == old else entry: holder[entry] for entry in holder}
    )


def _faults(file: Any, root: type[Form]) -> frozenset[tuple[Path, str, str]]:
    try:
        root.model_validate(file)
    except ValidationError as error:
        return frozenset(
            (tuple(fault["loc"]), fault["type"], fault["msg"])
            for fault in error.errors(include_url=False)
        )
    return frozenset()
