"""A problem as plain text: the place, the line with a caret, what is allowed, the fix."""

from typing import Final
from unicodedata import combining, east_asian_width

from gpuinfra.errors import Position, Problem, printable

WIDTH: Final = 100
_BEFORE: Final = 60
"""How much of a long line is shown, and how much of that may stand before the caret."""

_VALUE: Final = 80


def describe(problem: Problem) -> str:
    """A problem in full, on several lines without a last line break; no control characters."""
    at = problem.position
    where = f"{printable(at.file)}:{at.line}:{at.column}: " if at else ""
    lines = [f"{where}{printable(problem.message)}"]
    if at and at.text.strip():
        lines += _excerpt(at)
    if problem.value and repr(problem.value) not in problem.message:
        lines.append(f"  value:   {_clipped(printable(problem.value))}")
    if problem.allowed:
        lines.append(f"  allowed: {printable(problem.allowed)}")
    if problem.suggestion:
        lines.append(f"  did you mean {printable(problem.suggestion)!r}?")
    if problem.fix:
        lines.append(f"  fix:     {printable(problem.fix)}")
    return "\n".join(lines)


def _excerpt(at: Position) -> list[str]:
    """The line, clipped around the column, and a caret below the column."""
    column = min(at.column - 1, len(at.text))
    start = max(0, column - _BEFORE) if len(at.text) > WIDTH else 0
    end = min(len(at.text), start + WIDTH)
    head = "…" if start else ""
    tail = "…" if end < len(at.text) else ""
    before = _clean_line(at.text[start:column])
    shown = f"{head}{before}{_clean_line(at.text[column:end])}{tail}"
    gutter = f"{at.line:>5} | "
    return [
        f"{gutter}{shown}",
        f"{'':>5} | {' ' * (len(head) + _columns(before))}^",
    ]


def _clean_line(text: str) -> str:
    """A piece of a source line: a tab is shown as an arrow, so that the caret stays below."""
    return printable(text.replace("\t", "→"))


def _columns(text: str) -> int:
    """How many terminal columns a text takes: wide characters take two, combining ones none."""
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def _clipped(text: str) -> str:
    return text if len(text) <= _VALUE else f"{text[:_VALUE]}…"
