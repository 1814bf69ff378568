"""Text layout: wrapped lines, tables, and records for narrow terminals."""

import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

import click

from gpuinfra.errors import Position

PIPE_WIDTH: Final = 160
"""The table width where the terminal width is unknown."""

NARROWEST: Final = 20

STANDARD_WIDTH: Final = 80
"""The width below which a table omits no column, and is records instead."""

GAP: Final = "  "

INDENT: Final = "    "
RECORD_SEPARATOR: Final = "   "
"""The prefix of a record's lines, and the separator of its cells."""

HINT: Final = ": gpuinfra "
"""The prefix of a command that the user can copy."""

_UNBREAKABLE: Final = (
    r"\s*(?:[^\s`]*`[^`]+`\S*|\d{4}-\d\d-\d\d \d\d:\d\d(?!\d)\S*|(?:→ )?\S+(?: ×(?: \S+)?)?)"
)
"""Text that is never wrapped: a word, a command in backquotes, a day with its time, a number with
its things (3 × T4), an arrow with what it marks."""

HEAD: Final = 2
"""The maximum number of cells in a record's heading."""


def width() -> int | None:
    """Return the output's width: COLUMNS, else the terminal's; None where neither is known."""
    stated_columns = os.environ.get("COLUMNS", "")
    if stated_columns.isdigit() and int(stated_columns):
        return max(NARROWEST, int(stated_columns))
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else 0
    except (OSError, ValueError):
        return None
    return max(NARROWEST, columns) if columns else None


def wrap_text(text: str, under: str = "") -> str:
    """Return a text wrapped at words, with `under` before later lines; unchanged in a pipe.

    A command that ends it is not broken.
    """
    columns = width()
    if columns is None:
        return text
    return "\n".join(_wrap_at(line, under, columns) for line in text.split("\n"))


def _wrap_at(text: str, under: str, columns: int) -> str:
    if size(text) <= columns:
        return text
    message, hint, command = text.partition(HINT)
    if hint and message.strip() and _is_command(command):
        # A command stays whole, so that it can be copied.
        return f"{_wrap_at(f'{message}:', under, columns)}\n{under}{hint[2:]}{command}"
    indent = text[: len(text) - len(text.lstrip())]
    first, *further_lines = _break_lines(
        text.lstrip(), columns - len(indent), columns - len(under)
    )
    return "\n".join((f"{indent}{first}", *(f"{under}{line}" for line in further_lines)))


def _is_command(text: str) -> bool:
    """Return whether a command follows the program's name, rather than a sentence about it."""
    context = click.get_current_context(silent=True)
    root = None if context is None else context.find_root()
    if root is None or not isinstance(root.command, click.Group):
        return True
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return first.startswith("-") or first in root.command.list_commands(root)


def place_line(place: Position) -> str:
    """Return a finding's location unwrapped, so that editors and terminals can open it."""
    return f"{INDENT}at:  {place}"


