"""The lowest maximum price of spot machines that a fix may propose."""

from collections.abc import Iterable
from decimal import ROUND_CEILING, Decimal
from typing import Final

from gpuinfra.catalog import PriceBook, ceiling
from gpuinfra.model import Group, Rung

CENT: Final = Decimal("0.01")

LEAST_SHARE: Final = Decimal("0.1")
"""The lowest maximum price that is tried where no spot price is known, as a share of the price on
demand. A spot machine whose price is above its maximum is not started, so that a lower one is no
fix: https://learn.microsoft.com/azure/virtual-machines/spot-vms#pricing"""


def spot_floor(groups: Iterable[Group], prices: PriceBook) -> Decimal | None:
    """Return the last spot price of these machines, rounded up to a cent; None if it is unknown.

    It is that of the most expensive type and zone: with less, the request may never be filled.
    """
    known = [
        ceiling(row)
        for group in groups
        for rung in spot_rungs(group)
        for machine in (rung.machine, *group.machines)
        if (row := prices.spot(group.cloud, machine, rung.region, rung.zones)) is not None
    ]
    return max(known).quantize(CENT, ROUND_CEILING) if known else None


def spot_rungs(group: Group) -> tuple[Rung, ...]:
    """Return the spot rungs of a group; all rungs where none is spot."""
    return tuple(rung for rung in group.rungs if rung.capacity == "spot") or group.rungs
