"""The current day: the same for every command and pack."""

from datetime import UTC, date, datetime


def today() -> date:
    """The day in UTC, by which waivers end and prices age.

    A waiver ends for the desk and for the packs of continuous integration at the same moment.
    """
    return now().date()


def now() -> datetime:
    """The moment in UTC, from which the hours until a schedule rings are counted."""
    return datetime.now(UTC)
