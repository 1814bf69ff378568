"""Past usage: GPU-hours by month, read from a CSV file with the place of every fault."""

import csv
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Final

from gpuinfra.errors import InputError, Position, Problem, nearest
from gpuinfra.records import record

COLUMNS: Final = ("month", "gpu_hours")
FEWEST: Final = 24
"""Two years: a season shows only when it comes twice. The guides use 36 months."""

LARGEST: Final = 2**20
_MONTH: Final = re.compile(r"((?:19|20)[0-9]{2})-(0[1-9]|1[0-2])")
_HOURS: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")
_EXAMPLE: Final = "month,gpu_hours, followed by lines like 2024-01,18250"


@record(kw_only=False)
class History:
    """Usage by month without a gap; `months` are first days, `gpu_hours` GPU-hours in each."""

    months: tuple[date, ...]
    gpu_hours: tuple[float, ...]


@record(kw_only=False)
class _Line:
    """A line of the file: its number, its text, its cells, and the column where each starts."""

    number: int
    text: str
    cells: tuple[str, ...]
    starts: tuple[int, ...]


def read(path: Path, today: date) -> History:
    """Read a CSV file with the columns `month` (2024-01) and `gpu_hours`; all months are over.

    Raises:
        InputError: with every fault and its place.
    """
    lines = list(_lines(_text(path)))
    if not lines:
        raise InputError([_fault(str(path), _Line(1, "", ("",), (1,)), 0, "the file is empty")])
    header, *rows = lines
    places = _places(str(path), header)
    months: list[date] = []
    hours: list[float] = []
    problems: list[Problem] = []
    before: date | None = None
    for row in rows:
        month = _month(row, places)
        faults = tuple(_faults(str(path), row, places, before, today))
        problems += faults
        if month is not None and not faults:
            months.append(month)
            hours.append(float(row.cells[places["gpu_hours"]]))
        before = month
    if not problems and len(months) < FEWEST:
        problems.append(
            Problem(
                message=f"{path} has too few months of usage: {len(months)}",
                allowed=f"at least {FEWEST} months in a row",
                fix="export a longer history; the guides use 36 months",
            )
        )
    if problems:
        raise InputError(problems)
    return History(tuple(months), tuple(hours))


def between(month: date, later: date) -> int:
    """How many months lie from one first day to a later one."""
    return (later.year - month.year) * 12 + later.month - month.month


def following(month: date, count: int) -> date:
    """The month so many months later."""
    index = month.year * 12 + month.month - 1 + count
    return date(index // 12, index % 12 + 1, 1)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        problem = Problem(
            message=f"{path} can't be read: {error.strerror}",
            fix=f"use a CSV file: {_EXAMPLE}",
        )
        raise InputError([problem]) from None
    if len(data) > LARGEST:
        raise InputError([Problem(message=f"{path} is larger than 1 MiB: one line is a month")])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(
            [Problem(message=f"{path} is not UTF-8", fix="save it as UTF-8")]
        ) from None


def _lines(text: str) -> Iterator[_Line]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            cells = next(csv.reader([line], strict=True))
        except csv.Error:
            cells = line.split(",")
        yield _Line(number, line, tuple(cell.strip() for cell in cells), _starts(line))


def _starts(line: str) -> tuple[int, ...]:
    """The columns, from 1, at which cells start: after each comma outside quotes."""
    starts, quoted = [1], False
    for column, letter in enumerate(line, 1):
        quoted ^= letter == '"'
        if letter == "," and not quoted:
            starts.append(column + 1)
    return tuple(starts)


def _places(file: str, header: _Line) -> dict[str, int]:
    """Where each column stands.

    Raises:
        InputError: the first line does not name both, once each, and nothing else.
    """
    problems = [
        _fault(
            file,
            header,
            index,
            "unknown column",
            allowed=", ".join(COLUMNS),
            suggestion=nearest(name, COLUMNS),
            fix=f"the file has to begin with {_EXAMPLE}",
        )
        for index, name in enumerate(header.cells)
        if name not in COLUMNS
    ]
    problems += [
        _fault(file, header, 0, f"the column {name} appears {header.cells.count(name)} times")
        for name in COLUMNS
        if header.cells.count(name) != 1 and not problems
    ]
    if problems:
        raise InputError(problems)
    return {name: header.cells.index(name) for name in COLUMNS}


def _faults(
    file: str, row: _Line, places: dict[str, int], before: date | None, today: date
) -> Iterator[Problem]:
    """What is wrong with a line; it is compared with the one before where that has a month."""
    if len(row.cells) != len(COLUMNS):
        message = f"the line has {len(row.cells)} cells, not {len(COLUMNS)}"
        yield _fault(file, row, 0, message, fix="separate the cells by one comma")
        return
    month, hours = _month(row, places), row.cells[places["gpu_hours"]]
    if month is None:
        yield _fault(
            file, row, places["month"], "no month", allowed="a month, for example 2024-01"
        )
    elif before is not None and month != following(before, 1):
        yield _fault(
            file,
            row,
            places["month"],
            f"{month:%Y-%m} does not follow {before:%Y-%m}",
            allowed=f"{following(before, 1):%Y-%m}",
            fix="sort the lines, one per month; use 0 for a month without usage",
        )
    elif following(month, 1) > today:
        message = f"{month:%Y-%m} is not over on {today}"
        yield _fault(file, row, places["month"], message, fix="remove it")
    if _HOURS.fullmatch(hours) is None:
        yield _fault(
            file,
            row,
            places["gpu_hours"],
            "not a number of GPU-hours",
            allowed="a number of at least 0, for example 18250 or 18250.5",
        )


def _month(row: _Line, places: dict[str, int]) -> date | None:
    """The month that a line is of; None where none can be read."""
    if len(row.cells) != len(COLUMNS):
        return None
    found = _MONTH.fullmatch(row.cells[places["month"]])
    return None if found is None else date(int(found[1]), int(found[2]), 1)


def _fault(
    file: str,
    line: _Line,
    index: int,
    message: str,
    *,
    allowed: str = "",
    suggestion: str = "",
    fix: str = "",
) -> Problem:
    cell = line.cells[index] if index < len(line.cells) else ""
    column = line.starts[index] if index < len(line.starts) else 1
    place = Position(file, line.number, column, line.text)
    return Problem(
        message=message,
        value=cell,
        allowed=allowed,
        suggestion=suggestion,
        fix=fix,
        position=place,
    )
