"""The problems of an error, each in one line of text, for every format."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.errors import CloudError, GpuinfraError, InputError, Problem, printable
from gpuinfra.report import markup

MOST: Final = 100
"""How many problems a document has."""


def problems_of(error: GpuinfraError) -> Iterator[Problem]:
    """The problems of an error; the error itself where it has none."""
    if isinstance(error, InputError):
        yield from error.problems[:MOST]
        left = len(error.problems) - MOST
        if left > 0:
            yield Problem(message=f"… and {left} more")
        return
    if isinstance(error, CloudError):
        for refusal in error.refusals:
            yield Problem(message=f"refused: {refusal.what}: {refusal.why}", fix=refusal.fix)
        return
    yield Problem(message=str(error))


def in_words(problem: Problem) -> str:
    """A problem in a line."""
    parts = (
        problem.message,
        f"value: {problem.value}" if problem.value else "",
        f"did you mean {problem.suggestion!r}?" if problem.suggestion else "",
        f"allowed: {problem.allowed}" if problem.allowed else "",
        f"fix: {problem.fix}" if problem.fix else "",
    )
    return printable("; ".join(part for part in parts if part))


def place_of(problem: Problem) -> str:
    """Where a problem is, as file:line:column; empty where it has no place."""
    at = problem.position
    return f"{printable(at.file)}:{at.line}:{at.column}" if at else ""


def listed(error: GpuinfraError) -> str:
    """The problems as a list in Markdown."""
    return "\n".join(
        f"- {markup.code(place_of(problem))} {markup.text(in_words(problem))}"
        for problem in problems_of(error)
    )
