"""The price book: effective rows from the clouds' tables, and the rows that override them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from decimal import ROUND_CEILING, Decimal
from functools import cached_property
from typing import Any, Final

from gpuinfra.catalog.fact_age import earliest
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of
from gpuinfra.model import NOWHERE, Machine, Price
from gpuinfra.units import format_unit_price

SCALE: Final = Decimal("1e-12")
"""The rounding unit of calculated amounts, in dollars."""

CURRENCY: Final = "USD"
"""Every quote is in US dollars; a row in another currency counts by a rate that the user gives."""

OWN_CLOUD: Final = "own"
"""The cloud name of the user's own machines."""

SPOT_CEILING: Final = "spot-ceiling"
"""The mode of a row with the maximum spot price."""

LIST: Final = "list"
"""The mode of a row of a service."""

BOUND_FACTOR: Final = Decimal("1.5")
"""The factor from a service's highest known price to its upper bound."""

COUNTS_AS: Final[Mapping[str, str]] = {"reserved": "on-demand"}
"""Ways to buy that no list has prices of, each with the one that it is billed as: a capacity
reservation costs the on-demand rate, whether machines run in it or not.
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-pricing-billing.html"""

Key = tuple[str, str, str, str]
"""Cloud, item, region and mode of a price row."""

Change = Callable[[Price], Price]


