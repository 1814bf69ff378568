"""The hourly list price of a machine of each workload, for its resources."""

from collections.abc import Iterable

from gpuinfra.catalog.price_book import CATALOG, ceiling
from gpuinfra.catalog.rates import rung_rate
from gpuinfra.clouds.build_spec import MachineHour
from gpuinfra.model import Group


def machine_hours(groups: Iterable[Group]) -> dict[str, MachineHour]:
    """Return the list price of a machine-hour of each group, by its name.

    A group without one has no hour here, as one that holds machines of two kinds. A spot price
    counts however old it is: what is declared must not change with the day.
    """
    hours: dict[str, MachineHour] = {}
    for group in groups:
        rung = group.rung
        if rung.on_demand_base or 0 < rung.spot_share_above_base < 1:
            continue
        rate = rung_rate(group.cloud, rung, CATALOG)
        row = rate.spot or rate.stale_spot or rate.row
        if row is not None:
            hours[group.name] = MachineHour(price=ceiling(row), as_of=row.as_of)
    return hours
