"""The current day: the same for every command and pack."""

from datetime import UTC, date, datetime


def today() -> date:
    """Return the day in UTC, by which waivers end and prices age.

    A waiver ends for the desk and for the packs of continuous integration at the same moment.
    """
    return now().date()


def now() -> datetime:
    """Return the time in UTC from which the hours until a schedule fires are counted."""
    return datetime.now(UTC)
