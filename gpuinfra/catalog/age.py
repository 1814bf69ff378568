"""The age of a fact: the earliest day that its `as_of` can mean."""

import re
from datetime import date
from functools import cache
from typing import Final

from gpuinfra.model import OUTDATED_AFTER_DAYS

_AS_OF: Final = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2}))?)?"
    r"(?:/\d{4}(?:-\d{2}){0,2}| or later)?"
)


@cache
def earliest(as_of: str) -> date | None:
    """The earliest day of a day, a month, a year or an interval; None for anything undated."""
    match = _AS_OF.fullmatch(as_of)
    if match is None:
        return None
    try:
        return date(int(match["year"]), int(match["month"] or 1), int(match["day"] or 1))
    except ValueError:
        return None


def outdated(as_of: str, day: date, days: int = OUTDATED_AFTER_DAYS) -> bool:
    """Whether a list price is older on a day than so many days, or undated."""
    first = earliest(as_of)
    return first is None or (day - first).days > days
