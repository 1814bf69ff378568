"""The answers to the questions of `gpuinfra init`: taken, or refused in their own words."""

from collections.abc import Callable

import click

from gpuinfra.errors import InputError, Problem
from gpuinfra.stackfile.grammar import place


class OtherGpuError(Exception):
    """The place that was answered has no machine with the GPUs that were: both are asked again."""


def sound(answer: str, text: Callable[[], str], *, other_gpu: bool = False) -> str:
    """An answer with which the file would be sound.

    Raises:
        click.UsageError: it would not, and why: the question is asked again.
        OtherGpuError: `other_gpu` is set, and it is the GPU that does not fit the answer.
    """
    try:
        text()
    except InputError as error:
        first = error.problems[0]
        refused = OtherGpuError if other_gpu and "gpu" in first.path else click.UsageError
        raise refused(_answered(first, answer)) from None
    return answer


def _answered(problem: Problem, answer: str) -> str:
    """What is wrong with an answer, in one line that names it in place of a key of the file."""
    key, _, rest = problem.message.partition(" ")
    message = f"{answer!r} {rest}" if key == place(problem.path) else problem.message
    meant = f"did you mean {problem.suggestion!r}?" if problem.suggestion else ""
    allowed = f"allowed: {problem.allowed}" if problem.allowed and not meant else ""
    return "; ".join(filter(None, (message, meant, allowed, problem.fix)))
