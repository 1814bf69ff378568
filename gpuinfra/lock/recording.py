"""A price book that records the rows that a quote uses."""

from dataclasses import replace

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog.price_book import SPOT_CEILING
from gpuinfra.model import Price


class Recorder(PriceBook):
    """The prices of another book; `given` has each row that was requested and found, once."""

    def __init__(self, book: PriceBook) -> None:
        super().__init__(book.own, rates=book.rates, machines=book.machines)
        self.given: dict[Price, None] = {}
        self._book = book

    def rows(self, cloud: str, item: str, region: str, mode: str) -> tuple[Price, ...]:
        """Return all rows of the other book, without recording them."""
        return self._book.rows(cloud, item, region, mode)

    def listed(self, cloud: str, item: str, region: str, mode: str) -> Price | None:
        """Return the newest list price of the other book, and record it."""
        return self._remembered(self._book.listed(cloud, item, region, mode))

    def spot_ceiling(self, cloud: str, machine: str, region: str) -> Price | None:
        """Return the spot ceiling of the other book, and record it as a row of its own."""
        price = self._book.spot_ceiling(cloud, machine, region)
        self._remembered(None if price is None else replace(price, mode=SPOT_CEILING))
        return price

    def spot(
        self, cloud: str, machine: str, region: str, zones: tuple[str, ...] = ()
    ) -> Price | None:
        """Return the spot price of the other book, and record it."""
        return self._remembered(self._book.spot(cloud, machine, region, zones))

    def _remembered(self, price: Price | None) -> Price | None:
        if price is not None:
            self.given[price] = None
        return price
