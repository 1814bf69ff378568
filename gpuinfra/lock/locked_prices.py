"""A lock's own price rows, as a price book and in comparison with current prices."""

from collections.abc import Iterator

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog.price_book import SPOT_CEILING, ceiling
from gpuinfra.lock.contents import Lock
from gpuinfra.model import Price
from gpuinfra.units import format_unit_price


class LockedPriceBook(PriceBook):
    """A price book of a lock's rows, without the tables; a missing row is unknown."""

    def __init__(self, lock: Lock) -> None:
        super().__init__(lock.rows)

    def rows(self, cloud: str, item: str, region: str, mode: str) -> tuple[Price, ...]:
        """Return the lock's rows of an item."""
        return self._over.get((cloud, item, region, mode), ())

    def spot_ceiling(self, cloud: str, machine: str, region: str) -> Price | None:
        """Return the spot ceiling of the lock."""
        return self.list_price(cloud, machine, region, SPOT_CEILING)


def dearer_today(lock: Lock, book: PriceBook) -> Iterator[str]:
    """Yield the items whose current price is higher than the locked one, as text.

    Spot prices are left out: they carry no cap, only their ceilings do.
    """
    messages: dict[str, None] = {}
    for row in lock.rows:
        current_row = None if row.mode == "spot" else current_price(row, book)
        if (
            current_row is not None
            and current_row.unit == row.unit
            and ceiling(current_row) > ceiling(row)
        ):
            messages[
                f"locked {row.item} in {row.region} {format_unit_price(ceiling(row))}, today "
                f"{format_unit_price(ceiling(current_row))} ({current_row.as_of or 'yours'})"
            ] = None
    yield from messages


def current_price(row: Price, book: PriceBook) -> Price | None:
    """Return the price of a book for the key of a row; None where it has none."""
    from gpuinfra.price_overrides.price_inputs import current  # noqa: PLC0415  (no stack without a lock needs it)

    return current(row.key, book)
