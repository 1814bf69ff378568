"""Rent or buy: the cost of buying GPUs, beside the cost of renting the same number."""

from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_CEILING, Decimal
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field

from gpuinfra.price_overrides.rent_cost import RentalCost, cost, per_hour, price_breaks
from gpuinfra.records import record
from gpuinfra.specs import values as v
from gpuinfra.specs.fields import FieldReader, input_error, noun, text
from gpuinfra.specs.forms import Form
from gpuinfra.specs.numbers import measure, money, whole_number_reader
from gpuinfra.stackfile.files import form_in
from gpuinfra.units import HOURS_PER_MONTH, HOURS_PER_YEAR, SHARE_PATTERN, hours, parse_share

WATTS: Final = Decimal(1000)
ZERO: Final = Decimal(0)
MAX_PUE: Final = 10
"""The largest PUE that is no slip of the pen."""


def _factor() -> FieldReader:
    """Return the reader of the power usage effectiveness, a number from 1 to MAX_PUE."""
    allowed = f"a number from 1 to {MAX_PUE}, for example 1.5"

    def read(value: Any) -> Decimal:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise input_error(f"is {noun(value)}, but must be a number", allowed=allowed)
        if not 1 <= value <= MAX_PUE:
            raise input_error("is below 1" if value < 1 else "is out of range", allowed=allowed)
        return Decimal(value)

    return FieldReader(read, {"type": "number", "minimum": 1, "maximum": MAX_PUE})


Factor = Annotated[Decimal, _factor()]
Watts = Annotated[Decimal, money(10**9, unit="watts")]
Gpus = Annotated[int, whole_number_reader(1, 1_000_000)]
Share = Annotated[
    Decimal,
    measure(parse_share, SHARE_PATTERN, "a share of the price, for example 10%", done=Decimal),
]
Line = Annotated[str, text(r"[^\x00-\x1f\x7f]+", "one line of text", longest=512)]


class Purchase(Form):
    """A whole purchase.yaml: machines that could be bought instead of rented, in US dollars."""

    example = "`gpuinfra schema purchase` lists the keys"

    version: v.Version = Field(description="Always 1.")
    what: Line | None = Field(default=None, description="Description of the purchase.")
    gpus: Gpus = Field(description="Total number of GPUs.")
    price: v.Cost = Field(description="US dollars for everything.")
    lifetime: v.Duration = Field(description="Service life, for example 1095d.")
    residual: Share = Field(
        default=ZERO, description="Residual value as a share of the price, for example 10%."
    )
    watts: Watts = Field(description="Power of everything under load, in watts.")
    pue: Factor = Field(
        default=Decimal(1),
        description="Power usage effectiveness: total power per watt of the machines, for example "
        "1.5.",
    )
    electricity: v.Money = Field(description="US dollars per kWh.")
    hosting: v.Money = Field(
        default=ZERO, description="US dollars per month: rack, network, spares."
    )
    staff: v.Money = Field(default=ZERO, description="US dollars per month for operators.")


@record
class RentComparison:
    """The comparison of buying with renting as many GPUs for some years; money in US dollars.

    Attributes:
        years: the span that is compared.
        utilisation: the share (0 to 1) of the hours in which the GPUs work.
        rent_per_hour: what as many GPUs cost an hour when they are rented, before the first tier.
        rent_cost: rent of the hours in which they work, as one run; and what was paid beforehand.
        prepaid: of it, what is paid at work or not.
        depreciation: the price less what is left, as far as the span uses up the lifetime; a span
            that is longer than the lifetime buys again.
        energy_kwh: watts × PUE × the hours in which they work.
        energy: what that costs.
        upkeep: hosting and staff, at work or not.
        ownership_cost: depreciation, energy and upkeep.
        break_even_utilisation: the utilisation from which on buying is cheaper, 0 where it is at
            any; above 1 renting is cheaper at any, None where it would be at any hours.
        break_even_until: the utilisation above which renting is cheaper again, as a further hour
            of it costs less than the energy; None where there is none.
        break_even_month: the month in which what was paid for owning falls below the rent that
            was saved, at the utilisation; None where it never does within the lifetime.
    """

    years: Decimal
    utilisation: Decimal
    rent_per_hour: Decimal
    rent_cost: Decimal
    prepaid: Decimal
    depreciation: Decimal
    energy_kwh: Decimal
    energy: Decimal
    upkeep: Decimal
    ownership_cost: Decimal
    break_even_utilisation: Decimal | None
    break_even_until: Decimal | None
    break_even_month: int | None


