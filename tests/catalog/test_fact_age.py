from datetime import date

import pytest

from gpuinfra.catalog import earliest
from gpuinfra.catalog.fact_age import days_of, days_text, is_outdated


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ("2026-07-20", date(2026, 7, 20)),
        ("2026-07", date(2026, 7, 1)),
        ("2026", date(2026, 1, 1)),
        ("2026-01-21/2026-05-22", date(2026, 1, 21)),
        ("2025-04 or later", date(2025, 4, 1)),
        ("unknown", None),
        ("undated", None),
        ("undated (2025-2026)", None),
        ("2026 (undated)", None),
        ("2026-13-01", None),
        ("", None),
    ],
)
def test_age_counts_from_the_earliest_day_it_can_mean(as_of: str, expected: date | None) -> None:
    assert earliest(as_of) == expected


@pytest.mark.parametrize(
    ("as_of", "old"),
    [("2026-01-01", False), ("2025-12-31", True), ("undated", True), ("2026", False)],
)
def test_a_list_price_is_outdated_after_so_many_days_or_without_a_date(
    as_of: str, old: bool
) -> None:
    assert is_outdated(as_of, date(2027, 2, 5)) is old


def test_an_interval_has_a_first_and_a_last_day() -> None:
    assert days_of("2026-01-21/2026-05-22") == ("2026-01-21", "2026-05-22")
    assert days_text("2026-01-21/2026-05-22") == "2026-01-21 to 2026-05-22"
    assert days_text("2026-07-20") == "2026-07-20"
    assert days_of("") == ()