class PriceBook:
    """A source of prices: the tables of the clouds, and rows that take precedence over them.

    Args:
        rows: of a user or a lock; where there is one for an item, region and mode, the tables'
            rows for the same are not looked at.
        change: what is done to each row of the tables, for example a negotiated discount.
        rates: US dollars for one unit of a currency, by its ISO 4217 code.
        machines: the user's own, of the cloud `own`.
        bound_unknown: whether a service that its region has no price of counts at BOUND times the
            highest price that the tables have of it in the cloud, as a row of the origin `bound`.
    """

    def __init__(
        self,
        rows: Iterable[Price] = (),
        change: Change | None = None,
        *,
        rates: Mapping[str, Decimal] | None = None,
        machines: Iterable[Machine] = (),
        bound_unknown: bool = False,
    ) -> None:
        self.own_rows: tuple[Price, ...] = tuple(rows)
        """The rows that come before the tables'."""
        self.rates: Mapping[str, Decimal] = dict(rates or {})
        """US dollars for one unit of a currency."""
        self.machines: tuple[Machine, ...] = tuple(machines)
        """The user's own machines; their rows are among `own`."""
        self._change = change
        self._bound_unknown = bound_unknown
        self._over: dict[Key, tuple[Price, ...]] = {}
        for row in self.own_rows:
            self._over[row.key] = (*self._over.get(row.key, ()), row)
        self._listed: dict[Key, Price | None] = {}
        self._ceilings: dict[Key, Price | None] = {}
        self._spot: dict[tuple[str, str, str, tuple[str, ...]], Price | None] = {}

    def overridden_by(self, rows: Iterable[Price]) -> "PriceBook":
        """Return the book with rows that override its own, for example a lock's."""
        added_rows = tuple(rows)
        keys = {row.key for row in added_rows}
        lower_rows = (row for row in self.own_rows if row.key not in keys)
        return self._copy_with_rows((*added_rows, *lower_rows), bound_unknown=self._bound_unknown)

    @cached_property
    def bounding(self) -> "PriceBook":
        """The same book, with bounds for services without a price in a region."""
        return self._copy_with_rows(self.own_rows, bound_unknown=True)

    def _copy_with_rows(self, rows: Iterable[Price], *, bound_unknown: bool) -> "PriceBook":
        return PriceBook(
            rows,
            self._change,
            rates=self.rates,
            machines=self.machines,
            bound_unknown=bound_unknown,
        )

    def rows(self, cloud: str, item: str, region: str, mode: str) -> tuple[Price, ...]:
        """Return all rows of an item in a region, each in its original currency.

        Those that override the tables, else the tables'.
        """
        override = self._over.get((cloud, item, region, mode))
        if override is not None:
            return override
        if cloud == OWN_CLOUD:
            return ()
        prices = priced_cloud_of(cloud).prices.rows(item, region, mode)
        return prices if self._change is None else tuple(map(self._change, prices))

    def own_price(self, machine: Machine, region: str, mode: str) -> Price | None:
        """Return the price of a machine that overrides the tables; None when there is none.

        A user who has a price of their own for a machine is offered it there, even if the tables
        list other regions or an older type. It is in its own currency where that has no rate.
        """
        key = (machine.cloud, machine.type, region, mode)
        rows = self._over.get(key, ())
        price = self.spot(*key[:3]) if mode == "spot" else self.list_price(*key)
        return (price or rows[0]) if rows else None

    def on_demand(self, cloud: str, machine: str, region: str) -> Price | None:
        """Return the newest on-demand list price of a machine; None when none is known."""
        return self.list_price(cloud, machine, region, "on-demand")

    def spot_ceiling(self, cloud: str, machine: str, region: str) -> Price | None:
        """Return the maximum hourly cost of a spot machine when the request sets no `max_price`.

        That is the cloud's public on-demand price, not what the user pays; a row of
        the mode `spot-ceiling`, for example a lock's, comes before it.
        """
        key = (cloud, machine, region, SPOT_CEILING)
        if key not in self._ceilings:
            rows = self._over.get(key)
            if rows is None and cloud != OWN_CLOUD:
                rows = priced_cloud_of(cloud).prices.rows(machine, region, "on-demand")
            self._ceilings[key] = self._newest(rows or ())
        return self._ceilings[key]

    def service(self, cloud: str, item: str, region: str) -> Price | None:
        """Return the newest list price of a service item in this region only."""
        return self.list_price(cloud, item, region, LIST)

    def list_price(self, cloud: str, item: str, region: str, mode: str) -> Price | None:
        """Return the newest list price for a whole region, in US dollars; None without one.

        A way to buy that has no row of its own counts as COUNTS_AS says.
        """
        key = (cloud, item, region, mode)
        try:
            return self._listed[key]
        except KeyError:
            price = self._newest(self.rows(*key)) or self._billed_as(*key) or self._bound(*key)
            self._listed[key] = price
            return price

    def _bound(self, cloud: str, item: str, region: str, mode: str) -> Price | None:
        """Return the upper bound of a service's price in a region without a row; else None."""
        bounded = self._bound_unknown and mode == LIST
        if not bounded or cloud == OWN_CLOUD or region in {"", NOWHERE}:
            return None
        if self.rows(cloud, item, region, mode):
            return None  # in a currency without a rate
        all_rows = priced_cloud_of(cloud).prices.rows_in_all_regions(item)
        highest = max(self._in_dollars(all_rows), key=ceiling, default=None)
        if highest is None:
            return None
        remark = (
            f"no price of {item} in {region} is known: counted at a bound, {BOUND_FACTOR} × the "
            f"highest known price ({format_unit_price(highest.per_unit)} in {highest.region})"
        )
        return replace(
            highest, **times(highest, BOUND_FACTOR), region=region, origin="bound", remark=remark
        )

    def _billed_as(self, cloud: str, item: str, region: str, mode: str) -> Price | None:
        """Return the price of the purchase mode that this mode is billed as, with a note."""
        other = COUNTS_AS.get(mode)
        if other is None or self.rows(cloud, item, region, mode):
            return None
        price = self.list_price(cloud, item, region, other)
        if price is None:
            return None
        words = f"a {mode} machine counts at the {other} rate"
        note = f"{price.remark}; {words}" if price.remark else words
        return replace(price, mode=mode, remark=note)

    def why_unpriced(
        self, cloud: str, item: str, region: str, mode: str, *, of_tables: bool = False
    ) -> str:
        """Return why `listed` has no price, as text: none is known, or none in US dollars.

        `of_tables` asks for the public price alone, as `spot_ceiling` does.
        """
        book = CATALOG if of_tables else self
        if not book.rows(cloud, item, region, mode):
            mode = COUNTS_AS.get(mode, mode)
        rows = [row for row in book.rows(cloud, item, region, mode) if row.zone is None]
        row = max(rows, key=day_of, default=None)
        if row is None:
            kind = "" if mode == "list" else f"{mode} "
            region_text = "an unknown region" if region in {"", NOWHERE} else region
            reason = priced_cloud_of(cloud).why_unlisted(item) if cloud in PRICED_CLOUDS else ""
            return f"no {kind}price for {item} in {region_text}{f': {reason}' if reason else ''}"
        code = row.currency
        return (
            f"{item} in {region} costs {format_unit_price(row.per_unit, code)} per "
            f"{row.unit}, and no exchange rate is set: add exchange_rates: {{{code}: "
            f"…}} under prices, with the US dollars per {code}"
        )

    def spot(
        self, cloud: str, machine: str, region: str, zones: tuple[str, ...] = ()
    ) -> Price | None:
        """Return the highest of the newest spot prices in the zones that machines may use.

        A row over several zones counts at its dearest zone. Which zone id belongs to which zone
        name differs by account, so every zone id of the region counts.
        """
        key = (cloud, machine, region, zones)
        try:
            return self._spot[key]
        except KeyError:
            rows = self.spot_rows(*key)
            newest = max(map(day_of, rows), default=None)
            price = max((row for row in rows if day_of(row) == newest), key=ceiling, default=None)
            self._spot[key] = price
            return price

    def spot_rows(
        self, cloud: str, machine: str, region: str, zones: tuple[str, ...] = ()
    ) -> list[Price]:
        """Return the spot prices, in dollars, of the region and of zones that machines may use."""
        return self._in_dollars(
            row
            for row in self.rows(cloud, machine, region, "spot")
            if row.zone is None or priced_cloud_of(cloud).regions.may_use(row.zone, zones)
        )

    def _newest(self, rows: Iterable[Price]) -> Price | None:
        """Return the newest row for a whole region."""
        regional = self._in_dollars(row for row in rows if row.zone is None)
        return max(regional, key=day_of, default=None)

    def _in_dollars(self, rows: Iterable[Price]) -> list[Price]:
        """Return the rows in US dollars, converted by a given exchange rate where needed."""
        prices = (row if row.currency == CURRENCY else self._convert_row(row) for row in rows)
        return [row for row in prices if row is not None]

    def _convert_row(self, row: Price) -> Price | None:
        rate = self.rates.get(row.currency)
        return None if rate is None else convert_price(row, rate)


