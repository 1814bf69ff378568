"""The dates in the head of the page are those of prices that count."""

from types import SimpleNamespace

from gpuinfra.report.summary import price_days


def test_a_rate_outside_of_every_cap_gives_no_date() -> None:
    lines = [
        SimpleNamespace(as_of="2025-06-05", status="rate"),
        SimpleNamespace(as_of="2026-07-20", status="priced"),
        SimpleNamespace(as_of="2026-09-29", status="priced"),
    ]

    assert price_days(SimpleNamespace(lines=lines)) == ("2026-07-20", "2026-09-29")
