"""The pages on which clouds publish the interruption rate of their spot machines."""

from functools import cache

from gpuinfra.catalog.tables import TABLES
from gpuinfra.records import record


@record
class RateSource:
    """The page of a rate; `of` says what the rate is a share of, `source` documents it."""

    cloud: str
    place: str
    of: str
    source: str
    as_of: str


def place(cloud: str) -> RateSource | None:
    """Return the page of a cloud's rate; None when none is known."""
    return _places().get(cloud)


@cache
def _places() -> dict[str, RateSource]:
    return {row["cloud"]: RateSource(**row) for row in TABLES.rows("evictions")}
