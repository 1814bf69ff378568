"""Past usage: GPU-hours by month, day or hour from a CSV file, with positions of faults."""

import csv
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final

from gpuinfra.errors import InputError, Position, Problem
from gpuinfra.forecast.usage_shape import Shape, measure_shape
from gpuinfra.records import record
from gpuinfra.similar_words import nearest

GPU_HOURS: Final = "gpu_hours"
MIN_MONTHS: Final = 24
"""Two years: a season shows only when it comes twice. The guides use 36 months."""

LARGEST: Final = 2**20
_YEARS: Final = range(1900, 2100)
_TIME_FORMATS: Final = {"month": "%Y-%m", "day": "%Y-%m-%d", "hour": "%Y-%m-%dT%H"}
"""The time formats of the columns, by column name."""

_WRITTEN_OUT: Final = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ](?P<hour>[0-9]{2})(?::00(?::00(?:\.0+)?)?)?"
    r"(?:Z|\+00:00)?)?"
)
"""A moment as exports of bills and metrics write it: 2024-01-31T13:00Z, 2024-01-31 13:00:00."""

_STEPS: Final = {"day": timedelta(days=1), "hour": timedelta(hours=1)}
_HOURS: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")
_FORMAT: Final = "hour,gpu_hours, followed by lines like 2024-01-31T13,64 (or day, or month)"


@record(kw_only=False)
class History:
    """Monthly usage without gaps; `months` are first days, `gpu_hours` the GPU-hours of each.

    `shape` is how they are spread over the hours of a month; None where only months were given.
    """

    months: tuple[date, ...]
    gpu_hours: tuple[float, ...]
    shape: Shape | None = None


@record(kw_only=False)
class _Line:
    """A line of the file: its number, its text, its cells, and the start column of each."""

    number: int
    text: str
    cells: tuple[str, ...]
    starts: tuple[int, ...]


def read_history(path: Path, today: date) -> History:
    """Read a CSV file with the columns `hour`, `day` or `month`, and `gpu_hours`, all in the past.

    Of hours and days only whole months count.

    Raises:
        InputError: with every fault and its place.
    """
    lines = list(_lines(_text(path)))
    if not lines:
        raise InputError([_fault(str(path), _Line(1, "", ("",), (1,)), 0, "the file is empty")])
    header, *rows = lines
    unit, column_positions = _unit_and_columns(str(path), header)
    amounts: dict[datetime, float] = {}
    problems: list[Problem] = []
    previous_moment: datetime | None = None
    for row in rows:
        moment = _moment(row, column_positions, unit)
        faults = tuple(_faults(str(path), row, column_positions, unit, (previous_moment, today)))
        problems += faults
        if moment is not None and not faults:
            amounts[moment] = float(row.cells[column_positions[GPU_HOURS]])
        previous_moment = moment
    months = _hours_by_month(amounts, unit)
    if not problems and len(months) < MIN_MONTHS:
        problems.append(
            Problem(
                message=f"{path} has too few months of usage: {len(months)}",
                allowed=f"at least {MIN_MONTHS} months in a row",
                fix="export a longer history; the guides use 36 months",
            )
        )
    if problems:
        raise InputError(problems)
    return History(
        tuple(months),
        tuple(map(sum, months.values())),
        None if unit == "month" else measure_shape(list(months.values())),
    )


def _hours_by_month(amounts: Mapping[datetime, float], unit: str) -> dict[date, list[float]]:
    """Return the GPU-hours of each whole month, by its first day."""
    months: dict[date, list[float]] = {}
    for moment, amount in amounts.items():
        months.setdefault(moment.date().replace(day=1), []).append(amount)
    if unit == "month":
        return months
    return {
        month: hours
        for month, hours in months.items()
        if len(hours) == (following(month, 1) - month) / _STEPS[unit]
    }


def months_between(month: date, later_month: date) -> int:
    """Return the number of months from one first day to a later one."""
    return (later_month.year - month.year) * 12 + later_month.month - month.month


