from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from gpuinfra.errors import InputError
from gpuinfra.forecast.usage_history import following, read_history

TODAY = date(2026, 11, 21)


def written(folder: Path, text: str) -> Path:
    file = folder / "usage.csv"
    file.write_text(text, encoding="utf-8")
    return file


def months(count: int, start: date = date(2023, 11, 1)) -> list[str]:
    return [f"{following(start, index):%Y-%m},{100 + index}" for index in range(count)]


def problems(path: Path) -> list[tuple[int, int, str]]:
    with pytest.raises(InputError) as caught:
        read_history(path, TODAY)
    return [
        (problem.position.line, problem.position.column, problem.message)
        if problem.position
        else (0, 0, problem.message)
        for problem in caught.value.problems
    ]


def test_months_and_hours_are_read_over_the_turn_of_a_year(tmp_path: Path) -> None:
    history = read_history(written(tmp_path, "\n".join(["month,gpu_hours", *months(26)])), TODAY)

    assert history.months[:3] == (date(2023, 11, 1), date(2023, 12, 1), date(2024, 1, 1))
    assert history.gpu_hours[:2] == (100.0, 101.0)
    assert len(history.months) == 26


def test_spreadsheets_write_a_mark_crlf_quotes_and_another_order(tmp_path: Path) -> None:
    lines = ["gpu_hours, month", *(",".join(reversed(month.split(","))) for month in months(24))]
    lines[3] = '"102","2024-01"'
    text = "\ufeff" + "\r\n".join(lines) + "\r\n\r\n"

    assert read_history(written(tmp_path, text), TODAY).gpu_hours[2] == 102.0


def test_every_bad_cell_is_told_with_line_and_column(tmp_path: Path) -> None:
    lines = ["month,gpu_hours", *months(24)]
    lines[2] = "2023-12,-5"
    lines[4] = "2024-13,7"
    lines[6] = "2024-04;9"

    assert problems(written(tmp_path, "\n".join(lines))) == [
        (3, 9, "not a number of GPU-hours"),
        (5, 1, "no month"),
        (7, 1, "the line has 1 cells, not 2"),
    ]


def test_a_gap_and_a_month_twice_are_told(tmp_path: Path) -> None:
    lines = ["month,gpu_hours", *months(26)]
    gap = [*lines[:5], *lines[6:]]
    twice = [*lines[:5], lines[4], *lines[5:]]

    assert problems(written(tmp_path, "\n".join(gap))) == [
        (6, 1, "2024-04 does not follow 2024-02")
    ]
    assert problems(written(tmp_path, "\n".join(twice))) == [
        (6, 1, "2024-02 does not follow 2024-02")
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", (1, 1, "the file is empty")),
        ("month,gpu_hour\n", (1, 7, "unknown column")),
        ("month\n2024-01\n", (1, 1, "the column gpu_hours appears 0 times")),
        ("month,month,gpu_hours\n", (1, 1, "the column month appears 2 times")),
    ],
)
def test_a_wrong_head_is_told(tmp_path: Path, text: str, told: tuple[int, int, str]) -> None:
    assert problems(written(tmp_path, text)) == [told]


def test_too_short_a_history_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "\n".join(["month,gpu_hours", *months(23)]))

    assert problems(path) == [(0, 0, f"{path} has too few months of usage: 23")]


def test_no_file_a_large_one_and_other_bytes_are_told(tmp_path: Path) -> None:
    large, bytes_ = tmp_path / "large.csv", tmp_path / "bytes.csv"
    large.write_bytes(b"x" * (2**20 + 1))
    bytes_.write_bytes(b"month,gpu_hours\n\xff\xfe")

    assert "can't be read: No such file" in problems(tmp_path / "none.csv")[0][2]
    assert "larger than 1 MiB" in problems(large)[0][2]
    assert "not UTF-8" in problems(bytes_)[0][2]


def test_a_month_that_is_not_over_is_refused(tmp_path: Path) -> None:
    lines = ["month,gpu_hours", *months(25, date(2024, 11, 1))]

    assert problems(written(tmp_path, "\n".join(lines))) == [
        (26, 1, "2026-11 had not ended by 2026-11-21")
    ]


@pytest.mark.parametrize("cell", ["10000-01", "1899-12", "\u0662\u0660\u0662\u0664-01", "2024-1"])
def test_what_looks_like_a_month_is_none(tmp_path: Path, cell: str) -> None:
    lines = ["month,gpu_hours", f"{cell},5", *months(24)]

    assert problems(written(tmp_path, "\n".join(lines)))[0] == (2, 1, "no month")


@pytest.mark.parametrize(
    ("unit", "form", "step"),
    [
        ("day", "%Y-%m-%d", 24),
        ("day", "%Y-%m-%dT00:00:00Z", 24),
        ("hour", "%Y-%m-%dT%H", 1),
        ("hour", "%Y-%m-%dT%H:00", 1),
        ("hour", "%Y-%m-%dT%H:00Z", 1),
        ("hour", "%Y-%m-%d %H:00:00", 1),
        ("hour", "%Y-%m-%dT%H:00:00.000+00:00", 1),
    ],
)
def test_days_and_hours_are_whole_months_with_a_shape(
    tmp_path: Path, unit: str, form: str, step: int
) -> None:
    """The first month lacks a day, and does not count."""
    start, end = datetime(2023, 1, 2, tzinfo=UTC), datetime(2025, 2, 1, tzinfo=UTC)
    times = [start + timedelta(hours=at) for at in range(0, 24 * (end - start).days, step)]
    rows = (f"{at:{form}},{(8 if at.day > 14 else 0) * step}" for at in times)
    path = tmp_path / "usage.csv"
    path.write_text("\n".join([f"{unit},gpu_hours", *rows]))
    history = read_history(path, date(2025, 2, 1))

    assert history.months[0] == date(2023, 2, 1)
    assert (len(history.months), history.gpu_hours[0]) == (24, 14 * 24 * 8)
    assert history.shape is not None
    assert sum(share for share, _ in history.shape) == pytest.approx(1)
    assert sum(share * times for share, times in history.shape) == pytest.approx(1)
    assert 0.4 < sum(share for share, times in history.shape if not times) < 0.5


def test_a_missing_hour_is_told(tmp_path: Path) -> None:
    path = tmp_path / "usage.csv"
    path.write_text("hour,gpu_hours\n2023-01-01T00,1\n2023-01-01T02,1\n")
    with pytest.raises(InputError) as caught:
        read_history(path, date(2025, 2, 1))

    assert "2023-01-01T02 does not follow 2023-01-01T00" in str(caught.value)


@pytest.mark.parametrize(
    ("unit", "cell"),
    [
        ("hour", "2023-01-01"),
        ("hour", "2023-01-01T00:30Z"),
        ("hour", "2023-01-01T00:00+01:00"),
        ("hour", "2023-01-01T24:00Z"),
        ("hour", "2023-01-01T00:00 Z"),
        ("day", "2023-01-01T01:00Z"),
        ("month", "2023-01-01T00:00Z"),
    ],
)
def test_a_moment_of_another_time_is_none(tmp_path: Path, unit: str, cell: str) -> None:
    path = written(tmp_path, f"{unit},gpu_hours\n{cell},1\n")
    with pytest.raises(InputError) as caught:
        read_history(path, TODAY)
    assert f"no {unit}" in str(caught.value)
