"""The error for bad input in a Pulumi program, which the engine shows without a traceback."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

import pulumi

from gpuinfra.errors import InputError, NotYetError, Problem, RefusedError


class ProgramError(InputError, pulumi.RunError):
    """The problems of a stack file or of a component's arguments, all of them, as text."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        InputError.__init__(self, problems)

    def __str__(self) -> str:
        return "\n".join(problem_line(problem) for problem in self.problems)


@contextmanager
def show_plain_errors() -> Generator[None]:
    """Turn input errors of the block into errors that the engine shows as they are.

    Raises:
        ProgramError: instead of an InputError, a NotYetError or a RefusedError.
    """
    try:
        yield
    except ProgramError:
        raise
    except InputError as error:
        raise ProgramError(error.problems) from error
    except (NotYetError, RefusedError) as error:
        raise ProgramError.of(str(error)) from error


def problem_line(problem: Problem) -> str:
    """Return a problem on one line: position, message, given and allowed values, fix."""
    file_position = problem.position
    position_text = f"{file_position}: " if file_position else ""
    value_texts = (
        f"given {problem.value}" if problem.value else "",
        f"did you mean {problem.suggestion}?" if problem.suggestion else "",
        f"allowed: {problem.allowed}" if problem.allowed else "",
        problem.fix,
    )
    return f"{position_text}{'; '.join(part for part in (problem.message, *value_texts) if part)}"