def size(text: str) -> int:
    """Return how many columns a line of text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # noqa: PLC0415  (seldom needed)

    return sum(
        0 if combining(character) else 1 + (east_asian_width(character) in "WF")
        for character in text
    )


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right_aligned: Collection[str] = (),
    total: bool = False,
    spare: Sequence[str] = (),
) -> Iterator[str]:
    """Yield the lines of a table; of records, one below the other, where it is too wide.

    Cells that are too wide are broken at words. `right_aligned` names the right-aligned columns;
    `total` says that a line precedes the last row; `spare` names the columns that are left out
    where 80 columns or more are no room, the first one first: records have all.
    """
    cell_lines = [[cell.split("\n") for cell in row] for row in rows]
    shown_columns = _kept_columns(columns, cell_lines, spare)
    widths = _widths(*_part(columns, cell_lines, shown_columns), width() or PIPE_WIDTH)
    if widths is None:
        yield from _records(columns, cell_lines, right_aligned)
    else:
        shown_names, cells = _part(columns, cell_lines, shown_columns)
        yield from _table(shown_names, cells, widths, right_aligned, total=total)


def is_shown(
    column: str, columns: Sequence[str], rows: Iterable[Sequence[str]], spare: Sequence[str]
) -> bool:
    """Return whether an optional column fits into a table of these rows."""
    cell_lines = [[cell.split("\n") for cell in row] for row in rows]
    return column in _part(columns, cell_lines, _kept_columns(columns, cell_lines, spare))[0]


def _kept_columns(
    columns: Sequence[str], cell_lines: Sequence[Sequence[Sequence[str]]], spare: Sequence[str]
) -> Sequence[int]:
    """Return the positions of the columns that fit; all of them if records are printed."""
    everything, room = range(len(columns)), width() or PIPE_WIDTH
    for left_out in range(len(spare) + 1 if room >= STANDARD_WIDTH else 0):
        shown_columns = [index for index in everything if columns[index] not in spare[:left_out]]
        if _widths(*_part(columns, cell_lines, shown_columns), room) is not None:
            return shown_columns
    return everything


def _part(
    columns: Sequence[str],
    cell_lines: Sequence[Sequence[Sequence[str]]],
    shown_columns: Sequence[int],
) -> tuple[list[str], list[list[Sequence[str]]]]:
    """Return the columns at these positions, and their cells."""
    return [columns[column_index] for column_index in shown_columns], [
        [row[column_index] for column_index in shown_columns] for row in cell_lines
    ]


def fits_whole(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bool:
    """Return whether a table fits without breaking a cell."""
    widths = [max(map(size, column)) for column in zip(columns, *rows, strict=True)]
    return sum(widths) + len(GAP) * (len(widths) - 1) <= (width() or PIPE_WIDTH)


def _table(
    columns: Sequence[str],
    cells: Sequence[Sequence[Sequence[str]]],
    widths: Sequence[int],
    right_aligned: Collection[str],
    *,
    total: bool,
) -> Iterator[str]:
    yield _line(columns, columns, widths, right_aligned)
    rule = "─" * (sum(widths) + len(GAP) * (len(widths) - 1))
    yield rule
    for number, row in enumerate(cells, 1):
        if total and number == len(cells):
            yield rule
        broken = [
            [
                part
                for line in cell
                for part in (_break_lines(line, column_width, column_width) if line else [""])
            ]
            for cell, column_width in zip(row, widths, strict=True)
        ]
        for at in range(max(map(len, broken), default=0)):
            parts = [cell[at] if at < len(cell) else "" for cell in broken]
            yield _line(parts, columns, widths, right_aligned)


def _widths(
    columns: Sequence[str], rows: Sequence[Sequence[Sequence[str]]], maximum: int
) -> list[int] | None:
    """Return the width of each column; None where the longest words don't fit side by side."""
    least, widest = [], []
    for column_index, column in enumerate(columns):
        lines = [column, *(line for row in rows for line in row[column_index])]
        widest.append(max(map(size, lines)))
        word_widths = [size(part) for line in lines[1:] for part in _break_lines(line, 1, 1)]
        least.append(max(size(column), *word_widths) if word_widths else size(column))
    spare = maximum - len(GAP) * (len(columns) - 1) - sum(least)
    if spare < 0:
        return None
    for column_index in sorted(
        range(len(columns)), key=lambda column_index: widest[column_index] - least[column_index]
    ):
        added_width = min(spare, widest[column_index] - least[column_index])
        least[column_index] += added_width
        spare -= added_width
    # A sentence in a sliver is worse to read than a record; two lines are not.
    has_slivers = any(
        least_width < NARROWEST < want and want > 2 * least_width
        for least_width, want in zip(least, widest, strict=True)
    )
    return None if has_slivers else least


def _records(
    columns: Sequence[str], rows: Iterable[Sequence[Sequence[str]]], right_aligned: Collection[str]
) -> Iterator[str]:
    """Yield each row as a record: its first two cells, then the others with their names.

    What marks a row in its first cell, or is blank instead, stays. A figure is never without its
    name: a right-aligned second cell is not part of the heading.
    """
    heading = HEAD - any(column in right_aligned for column in columns[1:HEAD])
    room = (width() or PIPE_WIDTH) - len(INDENT)
    for row in rows:
        named_cells = list(zip(columns, (" ".join(cell).rstrip() for cell in row), strict=True))
        head = [pair for pair in named_cells[:heading] if pair[1]]
        other_cells = [(column, text.strip()) for column, text in named_cells[heading:] if text]
        full = room + len(INDENT)
        yield from _break_lines(GAP.join(text for _, text in head), full, room)
        line = ""
        for column, text in other_cells:
            pair = f"{column}: {text}" if column else text
            longer = f"{line}{RECORD_SEPARATOR}{pair}" if line else pair
            if line and size(longer) > room:
                yield f"{INDENT}{line}"
                longer = pair
            *full_lines, line = _break_lines(longer, room, room)
            yield from (f"{INDENT}{line}" for line in full_lines)
        if line:
            yield f"{INDENT}{line}"


def _line(
    cells: Sequence[str],
    columns: Sequence[str],
    widths: Sequence[int],
    right_aligned: Collection[str],
) -> str:
    """Return one line of a table."""
    return GAP.join(
        _pad_text(cell, column_width, is_right_aligned=column in right_aligned)
        for cell, column, column_width in zip(cells, columns, widths, strict=True)
    ).rstrip()


def _pad_text(text: str, text_width: int, *, is_right_aligned: bool = False) -> str:
    space = " " * (text_width - size(text))
    return f"{space}{text}" if is_right_aligned else f"{text}{space}"


def _break_lines(text: str, first: int, room_left: int) -> Iterator[str]:
    """Yield a text's lines; a word that is too long has its own line, and spaces are kept."""
    if size(text) <= first:
        yield text
        return
    line, room = "", first
    for word in re.findall(_UNBREAKABLE, text):
        longer = f"{line}{word}"
        if line and size(longer) > room:
            yield line
            line, room = word.lstrip(), room_left
        else:
            line = longer
    yield line
