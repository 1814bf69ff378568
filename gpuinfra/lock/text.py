"""The text of a lock: JSON with one row per line, for short diffs and local merges."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from gpuinfra.errors import InputError, Position, Problem, lock_update, printable
from gpuinfra.lock.contents import SCHEMA, Lock, stored_key
from gpuinfra.lock.normalized_values import digest_of, json_value
from gpuinfra.lock.validity import faults
from gpuinfra.model import Price
from gpuinfra.stackfile.syntax import lines_of

DIGEST_KEY: Final = "digest"
"""The key of the digest of all else: a lock that was changed by hand or by a merge shows."""

MARKERS: Final = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
"""The line prefixes of git's conflict markers."""

TOP_LEVEL_SECTIONS: Final = ("workloads", "buckets", "others")
ROWS: Final = ("rungs", "prices", "lines")
"""Parts of a lock, and their lists that have one row on a line."""

_INDENT: Final = "  "


def update_command(file: str) -> str:
    """Return the command that rewrites the lock in a file's folder."""
    return lock_update(Path(file).parent)


def _replace(file: str) -> str:
    return f"rename or delete it, then write the lock again: {update_command(file)}"


def write(lock: Lock) -> str:
    """Return the text of a lock, the same for equal locks."""
    content = _json_value(lock)
    head = {"schema": content.pop("schema"), DIGEST_KEY: digest_of(content)}
    return _json_layout({**head, **content}) + "\n"


def read(text: str, file: str) -> Lock:
    """Return the lock in a text.

    Raises:
        InputError: it is in conflict, cut off, changed by hand, of a newer schema, or no lock;
            with the line.
    """
    content = _parse_json(text, file)
    schema = content.get("schema")
    if not isinstance(schema, int):
        raise _fault(text, file, 0, "this is not a gpuinfra lock", _replace(file))
    if schema > SCHEMA:
        raise _fault(
            text,
            file,
            _line(text, "schema"),
            f"the lock has schema {schema}; this gpuinfra reads up to {SCHEMA}",
            f"use a newer gpuinfra, or write the lock again with this one: {update_command(file)}",
        )
    digest = content.pop(DIGEST_KEY, None)
    del content["schema"]
    if digest != _digest(content, text, file):
        raise _fault(
            text,
            file,
            _line(text, DIGEST_KEY),
            "the lock was changed by hand or by a merge: its digest does not match its content",
            f"undo the change, or write the lock again: {update_command(file)}",
        )
    try:
        lock = lock_adapter().validate_python(content)
    except ValidationError as error:
        first = error.errors()[0]
        place_text = ".".join(str(part) for part in first["loc"])
        message = f"the lock has no readable {place_text}: {first['msg']}"
        raise _fault(text, file, 0, message, f"write it again: {update_command(file)}") from None
    wrong = [_invalid_value_error(text, file, why, row) for why, row in faults(lock)]
    if wrong:
        raise InputError([problem for input_error in wrong for problem in input_error.problems])
    return lock


def _digest(content: dict[str, Any], text: str, file: str) -> str:
    try:
        return digest_of(content)
    except UnicodeEncodeError:
        fault = "the lock contains half of a surrogate pair"
        raise _fault(text, file, 0, fault, f"write it again: {update_command(file)}") from None


def _invalid_value_error(text: str, file: str, reason: str, row: Price | None) -> InputError:
    """Return an error for a value that a lock may not hold, with the line of its price row."""
    row_text = "" if row is None else _row(_json_value(row))
    lines = lines_of(text)
    index = next((index for index, line in enumerate(lines) if row_text and row_text in line), 0)
    return _fault(text, file, index, printable(reason), f"write it again: {update_command(file)}")


@cache
def lock_adapter() -> TypeAdapter[Lock]:
    """Return the type adapter of locks, which validates plain values and has the JSON Schema."""
    return TypeAdapter(Lock)


