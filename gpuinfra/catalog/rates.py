"""What something costs in a place today: the one price row that counts, of all rows."""

from datetime import date
from decimal import Decimal
from functools import cache
from typing import Final

from gpuinfra.catalog.age import earliest
from gpuinfra.clouds import room
from gpuinfra.model import Price

CURRENCY: Final = "USD"
"""Every quote is in US dollars; a row in another currency is no price here."""


def on_demand(cloud: str, machine: str, region: str) -> Price | None:
    """The newest on-demand list price of a machine in a region; None when nobody knows one."""
    return listed(cloud, machine, region, "on-demand")


@cache
def listed(cloud: str, machine: str, region: str, mode: str) -> Price | None:
    """The newest list price of a way to buy that holds for a whole region; or None."""
    return _newest(room(cloud).prices(machine, region, mode))


@cache
def service(cloud: str, item: str, region: str) -> Price | None:
    """The newest list price of a service item in a region; never borrowed from another region."""
    return _newest(room(cloud).prices(item, region, "list"))


@cache
def spot(cloud: str, machine: str, region: str, zones: tuple[str, ...] = ()) -> Price | None:
    """The dearest of the newest spot prices in the zones that machines may use.

    A row over several zones counts at its dearest zone. Which zone id belongs to which zone name
    differs by account, so every zone id of the region counts.
    """
    known = room(cloud)
    rows = [
        row
        for row in known.prices(machine, region, "spot")
        if row.currency == CURRENCY and (row.zone is None or known.may_use(row.zone, zones))
    ]
    newest = max(map(_day, rows), default=None)
    return max((row for row in rows if _day(row) == newest), key=dearest, default=None)


def dearest(row: Price) -> Decimal:
    """What a row may cost at most: its dearest zone where it stands for several."""
    return row.per_unit if row.maximum is None else max(row.per_unit, row.maximum)


def _newest(rows: tuple[Price, ...]) -> Price | None:
    regional = [row for row in rows if row.zone is None and row.currency == CURRENCY]
    return max(regional, key=_day, default=None)


def _day(row: Price) -> date:
    return earliest(row.as_of) or date.min
