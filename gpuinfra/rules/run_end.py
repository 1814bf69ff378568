"""How long the machines of a run may stay, and what ends them."""

from collections.abc import Iterable, Iterator
from decimal import ROUND_CEILING, Decimal
from typing import Final

from gpuinfra.clouds.accepts import accepts
from gpuinfra.model import Group

MARGIN: Final = Decimal("1.25")
"""How much longer than its run a machine may stay."""

NO_DURATION: Final = 72
"""How many hours it may stay where the run's duration is not stated."""


def time_to_live(hours: Decimal | None) -> int:
    """The hours after which a machine is to end whose run takes so long."""
    if hours is None:
        return NO_DURATION
    return int((hours * MARGIN).to_integral_value(ROUND_CEILING))


def endings(endless: Iterable[Group], per_run: str) -> Iterator[str]:
    """What ends the machines of groups whose runs are shorter than a month, cloud by cloud.

    Args:
        endless: groups that nothing ends.
        per_run: a cap for each of their runs; empty where the file has one.
    """
    by_hand: list[str] = []
    for group in endless:
        if accepts(group.cloud, "time_to_live", pool=group.purpose == "inference"):
            hours = time_to_live(group.wishes.hours)
            yield f"end {group.name} after its run (time_to_live: {hours}h)"
        else:
            by_hand.append(group.name)
    if by_hand:
        cap = f"set per_run: {per_run}" if per_run else "keep per_run"
        runs = f"cap runs instead of months (remove per_month, {cap})"
        yield f"{runs} and destroy the stack after each run of {', '.join(by_hand)}"