def following(month: date, count: int) -> date:
    """Return the month that is `count` months later."""
    index = month.year * 12 + month.month - 1 + count
    return date(index // 12, index % 12 + 1, 1)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise InputError.of(
            f"{path} can't be read: {error.strerror}", fix=f"use a CSV file: {_FORMAT}"
        ) from None
    if len(data) > LARGEST:
        raise InputError.of(
            f"{path} is larger than 1 MiB", fix="write one line for each hour, or for each day"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError.of(f"{path} is not UTF-8", fix="save it as UTF-8") from None


def _lines(text: str) -> Iterator[_Line]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            cells = next(csv.reader([line], strict=True))
        except csv.Error:
            cells = line.split(",")
        yield _Line(number, line, tuple(cell.strip() for cell in cells), _cell_columns(line))


def _cell_columns(line: str) -> tuple[int, ...]:
    """Return the columns, from 1, at which cells start: after each comma outside quotes."""
    starts, quoted = [1], False
    for column, letter in enumerate(line, 1):
        quoted ^= letter == '"'
        if letter == "," and not quoted:
            starts.append(column + 1)
    return tuple(starts)


def _unit_and_columns(file: str, header: _Line) -> tuple[str, dict[str, int]]:
    """Return the unit of time, and the position of each column.

    Raises:
        InputError: the first line does not name both columns, once each, and nothing else.
    """
    columns = (*_TIME_FORMATS, GPU_HOURS)
    unit = next((name for name in header.cells if name in _TIME_FORMATS), "month")
    problems = [
        _fault(
            file,
            header,
            index,
            "unknown column",
            allowed=", ".join(columns),
            suggestion=nearest(name, columns),
            fix=f"the file has to begin with {_FORMAT}",
        )
        for index, name in enumerate(header.cells)
        if name not in {unit, GPU_HOURS}
    ]
    problems += [
        _fault(file, header, 0, f"the column {name} appears {header.cells.count(name)} times")
        for name in (unit, GPU_HOURS)
        if header.cells.count(name) != 1 and not problems
    ]
    if problems:
        raise InputError(problems)
    return unit, {name: header.cells.index(name) for name in (unit, GPU_HOURS)}


def _faults(
    file: str,
    row: _Line,
    column_positions: dict[str, int],
    unit: str,
    time_bounds: tuple[datetime | None, date],
) -> Iterator[Problem]:
    """Yield the problems of a line; `time_bounds` has the time of the line before, and today."""
    if len(row.cells) != len(column_positions):
        message = f"the line has {len(row.cells)} cells, not {len(column_positions)}"
        yield _fault(file, row, 0, message, fix="separate the cells by one comma")
        return
    previous_moment, today = time_bounds
    form = _TIME_FORMATS[unit]
    moment, hours = _moment(row, column_positions, unit), row.cells[column_positions[GPU_HOURS]]
    if moment is None:
        example = f"a {unit}, for example {datetime(2024, 1, 31, 13, tzinfo=UTC):{form}}"
        yield _fault(file, row, column_positions[unit], f"no {unit}", allowed=example)
    elif previous_moment is not None and moment != _next_start(previous_moment, unit):
        yield _fault(
            file,
            row,
            column_positions[unit],
            f"{moment:{form}} does not follow {previous_moment:{form}}",
            allowed=f"{_next_start(previous_moment, unit):{form}}",
            fix=f"sort the lines, one per {unit} in UTC; use 0 for a {unit} without usage",
        )
    elif _next_start(moment, unit).date() > today:
        message = f"{moment:{form}} had not ended by {today}"
        yield _fault(file, row, column_positions[unit], message, fix="remove it")
    if _HOURS.fullmatch(hours) is None:
        yield _fault(
            file,
            row,
            column_positions[GPU_HOURS],
            "not a number of GPU-hours",
            allowed="a number of at least 0, for example 18250 or 18250.5",
        )


def _next_start(moment: datetime, unit: str) -> datetime:
    """Return the start of the next month, day or hour."""
    if unit == "month":
        return datetime.combine(following(moment.date(), 1), time(), UTC)
    return moment + _STEPS[unit]


def _shorten_time(cell: str, unit: str) -> str:
    """Return a day or an hour without the zeros and the UTC suffix that exports append."""
    match = _WRITTEN_OUT.fullmatch(cell)
    if match is None or match["hour"] is None:
        return cell
    if unit == "hour":
        return f"{match['day']}T{match['hour']}"
    return match["day"] if unit == "day" and match["hour"] == "00" else cell


def _moment(row: _Line, column_positions: dict[str, int], unit: str) -> datetime | None:
    """Return the start of the month, day or hour of a line; None where it can't be read."""
    if len(row.cells) != len(column_positions):
        return None
    cell, form = _shorten_time(row.cells[column_positions[unit]], unit), _TIME_FORMATS[unit]
    try:
        moment = datetime.strptime(cell, form).replace(tzinfo=UTC)
    except ValueError:
        return None
    return moment if f"{moment:{form}}" == cell and moment.year in _YEARS else None


def _fault(file: str, line: _Line, index: int, message: str, **hints: str) -> Problem:
    """Return a problem of one cell; `hints` are the allowed values, a suggestion, and the fix."""
    cell = line.cells[index] if index < len(line.cells) else ""
    column = line.starts[index] if index < len(line.starts) else 1
    cell_position = Position(file, line.number, column, line.text)
    return Problem(message=message, value=cell, position=cell_position, **dict[str, Any](hints))