CATALOG: Final = PriceBook()
"""The tables of the clouds alone."""


def convert_price(row: Price, rate: Decimal) -> Price:
    """Return a row in US dollars at a rate (dollars per currency unit), noted in `remark`."""
    price_text = format_unit_price(row.per_unit, row.currency)
    rate_text = format_unit_price(rate)
    remark = f"{row.item} in {row.region}: {price_text} per {row.unit} at {rate_text} each"
    return replace(
        row,
        **times(row, rate),
        currency=CURRENCY,
        remark=f"{row.remark}; {remark}" if row.remark else remark,
    )


def times(row: Price, factor: Decimal) -> dict[str, Any]:
    """Return the amounts of a row times a factor."""
    return {
        "per_unit": round_amount(row.per_unit * factor),
        "maximum": None if row.maximum is None else round_amount(row.maximum * factor),
        "tiers": tuple((after, round_amount(price * factor)) for after, price in row.tiers),
    }


def round_amount(amount: Decimal) -> Decimal:
    """Return a calculated amount with at most twelve decimals, rounded up."""
    rounded = amount.quantize(SCALE, ROUND_CEILING)
    return amount if rounded == amount else rounded


def ceiling(row: Price) -> Decimal:
    """Return the maximum cost of a row: its most expensive zone if it covers several."""
    return row.per_unit if row.maximum is None else max(row.per_unit, row.maximum)


def day_of(row: Price) -> date:
    """Return the date of a row; the earliest possible date if it has none."""
    return earliest(row.as_of) or date.min
