"""A problem as plain text: the position, the line with a caret, the allowed values, the fix."""

from collections.abc import Callable
from typing import Final
from unicodedata import combining, east_asian_width

from gpuinfra.errors import PROGRAM, Position, Problem, printable
from gpuinfra.similar_words import closest
from gpuinfra.units.message_merging import first_in_words

WIDTH: Final = 100
_LINES_AND_COLUMNS_BEFORE: Final = 3, 5
"""The shown length of a long line, and its maximum share before the caret."""

_GUTTER: Final = 10
"""Columns beside a line that is shown: its number, a bar, and signs that it is cut."""

_VALUE: Final = 80
_MAX_ALTERNATIVES: Final = 8
"""Of a list with a word that is near, how many others are named."""

_MAPPING: Final = "a mapping of "

_UNDER: Final = " " * len("  value:   ")


def describe(
    problem: Problem,
    wrap: Callable[[str, str], str] = lambda text, _: text,
    columns: int | None = None,
    start: str = "",
) -> str:
    """Return a problem as text of several lines, without a final line break or control characters.

    Args:
        problem: the problem.
        wrap: breaks a text at words, with the indent of its further lines.
        columns: how many its reader has; None: any number.
        start: the text before the position.
    """
    file_position = problem.position
    position_text = f"{file_position}: " if file_position else ""
    lines = [wrap(f"{start}{position_text}{printable(problem.message)}", "  ")]
    if file_position and file_position.text.strip():
        lines += _excerpt(file_position, min(WIDTH, (columns or WIDTH + _GUTTER) - _GUTTER))
    if problem.value and repr(problem.value) not in problem.message:
        lines.append(wrap(f"  value:   {_clip_text(printable(problem.value))}", _UNDER))
    if problem.suggestion:
        lines.append(f"  did you mean {printable(problem.suggestion)!r}?")
    if problem.allowed:
        allowed = _closest_values(problem) if _is_cut(problem) else problem.allowed
        lines.append(wrap(f"  allowed: {printable(allowed)}", _UNDER))
    if problem.fix:
        lines.append(wrap(f"  fix:     {printable(problem.fix)}", _UNDER))
    return "\n".join(lines)


def _is_cut(problem: Problem) -> bool:
    """Return whether to omit allowed values: one is suggested, or a command lists them."""
    return bool(problem.suggestion) or f"`{PROGRAM} " in problem.fix


def _closest_values(problem: Problem) -> str:
    """Return a long list's words that are closest to the intended one; a sentence as it is.

    Keys, which a message names, stay in the order of the grammar.
    """
    start = _MAPPING if problem.allowed.startswith(_MAPPING) else ""
    values = problem.allowed.removeprefix(start).split(", ")
    if len(values) <= _MAX_ALTERNATIVES + 1 or any(" " in value for value in values):
        return problem.allowed
    if not start and problem.value and repr(problem.value) not in problem.message:
        # Of GPUs with their count, as H100:8, the GPU alone is among the values.
        values = closest((problem.suggestion or problem.value).partition(":")[0], values)
    return f"{start}{first_in_words(values, _MAX_ALTERNATIVES)}"


def _excerpt(file_position: Position, width: int) -> list[str]:
    """Return the line, clipped around the column, and a caret below the column."""
    column = min(file_position.column - 1, len(file_position.text))
    part, whole = _LINES_AND_COLUMNS_BEFORE
    start = max(0, column - width * part // whole) if len(file_position.text) > width else 0
    end = min(len(file_position.text), start + width)
    head = "…" if start else ""
    tail = "…" if end < len(file_position.text) else ""
    text_before = _clean_line(file_position.text[start:column])
    excerpt = f"{head}{text_before}{_clean_line(file_position.text[column:end])}{tail}"
    gutter = f"{file_position.line:>5} | "
    return [
        f"{gutter}{excerpt}",
        f"{'':>5} | {' ' * (len(head) + _columns(text_before))}^",
    ]


def _clean_line(text: str) -> str:
    """Return a piece of a source line with tabs shown as arrows, to keep the caret aligned."""
    return printable(text.replace("\t", "→"))


def _columns(text: str) -> int:
    """Return a text's terminal width: wide characters take two columns, combining ones none."""
    return sum(
        0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1
        for character in text
    )


def _clip_text(text: str) -> str:
    return text if len(text) <= _VALUE else f"{text[:_VALUE]}…"
