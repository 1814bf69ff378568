"""A price book that remembers the rows that it gave: those that a quote used."""

from dataclasses import replace

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog.price_book import SPOT_CEILING
from gpuinfra.model import Price


class Recorder(PriceBook):
    """Another book's prices; `given` has each row that was asked for and found, once."""

    def __init__(self, book: PriceBook) -> None:
        super().__init__(book.own, rates=book.rates, machines=book.machines)
        self.given: dict[Price, None] = {}
        self._book = book

    def rows(self, cloud: str, item: str, region: str, mode: str) -> tuple[Price, ...]:
        """All rows of the other book; nothing is remembered of them."""
        return self._book.rows(cloud, item, region, mode)

    def listed(self, cloud: str, item: str, region: str, mode: str) -> Price | None:
        """The newest list price of the other book."""
        return self._remembered(self._book.listed(cloud, item, region, mode))

    def spot_ceiling(self, cloud: str, machine: str, region: str) -> Price | None:
        """The ceiling of the other book, remembered as the row of its own that a lock needs."""
        price = self._book.spot_ceiling(cloud, machine, region)
        self._remembered(None if price is None else replace(price, mode=SPOT_CEILING))
        return price

    def spot(
        self, cloud: str, machine: str, region: str, zones: tuple[str, ...] = ()
    ) -> Price | None:
        """The spot price of the other book."""
        return self._remembered(self._book.spot(cloud, machine, region, zones))

    def _remembered(self, price: Price | None) -> Price | None:
        if price is not None:
            self.given[price] = None
        return price
