"""The purchase modes that commit to a term, in which every hour is paid, used or not."""

from decimal import Decimal
from typing import Final

from gpuinfra.units import HOURS_PER_MONTH, HOURS_PER_YEAR

TERMS: Final = {"1mo": HOURS_PER_MONTH, "1y": HOURS_PER_YEAR, "3y": HOURS_PER_YEAR * 3}
"""The terms of commitments, in hours."""

KINDS: Final = ("reserved", "savings", "committed", "subscription")
"""How the modes begin that commit to a term: reserved instances, savings plans, committed use
discounts, subscriptions."""

COMMITMENTS: Final = tuple(f"{kind}-{length}" for kind in KINDS for length in TERMS)
"""Every mode that commits, for example savings-3y: a user may have a price of any of them."""


def term(mode: str) -> Decimal | None:
    """Return the hours that a mode commits to; None when it is no commitment."""
    start, _, length = mode.rpartition("-")
    return TERMS.get(length) if start in KINDS else None
