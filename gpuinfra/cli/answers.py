"""Validation of the answers to the questions of `gpuinfra init`, with messages for each."""

import array
import os
import stat
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeVar

import click

from gpuinfra.cli.views.render import show_problems
from gpuinfra.errors import InputError, Problem
from gpuinfra.stackfile.grammar import path_text

T = TypeVar("T")


class OtherGpuError(InputError):
    """The error for a chosen cloud or region without the chosen GPUs; both are asked again."""


UNREAD_ANSWERS: Final = (
    "note: answers are read from a terminal alone, not from this input: give them as --what, --gpu"
    " and --where"
)


def is_input_left() -> bool:
    """Return whether a file or a pipe with some content is the standard input.

    Nothing of it is read: it may be the script that runs this command. Where a system does not
    tell how much a pipe holds, as Windows does not, none is taken to be left.
    """
    try:
        file = sys.stdin.fileno()
        status = os.fstat(file)
        if stat.S_ISREG(status.st_mode):
            return os.lseek(file, 0, os.SEEK_CUR) < status.st_size
        return stat.S_ISFIFO(status.st_mode) and _waiting_bytes(file) > 0
    except (ImportError, OSError, ValueError):
        return False


def _waiting_bytes(pipe: int) -> int:
    """Return how many bytes a pipe holds.

    Raises:
        ImportError: the system does not tell.
    """
    import fcntl  # noqa: PLC0415  (Windows has neither)
    import termios  # noqa: PLC0415

    waiting = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, waiting)
    return waiting[0]


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
        error_class = OtherGpuError if other_gpu and "gpu" in first.path else InputError
        raise error_class([_of_answer(first, answer)]) from None
    return answer


def _of_answer(problem: Problem, answer: str) -> Problem:
    """Return a problem with the answer in place of the key; with a suggestion, without a list."""
    key, _, message_rest = problem.message.partition(" ")
    message = f"{answer!r} {message_rest}" if key == path_text(problem.path) else problem.message
    allowed = "" if problem.suggestion else problem.allowed
    return replace(problem, message=message, value="", allowed=allowed)
