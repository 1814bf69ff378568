"""A lock's own price rows: as a book by themselves, and against the prices of today."""

from collections.abc import Iterator

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog.price_book import SPOT_CEILING, dearest
from gpuinfra.lock.contents import Lock
from gpuinfra.model import Price
from gpuinfra.units import format_money


class LockedPriceBook(PriceBook):
    """The rows of a lock, without the tables below them: what they lack is unknown."""

    def __init__(self, lock: Lock) -> None:
        super().__init__(lock.rows)

    def rows(self, cloud: str, item: str, region: str, mode: str) -> tuple[Price, ...]:
        """The lock's rows of an item."""
        return self._over.get((cloud, item, region, mode), ())

    def spot_ceiling(self, cloud: str, machine: str, region: str) -> Price | None:
        """The ceiling that the lock has."""
        return self.listed(cloud, machine, region, SPOT_CEILING)


def dearer_today(lock: Lock, book: PriceBook) -> Iterator[str]:
    """The items that cost more today than the lock has them at, in words.

    Spot prices are left out: they carry no cap, only their ceilings do.
    """
    told: dict[str, None] = {}
    for row in lock.rows:
        now = None if row.mode == "spot" else today(row, book)
        if now is not None and now.unit == row.unit and dearest(now) > dearest(row):
            told[
                f"locked {row.item} in {row.region} {format_money(dearest(row))}, today "
                f"{format_money(dearest(now))} ({now.as_of or 'yours'})"
            ] = None
    yield from told


def today(row: Price, book: PriceBook) -> Price | None:
    """What a book has in the place of a row; None where it has no price."""
    from gpuinfra.price_overrides.carried import current  # noqa: PLC0415  (no stack without a lock needs it)

    return current((row.cloud, row.item, row.region, row.mode), book)
