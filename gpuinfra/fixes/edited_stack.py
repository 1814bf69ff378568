"""The plain value of a stack file with edits applied, and the resulting stack."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from gpuinfra.errors import InputError, Problem
from gpuinfra.fixes.fix import Edit
from gpuinfra.fixes.property_paths import with_value
from gpuinfra.specs import Stack
from gpuinfra.stackfile import problems_of
from gpuinfra.stackfile.references import bucket_problems, reference_problems


def with_edits(value: Any, edits: Sequence[Edit]) -> Any:
    """Return the value with edits applied; unchanged parts are shared, not copied."""
    for edit in edits:
        value = with_value(value, edit.path, edit.after)
    return value


def stack_of(value: Any) -> Stack:
    """Return the stack of a plain value.

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
