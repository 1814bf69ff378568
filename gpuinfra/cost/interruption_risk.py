"""The interruption rate of a spot run: the user's figure, or else the published one."""

import math
from decimal import Decimal
from functools import cache
from typing import Literal

from gpuinfra.catalog.tables import TABLES
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.cost.interruptions import per_hour
from gpuinfra.model import Interruption, Rung
from gpuinfra.records import record


@record
class RateSource:
    """The source of an interruption rate; `base` is what its share is a share of."""

    cloud: str
    place: str
    base: str
    source: str
    as_of: str


@record
class InterruptionRisk:
    """The interruptions that are counted for a spot run.

    Attributes:
        published: how often spot machines are taken back, as the cloud publishes it.
        counted_share: the share of machines a month that is counted: the user's own, else the
            published upper end, or the lower one where it has none.
        origin: whose share that is: `user`, `cloud`, or empty where none is known.
        rate_source: where a cloud tells it, that is in no table here.
        hours_between: mean hours between two interruptions of the run.
        interrupted_share: the share of runs that are interrupted at least once.
    """

    published: Interruption | None
    counted_share: Decimal | None
    origin: Literal["user", "cloud", ""]
    rate_source: RateSource | None
    hours_between: float | None
    interrupted_share: float | None


def risk(
    cloud: str, spot: Rung, machines: int, stated_share: Decimal | None, steady: float
) -> InterruptionRisk:
    """Return the risk of a run of `steady` hours; `stated_share` is the share the user states."""
    published = priced_cloud_of(cloud).prices.interruption(spot.machine, spot.region)
    counted_rate = _counted_rate(published) if stated_share is None else stated_share
    rate = None if counted_rate is None else per_hour(float(counted_rate), machines)
    return InterruptionRisk(
        published=published,
        counted_share=counted_rate,
        origin="user" if stated_share is not None else "cloud" if published is not None else "",
        rate_source=_rate_sources().get(cloud) if counted_rate is None else None,
        hours_between=1 / rate if rate else None,
        interrupted_share=None if rate is None else -math.expm1(-rate * steady),
    )


def _counted_rate(interruption: Interruption | None) -> Decimal | None:
    if interruption is None:
        return None
    return interruption.low if interruption.high is None else interruption.high


@cache
def _rate_sources() -> dict[str, RateSource]:
    rows = [dict(row) for row in TABLES.rows("evictions")]
    return {row["cloud"]: RateSource(base=row.pop("of"), **row) for row in rows}
