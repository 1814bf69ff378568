"""Where each cloud publishes how often its spot machines are interrupted, if it does."""

from functools import cache

from gpuinfra.catalog.tables import TABLES
from gpuinfra.records import record


@record
class RateSource:
    """Where a rate can be read; `of` says what it is a share of, `source` documents it."""

    cloud: str
    place: str
    of: str
    source: str
    as_of: str


def place(cloud: str) -> RateSource | None:
    """Where a cloud tells it; None when no such place is known."""
    return _places().get(cloud)


@cache
def _places() -> dict[str, RateSource]:
    return {row["cloud"]: RateSource(**row) for row in TABLES.rows("evictions")}
