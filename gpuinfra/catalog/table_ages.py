"""The age of the rows in every cloud's tables, counted by mode, by year and by age."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import product
from typing import Final

from gpuinfra.catalog.fact_age import earliest
from gpuinfra.catalog.gpus import gpus
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of
from gpuinfra.clouds.provider import PricedCloud
from gpuinfra.records import record

UNDATED: Final = "undated"
GPUS: Final = "gpus"
"""The table of GPU models, which is of no cloud."""

Kind = tuple[str, str]
"""A table (machines, prices, cpu prices, services, interruptions) and, of prices, the mode."""

Dated = tuple[str, bool]
"""The date of a row, and whether the user refreshed it."""


@record
class TableAge:
    """The number and age of rows in one table of a cloud, for one mode if it has prices.

    `oldest` and `newest` are the earliest days that their dates can mean, None where none is
    dated. `outdated` counts the rows older than the days allowed, `undated` those without a date;
    `years` has the number of rows of each year, "undated" for the rest; `refreshed` counts those
    that the user refreshed. `cloud` is empty for GPUs.
    """

    cloud: str
    table: str
    mode: str
    rows: int
    oldest: date | None
    newest: date | None
    outdated: int
    undated: int
    years: Mapping[str, int]
    refreshed: int


def ages(day: date, days: int, clouds: Sequence[str] = PRICED_CLOUDS) -> tuple[TableAge, ...]:
    """Return the ages of the clouds' tables, also refreshed ones, and last of the GPU models.

    Args:
        day: for which the age is judged.
        days: from how many on a row is outdated.
        clouds: whose tables.
    """
    counted_ages = [
        _age(cloud, kind, dates, day, days)
        for cloud in clouds
        for kind, dates in _dates(cloud).items()
    ]
    models = Counter((gpu.as_of, False) for gpu in gpus())
    return (*counted_ages, _age("", (GPUS, ""), models, day, days))


def _age(cloud: str, kind: Kind, dates: Mapping[Dated, int], day: date, days: int) -> TableAge:
    by_day: Counter[date] = Counter()
    years: Counter[str] = Counter()
    for (text, _), count in dates.items():
        earliest_day = earliest(text)
        years[UNDATED if earliest_day is None else str(earliest_day.year)] += count
        if earliest_day is not None:
            by_day[earliest_day] += count
    return TableAge(
        cloud=cloud,
        table=kind[0],
        mode=kind[1],
        rows=years.total(),
        oldest=min(by_day, default=None),
        newest=max(by_day, default=None),
        outdated=sum(count for dated, count in by_day.items() if (day - dated).days > days),
        undated=years[UNDATED],
        years={year: count for year, count in sorted(years.items()) if count},
        refreshed=sum(count for (_, fresh), count in dates.items() if fresh),
    )


def _dates(cloud: str) -> dict[Kind, Counter[Dated]]:
    """Return the number of rows per date, for each table of a cloud."""
    counts: dict[Kind, Counter[Dated]] = {}
    for kind, dated in _rows(cloud):
        counts.setdefault(kind, Counter())[dated] += 1
    return counts


def _machine_prices(priced_cloud: PricedCloud) -> Iterator[tuple[Kind, Dated]]:
    cells = product(
        priced_cloud.prices.modes(),
        priced_cloud.machines.all_machines(),
        priced_cloud.regions.all(),
    )
    for mode, machine, region in cells:
        for row in priced_cloud.prices.rows(machine.type, region, mode):
            yield ("prices", mode), (row.as_of, row.origin == "refreshed")
    for price in priced_cloud.prices.cpu.all():
        yield ("cpu prices", price.mode), (price.as_of, False)


def _rows(cloud: str) -> Iterator[tuple[Kind, Dated]]:
    priced_cloud = priced_cloud_of(cloud)
    machines = priced_cloud.machines.all_machines()
    regions = priced_cloud.regions.all()
    for machine in machines:
        yield ("machines", ""), (machine.as_of, False)
    yield from _machine_prices(priced_cloud)
    for machine, region in product(machines, regions):
        published = priced_cloud.prices.interruption(machine.type, region)
        if published is not None:
            yield ("interruptions", ""), (published.as_of, False)
    for item, region in product(priced_cloud.prices.service_items(), regions):
        for row in priced_cloud.prices.rows(item, region, "list"):
            yield ("services", ""), (row.as_of, row.origin == "refreshed")
