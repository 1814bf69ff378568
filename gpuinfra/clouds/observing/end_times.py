"""The times and schedules that end a run, and whether they are past or too far away."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.observing.values import amount
from gpuinfra.model import FAR_DAYS, Unknown
from gpuinfra.today import now, today
from gpuinfra.units import HOURS_PER_MONTH

_YEAR: Final = 5
_MONTH: Final = 3
_DECEMBER: Final = 12
_MONTHS: Final = frozenset(map(str, range(1, _DECEMBER + 1)))
_RATE: Final = r"rate\((\d+) days?\)"
_LAST_YEAR: Final = 9999
_SECONDS_PER_DAY: Final = 86_400
_HOUR: Final = 3_600
_OFFSET: Final = 14
"""Hours that the clocks of no two places are further apart from UTC than."""
_EVERY: Final = r"rate\((\d+) (minute|hour|day)s?\)"
_HOURS_OF: Final = {"minute": Decimal(1) / 60, "hour": Decimal(1), "day": Decimal(24)}
_DAYS: Final = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_WEEK: Final = len(_DAYS)
_ANY_VALUE: Final = frozenset({"*", "?"})
_OF_UNIX, _OF_AWS = 5, 6
_WEEKDAY: Final = 4
_LENGTHS: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MAX_MONTH_DAYS: Final = max(_LENGTHS)
"""Days of the months, in a leap year."""


def out_of_reach(moment: Any) -> bool:
    """Return whether a time is past, or too far away for any run; False if it is unknown."""
    day = _day(moment)
    return day is not None and not today() <= day <= _latest_date()


def is_over(moment: Any) -> bool:
    """Return whether a time is past; False if it is unknown."""
    day = _day(moment)
    return day is not None and day < today()


def is_far(moment: Any) -> bool:
    """Return whether a time is too far away for any run; False if it is unknown."""
    day = _day(moment)
    return day is not None and day > _latest_date()


def lasts_too_long(seconds: Any) -> bool:
    """Return whether a duration is longer than any run; False if it is unknown."""
    length = amount(seconds)
    return isinstance(length, Decimal) and length > FAR_DAYS * _SECONDS_PER_DAY


def never_rings(expression: Any) -> bool:
    """Return whether an AWS schedule, at(…), rate(…) or cron(…), runs too late or is past.

    https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
    """
    if not isinstance(expression, str):
        return False
    if expression.startswith("at("):
        return out_of_reach(expression[3:])
    if rate := re.fullmatch(_RATE, expression.strip()):
        return int(rate[1]) > FAR_DAYS
    fields = expression.removeprefix("cron(").removesuffix(")").split()
    return len(fields) > _YEAR and not _is_near(fields[_MONTH], fields[_YEAR])


def has_no_day(expression: Any) -> bool:
    """Return whether a five-field cron names only days that don't exist, like 30 February.

    A weekday beside the day is another way to ring:
    https://man7.org/linux/man-pages/man5/crontab.5.html
    """
    fields: list[str] = expression.split() if isinstance(expression, str) else []
    if len(fields) != _OF_UNIX or fields[_WEEKDAY] not in _ANY_VALUE:
        return False
    days, months = _numbers(fields[2]), _numbers(fields[3])
    lengths = [_LENGTHS[month - 1] for month in months if month <= _DECEMBER]
    return bool(days) and min(days) > max(lengths, default=_MAX_MONTH_DAYS)


def _numbers(field_text: str) -> frozenset[int]:
    """Return the numbers of a cron field, the least of a range; empty for other notations."""
    parts = [part.partition("/")[0].partition("-")[0] for part in field_text.split(",")]
    are_month_days = all(part.isdecimal() and 1 <= int(part) <= _MAX_MONTH_DAYS for part in parts)
    return frozenset(map(int, parts)) if are_month_days else frozenset()


def hours_until(moment: Any, zone: Any = None) -> Decimal | None:
    """Return the hours until a time, in UTC or a possibly later zone; None where not known."""
    if not isinstance(moment, str):
        return None
    try:
        end = datetime.fromisoformat(moment.strip())
    except ValueError:
        return None
    end = end if end.tzinfo else end.replace(tzinfo=UTC)
    behind = 0 if zone in (None, "UTC", "Etc/UTC", "GMT", "Etc/GMT") else _OFFSET
    seconds = Decimal(str((end - now()).total_seconds()))
    return max(Decimal(0), seconds / _HOUR) + behind


def hours_to_end(moment: Any, zone: Any = None) -> Decimal | None:
    """Return the hours until an end, 0 where a preview does not know it yet: the update does."""
    return Decimal(0) if isinstance(moment, Unknown) else hours_until(moment, zone)


def hours_between(expression: Any) -> Decimal | None:
    """Return the most hours between two runs of rate(…), AWS's cron(…), or five cron fields.

    A month where it rings on days of a month, or in a way that is not read here.
    """
    if not isinstance(expression, str):
        return None
    text = expression.strip()
    if rate := re.fullmatch(_EVERY, text):
        return min(int(rate[1]) * _HOURS_OF[rate[2]], HOURS_PER_MONTH)
    return _longest_gap(text, text) or HOURS_PER_MONTH


def hours_from_start_to_stop(start: Any, stop: Any) -> Decimal | None:
    """Return the most hours from a run of one schedule to the next of another, in one time zone.

    None where either is no cron of hours and weekdays.
    """
    if not isinstance(start, str) or not isinstance(stop, str):
        return None
    return _longest_gap(start.strip(), stop.strip())


def _longest_gap(start: str, stop: str) -> Decimal | None:
    """Return the most hours from a run of one cron to the next later one of another."""
    starts, stops = list(_hours_of_week(start)), list(_hours_of_week(stop))
    if not starts or not stops:
        return None
    week = Decimal(24 * _WEEK)
    return max(min((later - hour + week) % week or week for later in stops) for hour in starts)


def _hours_of_week(expression: str) -> Iterator[Decimal]:
    """Yield when a cron runs, in hours since Sunday; none where days of a month limit it."""
    fields = expression.removeprefix("cron(").removesuffix(")").split()
    if len(fields) not in (_OF_UNIX, _OF_AWS) or not fields[1].isdecimal():
        return
    minute, hour, day, month, weekday, *years = fields
    if day not in _ANY_VALUE or month not in _ANY_VALUE or not _ANY_VALUE.issuperset(years):
        return
    past = Decimal(minute) / 60 if minute.isdecimal() else Decimal(0)
    first = 0 if len(fields) == _OF_UNIX else 1  # Sunday is 0 in Unix, and 1 at AWS
    for day_of_week in set(_weekdays(weekday, first)):
        yield 24 * day_of_week + int(hour) + past


def _weekdays(field_text: str, first: int) -> Iterator[int]:
    """Yield the weekdays, 0 to 6 from Sunday on; none for other notations."""
    if field_text in _ANY_VALUE:
        yield from range(_WEEK)
        return
    for part in field_text.upper().split(","):
        ends = [_weekday(end, first) for end in part.split("-")]
        if None in ends or len(ends) > 2:  # noqa: PLR2004  (from, to)
            continue
        start, end = ends[0] or 0, ends[-1] or 0
        yield from (day % _WEEK for day in range(start, end + 1 + (_WEEK if end < start else 0)))


def _weekday(field_text: str, first: int) -> int | None:
    if field_text in _DAYS:
        return _DAYS.index(field_text)
    return (int(field_text) - first) % _WEEK if field_text.isdecimal() else None


def _is_near(month: str, year: str) -> bool:
    """Return whether a cron's years, and its month if a single one, include a day in reach."""
    years = [int(digits) for digits in re.findall(r"\d{4}", year)]
    if not years:
        return True
    if "-" in year or "/" in year:
        last = years[-1] if "-" in year else _LAST_YEAR
        return years[0] <= _latest_date().year and last >= today().year
    first, end = (int(month),) * 2 if month in _MONTHS else (1, _DECEMBER)
    return any(
        date(named_year, first, 1) <= _latest_date()
        and (named_year, end) >= (today().year, today().month)
        for named_year in years
    )


def _latest_date() -> date:
    return today() + timedelta(days=FAR_DAYS)


def _day(moment: Any) -> date | None:
    if not isinstance(moment, str):
        return None
    try:
        return date.fromisoformat(moment.strip()[:10])
    except ValueError:
        return None
