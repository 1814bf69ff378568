"""The hourly rate of a machine, which quotes, offers and choices share."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.continuous_use_cost import Tiers
from gpuinfra.catalog.fact_age import is_outdated
from gpuinfra.catalog.price_book import CURRENCY, PriceBook
from gpuinfra.catalog.price_book import ceiling as dearest
from gpuinfra.model import SPOT_OUTDATED_AFTER_DAYS, Price, Rung
from gpuinfra.records import record
from gpuinfra.today import today
from gpuinfra.units import format_unit_price

SPOT: Final = "spot"
ON_DEMAND: Final = "on-demand"
OWN_PRICE: Final = "max_price of the spot request"


@record
class HourlyRate:
    """The hourly cost of one machine in one purchase mode.

    Attributes:
        machine: its type.
        mode: on-demand, spot, capacity-block …
        ceiling: US dollars at most; None where no price bounds it, and `no_ceiling_reason` says
            so.
        source: of the ceiling: a price row's, or the maximum of the spot request.
        as_of: day of the ceiling; empty for a maximum.
        expected: US dollars expected; None where no price is known that counts.
        row: the price behind the expected figure, else behind the ceiling; None for a maximum.
        spot: the spot price that counts; None where there is none, or it is stale.
        stale_spot: the spot price that is too old to count.
        default_maximum: of a spot request, what bounds it without a maximum of its own.
        note: the note printed with the figure.
        no_ceiling_reason: why there is no ceiling.
    """

    machine: str
    mode: str
    ceiling: Decimal | None
    source: str = ""
    as_of: str = ""
    expected: Decimal | None = None
    row: Price | None = None
    spot: Price | None = None
    stale_spot: Price | None = None
    default_maximum: Decimal | None = None
    note: str = ""
    no_ceiling_reason: str = ""

    @property
    def currency(self) -> str:
        """The currency of the figures."""
        return CURRENCY if self.row is None else self.row.currency

    @property
    def priced(self) -> bool:
        """Whether any figure is known."""
        return self.ceiling is not None or self.expected is not None

    @property
    def amount(self) -> Decimal:
        """The expected figure, or else the ceiling.

        Raises:
            ValueError: nothing is known.
        """
        amount = self.ceiling if self.expected is None else self.expected
        if amount is None:
            raise ValueError(self.no_ceiling_reason)
        return amount

    @property
    def bounding_price(self) -> str:
        """The bound of an unknown spot price: on-demand, or max_price; else empty."""
        if self.mode != SPOT or self.ceiling is None or self.expected is not None:
            return ""
        return "max_price" if self.source == OWN_PRICE else ON_DEMAND

    def at_most(self, max_price: Decimal | None) -> "HourlyRate":
        """Return the rate with the maximum of a request, if it bounds an unknown spot price."""
        if not self.bounding_price or max_price is None or max_price >= self.amount:
            return self
        return replace(self, ceiling=max_price, source=OWN_PRICE, as_of="", row=None)

    @property
    def may_wait(self) -> bool:
        """Whether the request pays less than the current spot price, so that it may not run."""
        if self.spot is None or self.ceiling is None:
            return False
        return dearest(self.spot) > self.ceiling

    @property
    def tiers(self) -> Tiers:
        """The later prices of an hour; empty for spot."""
        return () if self.mode == SPOT or self.row is None else self.row.tiers


def rung_rate(
    cloud: str,
    rung: Rung,
    prices: PriceBook,
    mode: str = "",
    machine: str = "",
    day: date | None = None,
) -> HourlyRate:
    """Return the rate of a machine on a rung; by default the rung's machine and mode.

    `day` is the one for which the age of a spot price is judged: today where it is None.
    """
    key = (cloud, machine or rung.machine, rung.region)
    if (mode or rung.capacity) == SPOT:
        return spot_rate(key, prices, rung.zones, rung.max_price, day)
    return list_rate(key, mode or rung.capacity, prices)


def list_rate(key: tuple[str, str, str], mode: str, prices: PriceBook) -> HourlyRate:
    """Return the rate of a machine (cloud, type, region) from its newest list price of a mode."""
    row = prices.list_price(*key, mode)
    if row is None:
        reason = prices.why_unpriced(*key, mode)
        return HourlyRate(machine=key[1], mode=mode, ceiling=None, no_ceiling_reason=reason)
    return row_rate(row, mode)


def row_rate(row: Price, mode: str) -> HourlyRate:
    """Return the rate of a price row, at its most expensive zone."""
    maximum = dearest(row)
    return HourlyRate(
        machine=row.item,
        mode=mode,
        ceiling=maximum,
        source=row.source,
        as_of=row.as_of,
        expected=maximum,
        row=row,
        note="; ".join(filter(None, (row.remark, _old_price_note(row)))),
    )


def spot_rate(
    key: tuple[str, str, str],
    prices: PriceBook,
    zones: tuple[str, ...] = (),
    max_price: Decimal | None = None,
    day: date | None = None,
) -> HourlyRate:
    """Return the rate of a spot machine (cloud, type, region).

    The ceiling is the request's own maximum, by default the on-demand price. The expected figure
    is the newest spot price in the dearest of the zones, which the ceiling bounds; one that is
    too old on a day (None is today) is no expected figure.
    """
    limit = prices.spot_ceiling(*key)
    newest = prices.spot(*key, zones)
    stale = newest if newest is not None and _is_stale(newest, day or today()) else None
    spot = None if stale else newest
    row = limit if max_price is None else None
    ceiling = dearest(row) if row else max_price
    market = None if spot is None else dearest(spot)
    return HourlyRate(
        machine=key[1],
        mode=SPOT,
        ceiling=ceiling,
        source=row.source if row else OWN_PRICE,
        as_of=row.as_of if row else "",
        expected=market if market is None or ceiling is None else min(ceiling, market),
        row=spot or row,
        spot=spot,
        stale_spot=stale,
        default_maximum=None if limit is None else dearest(limit),
        note=_above_max_price_text(spot, max_price)
        if spot
        else _stale_spot_note(stale)
        if stale
        else "",
        no_ceiling_reason="" if ceiling is not None else _no_max_price_text(key, prices),
    )


def _is_stale(spot: Price, day: date) -> bool:
    """Return whether a spot price is too old on a day; the user's own has no age."""
    if spot.origin == "user" and not spot.as_of:
        return False
    return is_outdated(spot.as_of, day, SPOT_OUTDATED_AFTER_DAYS)


def _old_price_note(row: Price) -> str:
    return f"{row.mode} of {row.item} in {row.region}: {row.notes}" if row.stale else ""


def _stale_spot_note(spot: Price) -> str:
    return (
        f"the spot price of {spot.item} in {spot.region}, {format_unit_price(dearest(spot))}, is "
        f"dated {spot.as_of or 'no date'}, more than {SPOT_OUTDATED_AFTER_DAYS} days ago, and is "
        "not counted"
    )


def _above_max_price_text(spot: Price, max_price: Decimal | None) -> str:
    if max_price is None or dearest(spot) <= max_price:
        return ""
    return (
        f"spot {spot.item} in {spot.region} cost {format_unit_price(dearest(spot))} in its most "
        f"expensive zone ({spot.as_of}), above max_price {format_unit_price(max_price)}: the "
        "request may wait"
    )


def _no_max_price_text(key: tuple[str, str, str], prices: PriceBook) -> str:
    reason = prices.why_unpriced(*key, "on-demand", of_tables=True)
    return f"{reason}; it is the maximum spot price without max_price"
