"""The grammar's validation errors, worded for the user who wrote the file."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from pydantic import ValidationError

from gpuinfra.errors import PathPart, Problem
from gpuinfra.specs.fields import KIND, noun
from gpuinfra.specs.forms import Form
from gpuinfra.specs.schema import Stack
from gpuinfra.stackfile.grammar import form_at, key_example, keys_of, path_text

_MAX_SHOWN: Final = 60
KEY: Final = "[key]"
"""The last part of a path that means the key before it, as pydantic writes it too."""

_EVERYWHERE: Final = frozenset({"name", "version"})
"""Keys in so many mappings that their other places are no hint."""

_FOLLOWS: Final = frozenset({"default_factory_not_called"})
"""Errors that only follow from another one."""

_SHAPES: Final = {
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "dict_type": "a mapping",
    "tuple_type": "a list",
}


def problems_of(
    error: ValidationError,
    prefix: Sequence[PathPart] = (),
    *,
    skip: object = None,
    root: type[Form] = Stack,
    value: object = None,
    within: tuple[PathPart, ...] = (),
) -> tuple[Problem, ...]:
    """Return the problems of a refused value; `skip` is a value that was refused before.

    `prefix` is the place of the value when it is a part of a file, whose grammar is `root`;
    `value` is the whole file, of which a problem names only what is written. Those at other places
    than below `within` are left out.
    """
    return tuple(
        _problem(_without_short(value, (*prefix, *fault["loc"])), fault, root, value)
        for fault in error.errors(include_url=False)
        if (*prefix, *fault["loc"])[: len(within)] == within
        and fault["type"] not in _FOLLOWS
        and (skip is None or fault["input"] is not skip)
    )


def _without_short(value: Any, path: tuple[PathPart, ...]) -> tuple[PathPart, ...]:
    """Return a path without keys that a short form implies: `disk: 100GB` names no size."""
    for depth, part in enumerate(path):
        if part != KEY and isinstance(value, str | int | float | Decimal):
            return path[:depth]
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return path
    return path


def _problem(path: tuple[PathPart, ...], fault: Any, root: type[Form], value: object) -> Problem:
    kind = fault["type"]
    if kind == KIND:
        return _own_message_problem(path, fault, root)
    if kind == "missing":
        return _missing_key_problem(path, root, value)
    if kind == "extra_forbidden":
        return _unknown(path, root, value, fault["input"])
    shape = _SHAPES.get(kind)
    if shape is None:
        return _plain_type_problem(path, fault)
    from gpuinfra.stackfile.key_suggestions import mapping_hint  # noqa: PLC0415  (only a mistake needs it)

    return Problem(
        message=f"{path_text(path, root)} is {noun(fault['input'])}, but must be {shape}",
        path=path,
        value=value_text(fault["input"]),
        allowed=_keys(path, root) if shape == "a mapping" else shape,
        fix=mapping_hint(path, root, fault["input"])
        if shape == "a mapping"
        else "use [a, b], or one - for each entry",
        structural=True,
    )


def _own_message_problem(path: tuple[PathPart, ...], fault: Any, root: type[Form]) -> Problem:
    """Return the problem of an error that has its own message."""
    from gpuinfra.stackfile.key_suggestions import one_of_two  # noqa: PLC0415  (only a mistake needs it)

    context = fault["ctx"]
    both = context["message"].startswith("has gpu and instance")
    shown_path = path[:-1] if path[-1:] == (KEY,) else _path_as_written(path, root)
    subject = (
        f"the name {path_text(shown_path[-1:])!r}"
        if path[-1:] == (KEY,)
        else path_text(shown_path, root)
    )
    return Problem(
        message=f"{subject} {context['message']}",
        path=path,
        value=value_text(fault["input"]),
        allowed=context["allowed"],
        suggestion=context["suggestion"],
        fix=one_of_two(fault["input"]) if both else context["fix"],
        structural=context["structural"],
        lacks=context.get("lacks", ""),
    )


def _path_as_written(path: tuple[PathPart, ...], root: type[Form]) -> tuple[PathPart, ...]:
    """Return a path without its last field, if a user doesn't write that field."""
    form = form_at(path[:-1], root) if path else None
    return path[:-1] if form and path[-1] in form.fields_without_key else path


