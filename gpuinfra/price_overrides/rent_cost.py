"""The cost of renting machines over a span in which they work for a share of the hours."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.continuous_use_cost import Tiers, tiered_cost
from gpuinfra.records import record

ZERO: Final = Decimal(0)


@record
class RentalCost:
    """Machines rented in one purchase mode; money in US dollars.

    Attributes:
        machines: how many; a part of one where a share of its GPUs counts.
        hourly_rent: what an hour of one at work costs, before the first tier.
        hourly_prepaid: what every hour of one costs, at work or not, as it was paid beforehand.
        tiers: the prices of an hour at work after so many hours.
    """

    machines: Decimal
    hourly_rent: Decimal
    hourly_prepaid: Decimal = ZERO
    tiers: Tiers = ()

    def cost(self, span: Decimal, worked: Decimal) -> Decimal:
        """Return the cost of a span of hours of which `worked` are at work, as one run."""
        return self.machines * (
            self.hourly_prepaid * span + tiered_cost(worked, self.hourly_rent, self.tiers)
        )


def per_hour(rents: Iterable[RentalCost]) -> Decimal:
    """Return the cost of all of them for an hour at work, before the first tier."""
    return sum((rent.machines * (rent.hourly_prepaid + rent.hourly_rent) for rent in rents), ZERO)


def cost(rents: Iterable[RentalCost], span: Decimal, worked: Decimal) -> Decimal:
    """Return the cost of all of them over a span of hours, of which each works `worked`."""
    return sum((rent.cost(span, worked) for rent in rents), ZERO)


def price_breaks(rents: Iterable[RentalCost]) -> Sequence[Decimal]:
    """Return, in order, the hours at work after which the hourly price of some falls."""
    return sorted({from_hours for rent in rents for from_hours, _ in rent.tiers})
