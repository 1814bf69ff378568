"""What machines cost to rent over a span in which they work a share of the hours."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.tiers import Tiers, tiered_cost
from gpuinfra.records import record

ZERO: Final = Decimal(0)


@record
class Rent:
    """Machines that are rented in one way; money in US dollars.

    Attributes:
        machines: how many; a part of one where a share of its GPUs counts.
        at_work: what an hour of one at work costs, before the first tier.
        always: what every hour of one costs, at work or not, as it was paid beforehand.
        tiers: the prices of an hour at work after so many hours.
    """

    machines: Decimal
    at_work: Decimal
    always: Decimal = ZERO
    tiers: Tiers = ()

    def cost(self, span: Decimal, worked: Decimal) -> Decimal:
        """What a span of hours costs of which so many are at work, as one run."""
        return self.machines * (self.always * span + tiered_cost(worked, self.at_work, self.tiers))


def per_hour(rents: Iterable[Rent]) -> Decimal:
    """What all of them cost in an hour at work, before the first tier."""
    return sum((rent.machines * (rent.always + rent.at_work) for rent in rents), ZERO)


def cost(rents: Iterable[Rent], span: Decimal, worked: Decimal) -> Decimal:
    """What all of them cost over a span of hours, of which each works so many."""
    return sum((rent.cost(span, worked) for rent in rents), ZERO)


def price_breaks(rents: Iterable[Rent]) -> Sequence[Decimal]:
    """After how many hours at work an hour of some of them begins to cost less, in order."""
    return sorted({after for rent in rents for after, _ in rent.tiers})
