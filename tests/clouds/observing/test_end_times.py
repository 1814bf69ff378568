"""Which clocks end no run: those that are over, and those that come after any run."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from gpuinfra.clouds.observing import end_times
from gpuinfra.clouds.observing.end_times import (
    hours_between,
    hours_from_start_to_stop,
    hours_until,
    lasts_too_long,
    never_rings,
    out_of_reach,
)
from gpuinfra.model import FAR_DAYS, UNKNOWN
from gpuinfra.today import today

SOON = today() + timedelta(days=2)
LAST = today() + timedelta(days=FAR_DAYS)
FAR = LAST + timedelta(days=1)
GONE = today() - timedelta(days=1)


@pytest.mark.parametrize(
    ("moment", "late"),
    [
        (f"{SOON}T00:00:00Z", False),
        (f"{LAST}T00:00:00", False),
        (f"{FAR}T00:00:00+00:00", True),
        (f"{GONE}T23:00:00Z", True),
        (f"{today()}T00:00:00Z", False),
        ("${still_to_come}", False),
        ("", False),
        (None, False),
        (UNKNOWN, False),
    ],
)
def test_a_moment_is_in_reach_unless_it_surely_is_not(moment: object, late: bool) -> None:
    assert out_of_reach(moment) == late


@pytest.mark.parametrize(
    ("expression", "late"),
    [
        (f"at({SOON}T12:00:00)", False),
        (f"at({FAR}T12:00:00)", True),
        (f"at({GONE}T12:00:00)", True),
        ("at(${still_to_come})", False),
        ("rate(1 day)", False),
        ("rate(5 minutes)", False),
        (f"rate({FAR_DAYS + 1} days)", True),
        (f"rate({FAR_DAYS} days)", False),
        ("cron(0 20 * * ? *)", False),
        ("cron(0 20 1 1 ? 2099)", True),
        ("cron(0 20 1 1 ? 2020)", True),
        (f"cron(0 20 {SOON.day} {SOON.month} ? {SOON.year})", False),
        (f"cron(0 20 1 {FAR.month + 1 if FAR.month < 12 else 12} ? {FAR.year + 1})", True),
        ("cron(0 20 1 1 ? 2020-2099)", False),
        ("cron(0 20 1 1 ? 2090-2099)", True),
        ("cron(0 20 1 1 ? 2010-2020)", True),
        ("cron(0 20 1 1 ? 2020/2)", False),
        (f"cron(0 20 {SOON.day} {SOON.month} ? 2020,{SOON.year})", False),
        (UNKNOWN, False),
        (None, False),
    ],
)
def test_a_clock_rings_in_reach_unless_it_surely_does_not(expression: object, late: bool) -> None:
    assert never_rings(expression) == late


@pytest.mark.parametrize(
    ("seconds", "late"),
    [(3600, False), (str(FAR_DAYS * 86_400), False), (FAR_DAYS * 86_400 + 1, True), (None, False)],
)
def test_a_time_is_a_limit_unless_it_is_longer_than_any_run(seconds: object, late: bool) -> None:
    assert lasts_too_long(seconds) == late


@pytest.mark.parametrize(
    ("expression", "hours"),
    [
        ("rate(1 hour)", 1),
        ("rate(90 minutes)", Decimal("1.5")),
        ("rate(2 days)", 48),
        ("rate(90 days)", 730),
        ("0 20 * * *", 24),
        ("0 20 * * 1", 168),
        ("0 20 * * MON-FRI", 72),
        ("0 20 * * 0,3", 96),
        ("cron(0 20 ? * 2-6 *)", 72),
        ("cron(0 20 * * ? *)", 24),
        ("cron(0 20 * * ? 2027)", 730),
        ("0 0 1 * *", 730),
        ("0 */6 * * *", 730),
        ("tomorrow", 730),
        (UNKNOWN, None),
    ],
)
def test_the_most_hours_between_two_rings(expression, hours):
    between = hours_between(expression)

    assert between == hours or (between is not None and abs(between - hours) < Decimal("0.001"))


@pytest.mark.parametrize(
    ("start", "stop", "hours"),
    [
        ("0 8 * * 1-5", "0 19 * * 1-5", 11),
        ("0 8 * * MON-FRI", "30 18 * * *", Decimal("10.5")),
        ("0 8 * * *", "0 19 * * 1-5", 59),  # Saturday's machine runs until Monday
        ("0 20 * * 5", "0 19 * * 1-5", 71),
        ("0 8 * * 1", "0 8 * * 1", 168),
        ("cron(0 8 ? * MON-FRI *)", "cron(0 19 ? * 2-6 *)", 11),
        ("0 8 1 * *", "0 19 * * *", None),
        ("0 8 * * *", "0 */6 * * *", None),
        ("rate(1 day)", "0 19 * * *", None),
        (UNKNOWN, "0 19 * * *", None),
        ("0 8 * * *", None, None),
    ],
)
def test_the_most_hours_from_a_start_to_the_next_stop(start, stop, hours):
    assert hours_from_start_to_stop(start, stop) == hours


def test_the_hours_until_a_moment(monkeypatch):
    at_noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    monkeypatch.setattr(end_times, "now", lambda: at_noon)

    assert hours_until("2026-11-21T18:00:00") == 6
    assert hours_until("2026-11-21T18:00:00Z") == 6
    assert hours_until("2026-11-21T18:00:00", "UTC") == 6
    assert hours_until("2026-11-21T18:00:00", "America/New_York") == 20
    assert hours_until("2026-11-20T18:00:00") == 0
    assert hours_until("soon") is None
    assert hours_until(UNKNOWN) is None


@pytest.mark.parametrize(
    ("expression", "never"),
    [
        ("0 0 30 2 *", True),
        ("0 0 31 4,6,9-9,11 *", True),
        ("0 0 30-31 2 ?", True),
        ("0 0 29 2 *", False),
        ("0 0 31 4,5 *", False),
        ("0 0 31 * *", False),
        ("0 0 30 2 MON", False),
        ("0 0 30 FEB *", False),
        ("0 0 30 13 *", False),
        ("0 0 L 2 *", False),
        ("cron(0 0 30 2 ? *)", False),
        ("@daily", False),
        (None, False),
    ],
)
def test_days_that_no_month_has_never_come(expression, never):
    assert end_times.has_no_day(expression) is never
