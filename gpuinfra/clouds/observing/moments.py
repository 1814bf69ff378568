"""Moments and clocks that are to end a run: which of them are over, or too far away."""

import re
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.observing.values import amount
from gpuinfra.model import FAR_DAYS
from gpuinfra.today import today

_YEAR: Final = 5
_MONTH: Final = 3
_DECEMBER: Final = 12
_MONTHS: Final = frozenset(map(str, range(1, _DECEMBER + 1)))
_RATE: Final = re.compile(r"rate\((\d+) days?\)")
_LAST: Final = 9999
_DAY: Final = 86_400


def out_of_reach(moment: Any) -> bool:
    """Whether a moment, as far as it is known, is over or further away than any run is long."""
    day = _day(moment)
    return day is not None and not today() <= day <= _far()


def is_over(moment: Any) -> bool:
    """Whether a moment, as far as it is known, is over."""
    day = _day(moment)
    return day is not None and day < today()


def is_far(moment: Any) -> bool:
    """Whether a moment, as far as it is known, is further away than any run is long."""
    day = _day(moment)
    return day is not None and day > _far()


def lasts_too_long(seconds: Any) -> bool:
    """Whether a time, as far as it is known, is longer than any run."""
    length = amount(seconds)
    return isinstance(length, Decimal) and length > FAR_DAYS * _DAY


def never_rings(expression: Any) -> bool:
    """Whether a schedule's at(…), rate(…) or cron(…) of AWS comes too late, or is over.

    https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
    """
    if not isinstance(expression, str):
        return False
    if expression.startswith("at("):
        return out_of_reach(expression[3:])
    if rate := _RATE.fullmatch(expression.strip()):
        return int(rate[1]) > FAR_DAYS
    fields = expression.removeprefix("cron(").removesuffix(")").split()
    return len(fields) > _YEAR and not _is_near(fields[_MONTH], fields[_YEAR])


def _is_near(month: str, year: str) -> bool:
    """Whether a cron's years, and its month where it is one number, hold a day in reach."""
    years = [int(digits) for digits in re.findall(r"\d{4}", year)]
    if not years:
        return True
    if "-" in year or "/" in year:
        last = years[-1] if "-" in year else _LAST
        return years[0] <= _far().year and last >= today().year
    first, end = (int(month),) * 2 if month in _MONTHS else (1, _DECEMBER)
    return any(
        date(named_year, first, 1) <= _far() and (named_year, end) >= (today().year, today().month)
        for named_year in years
    )


def _far() -> date:
    return today() + timedelta(days=FAR_DAYS)


def _day(moment: Any) -> date | None:
    if not isinstance(moment, str):
        return None
    try:
        return date.fromisoformat(moment.strip()[:10])
    except ValueError:
        return None
