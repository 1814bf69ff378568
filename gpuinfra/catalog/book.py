"""The price book: the rows that count, from the rooms' tables and from what lies over them."""

from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.age import earliest
from gpuinfra.clouds import priced_room
from gpuinfra.model import Price

CURRENCY: Final = "USD"
"""Every quote is in US dollars; a row in another currency is no price here."""

Key = tuple[str, str, str, str]
"""Cloud, item, region and mode of a price row."""

Change = Callable[[Price], Price]


class Book:
    """Where prices come from: the tables of the clouds, under rows that come before them.

    Args:
        rows: of a user or a lock; where one stands for an item, region and mode, the tables'
            rows for the same are not looked at.
        change: what is done to each row of the tables, such as a negotiated discount.
    """

    def __init__(self, rows: Iterable[Price] = (), change: Change | None = None) -> None:
        self.own: tuple[Price, ...] = tuple(rows)
        """The rows that come before the tables'."""
        self._change = change
        self._over: dict[Key, tuple[Price, ...]] = {}
        for row in self.own:
            key = (row.cloud, row.item, row.region, row.mode)
            self._over[key] = (*self._over.get(key, ()), row)
        self._listed: dict[Key, Price | None] = {}
        self._spot: dict[tuple[str, str, str, tuple[str, ...]], Price | None] = {}

    def rows(self, cloud: str, item: str, region: str, mode: str) -> tuple[Price, ...]:
        """All rows of an item in a region: those that lie over the tables, else the tables'."""
        over = self._over.get((cloud, item, region, mode))
        if over is not None:
            return over
        found = priced_room(cloud).prices(item, region, mode)
        return found if self._change is None else tuple(map(self._change, found))

    def on_demand(self, cloud: str, machine: str, region: str) -> Price | None:
        """The newest on-demand list price of a machine; None when nobody knows one."""
        return self.listed(cloud, machine, region, "on-demand")

    def service(self, cloud: str, item: str, region: str) -> Price | None:
        """The newest list price of a service item; never borrowed from another region."""
        return self.listed(cloud, item, region, "list")

    def listed(self, cloud: str, item: str, region: str, mode: str) -> Price | None:
        """The newest list price that holds for a whole region; or None."""
        key = (cloud, item, region, mode)
        try:
            return self._listed[key]
        except KeyError:
            found = self._listed[key] = _newest(self.rows(*key))
            return found

    def spot(
        self, cloud: str, machine: str, region: str, zones: tuple[str, ...] = ()
    ) -> Price | None:
        """The dearest of the newest spot prices in the zones that machines may use.

        A row over several zones counts at its dearest zone. Which zone id belongs to which zone
        name differs by account, so every zone id of the region counts.
        """
        key = (cloud, machine, region, zones)
        try:
            return self._spot[key]
        except KeyError:
            found = self._spot[key] = self._dearest_spot(cloud, machine, region, zones)
            return found

    def _dearest_spot(
        self, cloud: str, machine: str, region: str, zones: tuple[str, ...]
    ) -> Price | None:
        known = priced_room(cloud)
        rows = [
            row
            for row in self.rows(cloud, machine, region, "spot")
            if row.currency == CURRENCY and (row.zone is None or known.may_use(row.zone, zones))
        ]
        newest = max(map(_day, rows), default=None)
        return max((row for row in rows if _day(row) == newest), key=dearest, default=None)


CATALOG: Final = Book()
"""The tables of the clouds alone."""


def dearest(row: Price) -> Decimal:
    """What a row may cost at most: its dearest zone where it stands for several."""
    return row.per_unit if row.maximum is None else max(row.per_unit, row.maximum)


def _newest(rows: tuple[Price, ...]) -> Price | None:
    regional = [row for row in rows if row.zone is None and row.currency == CURRENCY]
    return max(regional, key=_day, default=None)


def _day(row: Price) -> date:
    return earliest(row.as_of) or date.min
