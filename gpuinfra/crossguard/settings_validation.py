"""Validation of settings, with problems worded as for a stack file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from gpuinfra.errors import InputError, Problem, printable
from gpuinfra.model import Unknown
from gpuinfra.similar_words import nearest
from gpuinfra.specs.forms import Form
from gpuinfra.stackfile import problems_of
from gpuinfra.stackfile.grammar import path_text
from gpuinfra.stackfile.validation_messages import KEY

_F = TypeVar("_F", bound=Form)

_MAX_TEXT_LENGTH: Final = 60


def validate_settings(
    kind: type[_F], raw: Mapping[str, Any], source: str, own_keys: Sequence[str] = ()
) -> _F:
    """Read settings into a form.

    Args:
        kind: the form.
        raw: what was given; `UNKNOWN` for what only an update knows.
        source: names the place in messages.
        own_keys: keys of the form whose value is a form that stack files lack.

    Raises:
        InputError: with every problem.
    """
    known_values = {key: value for key, value in raw.items() if key in kind.model_fields}
    problems = list(_not_known(known_values))
    if not problems:
        if kind.model_config.get("extra") == "forbid":
            problems += _unknown_keys(kind, raw, ())
        for key in own_keys:
            if isinstance(known_values.get(key), Mapping):
                nested_form = type(kind.model_fields[key].get_default(call_default_factory=True))
                problems += _unknown_keys(nested_form, known_values[key], (key,))
                known_values[key] = {
                    name: value
                    for name, value in known_values[key].items()
                    if name in nested_form.model_fields
                }
        try:
            form = kind.model_validate(known_values)
        except ValidationError as error:
            problems += problems_of(error, root=kind)
        else:
            if not problems:
                return form
    raise InputError(
        [replace(problem, message=f"{source}: {problem.message}") for problem in problems]
    )


def _unknown_keys(
    form: type[Form], values: Mapping[str, Any], path: tuple[str, ...]
) -> Iterator[Problem]:
    """Yield a problem for each key that a form does not have."""
    keys = tuple(form.model_fields)
    place_text = f" in {path_text(path)}" if path else ""
    for key in values:
        if key not in keys:
            yield Problem(
                message=f"unknown key {key[:_MAX_TEXT_LENGTH]!r}{place_text}",
                path=(*path, key, KEY),
                allowed=", ".join(keys),
                suggestion=nearest(key, keys),
                fix="correct the spelling, or remove the key",
            )


def _not_known(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[Problem]:
    """Yield a problem for each value that is unknown during a preview."""
    if isinstance(value, Unknown):
        yield Problem(
            message=f"{path_text(path)} is not known yet",
            path=path,
            fix="use a plain value, not another resource's output",
        )
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _not_known(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _not_known(item, (*path, index))


def sentences(problem: Problem) -> str:
    """Return a problem as text on one line, as a policy reports it."""
    lacks_value = problem.value and problem.value not in problem.message
    parts = [
        f"{problem.message} ({problem.value[:_MAX_TEXT_LENGTH]!r})."
        if lacks_value
        else f"{problem.message}.",
        f"Did you mean {problem.suggestion!r}?" if problem.suggestion else "",
        f"Allowed: {problem.allowed}." if problem.allowed else "",
        f"To fix it: {problem.fix}." if problem.fix else "",
    ]
    return printable(" ".join(part for part in parts if part))
