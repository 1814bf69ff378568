"""The age of a fact, from the earliest date that its `as_of` can mean."""

import re
from collections.abc import Iterable
from datetime import date
from functools import cache
from typing import Final

from gpuinfra.errors import command_line
from gpuinfra.model import OUTDATED_AFTER_DAYS

_AS_OF: Final = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2}))?)?"
    r"(?:/\d{4}(?:-\d{2}){0,2}| or later)?"
)


@cache
def earliest(as_of: str) -> date | None:
    """Return the earliest day of a day, month, year or interval; None for an undated text."""
    match = _AS_OF.fullmatch(as_of)
    if match is None:
        return None
    try:
        return date(int(match["year"]), int(match["month"] or 1), int(match["day"] or 1))
    except ValueError:
        return None


def days_of(as_of: str) -> tuple[str, ...]:
    """Return the day, or the first and the last day of an interval; none of an undated text."""
    return tuple(filter(None, as_of.split("/")))


def days_text(as_of: str) -> str:
    """Return a day, or an interval's first and last day, as text: `2026-01-21 to 2026-05-22`."""
    return " to ".join(days_of(as_of))


def is_outdated(as_of: str, day: date, days: int = OUTDATED_AFTER_DAYS) -> bool:
    """Return whether a list price is more than `days` old on a day, or undated."""
    first = earliest(as_of)
    return first is None or (day - first).days > days


def first_day(dates: Iterable[str]) -> date | None:
    """Return the earliest of some dates; None where none is dated."""
    return min(filter(None, map(earliest, dates)), default=None)


def none_of_day(dates: Iterable[str], day: date) -> str:
    """Return a note if all prices are dated later than a day; empty otherwise."""
    days = [earliest(as_of) for as_of in dates]
    known_days = [first for first in days if first is not None]
    if not known_days or len(known_days) < len(days) or min(known_days) <= day:
        return ""
    return f"no prices of {day} are known: the earliest of these are of {min(known_days)}"


def refresh_commands(cloud_regions: Iterable[tuple[str, str]]) -> list[str]:
    """Return the commands, one a cloud, in backquotes, that fetch the current prices of machines.

    `cloud_regions` are clouds, each with one of its regions.
    """
    regions: dict[str, list[str]] = {}
    for cloud, region in dict.fromkeys(cloud_regions):
        regions.setdefault(cloud, []).extend(("--region", region))
    return [
        f"`{command_line('catalog', 'refresh', '--cloud', cloud, *options, '--only', 'prices')}`"
        for cloud, options in regions.items()
    ]
