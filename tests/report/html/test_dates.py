"""The dates in the head of the page are those of prices that count."""

from types import SimpleNamespace

from gpuinfra.report.summary import day_range, price_days


def test_a_rate_outside_of_every_cap_gives_no_date() -> None:
    lines = [
        SimpleNamespace(as_of="2025-06-05", status="rate"),
        SimpleNamespace(as_of="2026-07-20", status="priced"),
        SimpleNamespace(as_of="2026-09-29", status="priced"),
    ]

    assert price_days(SimpleNamespace(lines=lines)) == ("2026-07-20", "2026-09-29")


def test_an_interval_counts_by_its_first_and_its_last_day() -> None:
    assert day_range(["", "2026-01-21/2026-05-22", "2026-03-01"]) == ("2026-01-21", "2026-05-22")
    assert day_range([""]) == ()
