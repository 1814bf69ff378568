"""The cost of a machine over continuous use, when its price falls with it."""

from collections.abc import Sequence
from decimal import Decimal

Tiers = Sequence[tuple[Decimal, Decimal]]
"""The later prices of an hour, each with the hours of continuous use after which it holds."""


def tiered_cost(hours: Decimal, first: Decimal, tiers: Tiers = ()) -> Decimal:
    """Return the cost of one machine for consecutive hours, each at the price of its tier.

    `first` is the price of an hour before the first of the tiers, which begin one after another.
    """
    total, since, price = Decimal(0), Decimal(0), first
    for from_hours, later_tier in tiers:
        if hours <= from_hours:
            break
        total += (from_hours - since) * price
        since, price = from_hours, later_tier
    return total + (hours - since) * price