def _parse_json(text: str, file: str) -> dict[str, Any]:
    for number, line in enumerate(lines_of(text)):
        if line.startswith(MARKERS):
            fix = f"resolve it by {update_command(file)}"
            raise _fault(text, file, number, "the lock has a merge conflict", fix)
    try:
        content = json.loads(text, object_pairs_hook=_unique_mapping)
    except json.JSONDecodeError as error:
        cut = error.msg.startswith("Unterminated string") or not text[error.pos :].strip()
        fault = (
            "the lock is truncated: it ends here"
            if cut
            else f"the lock is not valid JSON: {error.msg}"
        )
        raise _fault(
            text, file, error.lineno - 1, fault, f"write it again: {update_command(file)}"
        ) from None
    except _DuplicateKeyError as error:
        message = f"the lock has {error} twice"
        raise _fault(text, file, 0, message, f"write it again: {update_command(file)}") from None
    except ValueError:
        message = "the lock is not valid JSON: a number in it is too long"
        raise _fault(text, file, 0, message, f"write it again: {update_command(file)}") from None
    except RecursionError:
        raise _fault(text, file, 0, "the lock is nested too deep", _replace(file)) from None
    if not isinstance(content, dict):
        raise _fault(
            text,
            file,
            0,
            "this is not a gpuinfra lock",
            _replace(file),
        )
    return content


class _DuplicateKeyError(ValueError):
    """A key that occurs twice in one mapping, for example after a manual merge."""


def _unique_mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, value in pairs:
        if key in mapping:
            raise _DuplicateKeyError(repr(key))
        mapping[key] = value
    return mapping


def _line(text: str, key: str) -> int:
    """Return the line number of a top-level key, counted from 0."""
    marks = (f'{_INDENT}"{key}":', f'"{key}":')
    lines = lines_of(text)
    return next((line_index for line_index, line in enumerate(lines) if line.startswith(marks)), 0)


def _fault(text: str, file: str, line: int, message: str, fix: str) -> InputError:
    lines = lines_of(text)
    line_text = lines[line] if line < len(lines) else ""
    position = Position(file, line + 1, 1, line_text[:200])
    return InputError([Problem(message=message, fix=fix, position=position)])


def _json_value(value: Any) -> Any:
    """Return a value as JSON has it; fields that equal their default are left out."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            stored_key(field.name): _json_value(getattr(value, field.name))
            for field in fields(value)
            if field.name == "schema" or getattr(value, field.name) != _default(field)
        }
    if isinstance(value, Mapping):
        return {key: _json_value(value[key]) for key in sorted(value)}
    if isinstance(value, tuple | list):
        return [_json_value(nested_value) for nested_value in value]
    return json_value(value)


def _default(field: "Field[Any]") -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _json_layout(value: Any, path: tuple[str, ...] = ()) -> str:
    """Return JSON text with entries of upper mappings and of lists of rows on their own lines."""
    indent, inner_indent = _INDENT * len(path), _INDENT * (len(path) + 1)
    if isinstance(value, dict) and value and _is_multi_line(path):
        laid = (
            f"{inner_indent}{_row(key)}: {_json_layout(entry, (*path, key))}"
            for key, entry in value.items()
        )
        return "{\n" + ",\n".join(laid) + f"\n{indent}}}"
    if isinstance(value, list) and value and path[-1] in ROWS and path[0] in TOP_LEVEL_SECTIONS:
        laid = (f"{inner_indent}{_row(row)}" for row in value)
        return "[\n" + ",\n".join(laid) + f"\n{indent}]"
    return _row(value)


def _row(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_multi_line(path: tuple[str, ...]) -> bool:
    """Return whether a mapping at a path is written with each entry on its own line."""
    section, name, key = (*path, "", "", "")[:3]
    if section not in TOP_LEVEL_SECTIONS:
        return len(path) <= 1
    return len(path) <= 1 or (
        bool(name) and section != "others" and key in {"", stored_key("declared_values")}
    )
