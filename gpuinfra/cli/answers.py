"""Validation of the answers to the questions of `gpuinfra init`, with messages for each."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import click

from gpuinfra.cli.views.render import show_problems
from gpuinfra.errors import InputError, Problem
from gpuinfra.stackfile.grammar import path_text

T = TypeVar("T")


class OtherGpuError(InputError):
    """The error for a chosen cloud or region without the chosen GPUs; both are asked again."""


def ask(question: str, default: str, checked: Callable[[str], T]) -> T:
    """Return the checked answer to a question, which is asked again after a wrong one."""
    while True:
        try:
            return checked(click.prompt(question, default=default))
        except OtherGpuError:
            raise
        except InputError as error:
            show_problems(error)


def validated_answer(answer: str, text: Callable[[], str], *, other_gpu: bool = False) -> str:
    """Return the answer, after checking that the stack file with this answer is valid.

    Raises:
        InputError: it would not, and why: the question is asked again.
        OtherGpuError: `other_gpu` is set, and it is the GPU that does not fit the answer.
    """
    try:
        text()
    except InputError as error:
        first = error.problems[0]
        refused = OtherGpuError if other_gpu and "gpu" in first.path else InputError
        raise refused([_of_answer(first, answer)]) from None
    return answer


def _of_answer(problem: Problem, answer: str) -> Problem:
    """Return a problem with the answer in place of the key; with a suggestion, without a list."""
    key, _, rest = problem.message.partition(" ")
    message = f"{answer!r} {rest}" if key == path_text(problem.path) else problem.message
    allowed = "" if problem.suggestion else problem.allowed
    return replace(problem, message=message, value="", allowed=allowed)
