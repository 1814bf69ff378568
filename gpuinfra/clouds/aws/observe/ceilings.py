"""The most that requests for spot machines may pay."""

from decimal import Decimal

from gpuinfra.model import UNKNOWN, Unknown


def stated(
    own: Decimal | Unknown | None, shared: Decimal | Unknown | None
) -> Decimal | Unknown | None:
    """Return the maximum of one part of a request: its own, or else that of all."""
    return shared if own is None else own


def dearest(prices: list[Decimal | Unknown | None]) -> Decimal | Unknown | None:
    """Return the maximum of all parts.

    One request without a maximum may pay the on-demand price, so no maximum holds for all.
    """
    if any(isinstance(price, Unknown) for price in prices):
        return UNKNOWN
    known = [price for price in prices if isinstance(price, Decimal)]
    return max(known) if known and len(known) == len(prices) else None
