"""Validation of the answers to the questions of `gpuinfra init`, with messages for each."""

from collections.abc import Callable
from typing import TypeVar

import click

from gpuinfra.errors import InputError, Problem
from gpuinfra.stackfile.grammar import path_text

T = TypeVar("T")


def ask(question: str, default: str, checked: Callable[[str], T]) -> T:
    """Return the checked answer to a question, which is asked again after a wrong one."""
    while True:
        try:
            return checked(click.prompt(question, default=default))
        except click.UsageError as error:
            click.echo(f"error: {error.message}", err=True)


class OtherGpuError(Exception):
    """The error for a chosen cloud or region without the chosen GPUs; both are asked again."""


def validated_answer(answer: str, text: Callable[[], str], *, other_gpu: bool = False) -> str:
    """Return the answer, after checking that the stack file with this answer is valid.

    Raises:
        click.UsageError: it would not, and why: the question is asked again.
        OtherGpuError: `other_gpu` is set, and it is the GPU that does not fit the answer.
    """
    try:
        text()
    except InputError as error:
        first = error.problems[0]
        refused = OtherGpuError if other_gpu and "gpu" in first.path else click.UsageError
        raise refused(_wrong_answer_message(first, answer)) from None
    return answer


def _wrong_answer_message(problem: Problem, answer: str) -> str:
    """Return the message about a wrong answer in one line, with the answer in place of the key."""
    key, _, rest = problem.message.partition(" ")
    message = f"{answer!r} {rest}" if key == path_text(problem.path) else problem.message
    meant = f"did you mean {problem.suggestion!r}?" if problem.suggestion else ""
    allowed = f"allowed: {problem.allowed}" if problem.allowed and not meant else ""
    return "; ".join(filter(None, (message, meant, allowed, problem.fix)))
