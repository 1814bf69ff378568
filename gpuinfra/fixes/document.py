"""The plain value of a stack file with edits in it, and the stack that it then says."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from gpuinfra.errors import InputError, PathPart, Problem
from gpuinfra.fixes.values import Edit
from gpuinfra.stackfile import Stack, problems_of
from gpuinfra.stackfile.references import bucket_problems, reference_problems


def at(value: Any, path: Sequence[PathPart]) -> Any:
    """What stands at a path; None where nothing does."""
    for part in path:
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return None
    return value


def changed(value: Any, edits: Sequence[Edit]) -> Any:
    """The value with edits in it; what it shares with the old one is not copied."""
    for edit in edits:
        value = _with(value, edit.path, edit.after)
    return value


def stack_of(value: Any) -> Stack:
    """The stack that a plain value says.

    Raises:
        InputError: it has faults.
    """
    try:
        stack = Stack.model_validate(value)
    except ValidationError as error:
        raise InputError(problems_of(error, root=Stack)) from None
    problems: tuple[Problem, ...] = (*bucket_problems(value), *reference_problems(stack))
    if problems:
        raise InputError(problems)
    return stack


def _with(value: Any, path: Sequence[PathPart], new: Any) -> Any:
    if not path:
        return new
    part, *rest = path
    if isinstance(value, list) and isinstance(part, int):
        return [_with(one, rest, new) if at == part else one for at, one in enumerate(value)]
    holder = value if isinstance(value, Mapping) else {}
    return {**holder, part: _with(holder.get(part), rest, new)}