def read_purchase(path: Path) -> Purchase:
    """Return the purchase in a purchase.yaml.

    Raises:
        InputError: it can't be read, or it has faults: all of them, with their places.
    """
    fix = f"use a purchase file; {Purchase.example}"
    return form_in(path, Purchase, fix, lambda _: ()).form


def compare_with_rent(
    purchase: Purchase, rents: Sequence[RentalCost], years: Decimal, utilisation: Decimal
) -> RentComparison:
    """Compare a purchase with renting machines that have as many GPUs."""
    span = HOURS_PER_YEAR * years
    lifetime = hours(purchase.lifetime)
    depreciation = purchase.price * (1 - purchase.residual) * span / lifetime
    upkeep = (purchase.hosting + purchase.staff) * 12 * years
    kilowatts = purchase.watts * purchase.pue / WATTS
    power = kilowatts * purchase.electricity
    energy_kwh = kilowatts * span * utilisation
    since, until = _savings_range(
        lambda share: cost(rents, span, span * share) - power * span * share,
        depreciation + upkeep,
        (hours / span for hours in price_breaks(rents)),
    )
    return RentComparison(
        years=years,
        utilisation=utilisation,
        rent_per_hour=per_hour(rents),
        rent_cost=cost(rents, span, span * utilisation),
        prepaid=cost(rents, span, ZERO),
        depreciation=depreciation,
        energy_kwh=energy_kwh,
        energy=energy_kwh * purchase.electricity,
        upkeep=upkeep,
        ownership_cost=depreciation + energy_kwh * purchase.electricity + upkeep,
        break_even_utilisation=since,
        break_even_until=until,
        break_even_month=_month(purchase, rents, power, utilisation),
    )


def _month(
    purchase: Purchase, rents: Sequence[RentalCost], power: Decimal, utilisation: Decimal
) -> int | None:
    """Return the month in which the saved rent, less power and upkeep, has paid the price."""
    worked = HOURS_PER_MONTH * utilisation
    spent = power * worked + purchase.hosting + purchase.staff
    paid, _ = _savings_range(
        lambda months: cost(rents, HOURS_PER_MONTH * months, worked * months) - spent * months,
        purchase.price,
        (from_hours / worked for from_hours in price_breaks(rents)),
    )
    if paid is None or paid * HOURS_PER_MONTH > hours(purchase.lifetime):
        return None
    month = int(paid.to_integral_value(ROUND_CEILING))
    return month if month * HOURS_PER_MONTH <= hours(purchase.lifetime) else None


def _savings_range(
    saved: Callable[[Decimal], Decimal], needed_amount: Decimal, bends: Iterable[Decimal]
) -> tuple[Decimal | None, Decimal | None]:
    """Return the range in which the savings reach the needed amount.

    `saved` is straight between its bends, and after each it rises less or falls more: the price
    of a tier is lower than that before. None: nowhere, and without an end.
    """
    since: Decimal | None = ZERO if saved(ZERO) >= needed_amount else None
    points = (ZERO, *bends)
    for start, end in zip_longest(points, points[1:]):
        low = saved(start)
        slope = saved(start + 1) - low if end is None else (saved(end) - low) / (end - start)
        if not slope:
            continue
        meets = start + (needed_amount - low) / slope
        if meets < start or (end is not None and meets > end):
            continue
        if since is None:
            since = meets
        elif slope < 0:
            return since, meets
    return since, None
