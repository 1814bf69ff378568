"""The problems of an error, each in one line of text, for every format."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.errors import CloudError, GpuinfraError, InputError, Problem, printable
from gpuinfra.report import markup

MAX_PROBLEMS: Final = 100
"""The maximum number of problems in a document."""


def problems_of(error: GpuinfraError) -> Iterator[Problem]:
    """Yield the problems of an error; the error itself if it has none."""
    if isinstance(error, InputError):
        yield from error.problems[:MAX_PROBLEMS]
        left_out_count = len(error.problems) - MAX_PROBLEMS
        if left_out_count > 0:
            yield Problem(message=f"… and {left_out_count} more")
        return
    if isinstance(error, CloudError):
        for refusal in error.refusals:
            yield Problem(message=f"refused: {refusal.what}: {refusal.why}", fix=refusal.fix)
        return
    lines = (line.strip() for line in str(error).splitlines())
    yield Problem(message="; ".join(filter(None, lines)))


def problem_line(problem: Problem) -> str:
    """Return a problem as one line of text."""
    parts = (
        problem.message,
        f"value: {problem.value}" if problem.value else "",
        f"did you mean {problem.suggestion!r}?" if problem.suggestion else "",
        f"allowed: {problem.allowed}" if problem.allowed else "",
        f"fix: {problem.fix}" if problem.fix else "",
    )
    return printable("; ".join(part for part in parts if part))


def location_text(problem: Problem) -> str:
    """Return the position of a problem as file:line:column; empty if it has none."""
    return str(problem.position) if problem.position else ""


def markdown_list(error: GpuinfraError) -> str:
    """Return the problems of an error as a Markdown list."""
    items = (
        (markup.code(location_text(problem)), markup.prose(problem_line(problem)))
        for problem in problems_of(error)
    )
    return "\n".join(f"- {' '.join(filter(None, item))}" for item in items)
