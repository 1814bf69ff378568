from datetime import date

import pytest

from gpuinfra.catalog import earliest


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