def _plain_type_problem(path: tuple[PathPart, ...], fault: Any) -> Problem:
    """Return the problem of an error by a plain type, not by a type of the grammar."""
    return Problem(
        message=f"{path_text(path)} is {noun(fault['input'])} that is not accepted",
        path=path,
        value=value_text(fault["input"]),
        allowed=str(fault.get("ctx", {}).get("expected", "")),
        structural=True,
    )


def _missing_key_problem(path: tuple[PathPart, ...], root: type[Form], file: object) -> Problem:
    from gpuinfra.stackfile.key_suggestions import missing_bucket  # noqa: PLC0415  (only a mistake needs it)

    form, key = form_at(path[:-1], root), str(path[-1])
    field = form.model_fields.get(key) if form else None
    description = field.description or "" if field else ""
    value = key_example(field) if field else None
    fix = f"add {key}: {value}" if value else f"add {key}"
    return Problem(
        message=f"{path_text(path[:-1], root)} has no {key!r}",
        lacks=f"no {key!r}",
        path=path,
        allowed=f"{key}: {description[:1].lower()}{description[1:].rstrip('.')}"
        if description
        else "",
        fix=missing_bucket(file) if key == "bucket" else fix,
        structural=True,
    )


def _unknown(path: tuple[PathPart, ...], root: type[Form], file: object, value: object) -> Problem:
    """Return the problem of a key that the grammar lacks, or will support later."""
    form, key = form_at(path[:-1], root), str(path[-1])
    place_text = "" if len(path) == 1 else f" in {path_text(path[:-1])}"
    unsupported_keys = form.unsupported_keys if form else {}
    if key in unsupported_keys:
        return Problem(
            message=f"{key!r}{place_text} is not supported yet",
            path=(*path, KEY),
            fix=unsupported_keys[key],
            structural=True,
        )
    if form and key in form.key_hints:
        return Problem(
            message=f"unknown key {key!r}{place_text}",
            path=(*path, KEY),
            fix=_with_value(form.key_hints[key], value),
            structural=True,
        )
    suggestion, fix = _likely_key(path, form, root, file)
    return Problem(
        message=f"unknown key {key[:_MAX_SHOWN]!r}{place_text}",
        path=(*path, KEY),
        allowed=", ".join(keys_of(form) if form else ()),
        suggestion=suggestion,
        fix=fix or "correct the spelling, or remove the key",
        structural=True,
    )


def _with_value(example_text: str, value: object) -> str:
    """Return what to write with the value that was written in place of the example for it."""
    is_plain_text = isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9./-]{1,60}", value)
    return re.sub("<([^>]*)>", lambda hit: str(value) if is_plain_text else hit[1], example_text)


def _likely_key(
    path: tuple[PathPart, ...], form: type[Form] | None, root: type[Form], file: object
) -> tuple[str, str]:
    """Return the key closest to an unknown one, and the fix if that is not what was meant."""
    from gpuinfra.stackfile.key_suggestions import (  # noqa: PLC0415  (only a mistake needs it)
        listed_value,
        move_hint,
        renaming_hint,
    )

    key = str(path[-1])
    if key not in _EVERYWHERE and not (form and form.key_synonyms.get(key)):
        hint = move_hint(path, root, file)
        if hint:
            return "", hint
    suggestion = form.nearest_key(key) if form else ""
    hint = renaming_hint(path, suggestion, root, file) if suggestion else ""
    if hint or not suggestion:
        return "", hint
    return suggestion, listed_value(path, suggestion, root, file)


def value_text(value: Any) -> str:
    """Return a plain value for a message; empty for a mapping or a list."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, dict | list | tuple) or type(value) is object:
        return ""
    return str(value)


def _keys(path: tuple[PathPart, ...], root: type[Form]) -> str:
    form = form_at(path, root)
    return f"a mapping of {', '.join(keys_of(form))}" if form else "a mapping of names"
