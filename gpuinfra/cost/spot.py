"""The spot price that is counted: the current one, or the maximum of the request."""

from decimal import Decimal

from gpuinfra.catalog import ceiling as dearest
from gpuinfra.catalog.fact_age import days_text
from gpuinfra.catalog.rates import HourlyRate
from gpuinfra.model import Rung
from gpuinfra.records import record
from gpuinfra.units import format_money


@record
class SpotPriceToday:
    """The current hourly spot cost of a run's machines, in the most expensive zone."""

    per_hour: Decimal
    source: str
    as_of: str


@record
class SpotPriceBasis:
    """The source of the counted price; `may_wait` if the request pays less than the spot price."""

    source: str
    as_of: str
    today: SpotPriceToday | None = None
    may_wait: bool = False
    note: str = ""


def spot_price_basis(rung: Rung, price: HourlyRate, machines: int) -> SpotPriceBasis:
    """Return the basis for a spot request on a rung, which pays at most the rate's ceiling.

    A maximum price is no quotation: it has no date, and its source is the request.
    """
    price_now, ceiling = price.spot, price.ceiling
    if price_now is None or ceiling is None:
        return SpotPriceBasis(source=price.source, as_of=price.as_of, note=price.note)
    most = dearest(price_now)
    today = SpotPriceToday(
        per_hour=most * machines, source=price_now.source, as_of=price_now.as_of
    )
    if not price.may_wait:
        return SpotPriceBasis(source=price_now.source, as_of=price_now.as_of, today=today)
    limit = "the on-demand price" if rung.max_price is None else "its max_price"
    return SpotPriceBasis(
        source=price.source,
        as_of=price.as_of,
        today=today,
        may_wait=True,
        note=f"may wait: {price.machine} costs {format_money(most)} in the most expensive "
        f"zone of {rung.region} ({price_now.source}, {days_text(price_now.as_of)}), above {limit} "
        f"{format_money(ceiling)}, which is counted",
    )
