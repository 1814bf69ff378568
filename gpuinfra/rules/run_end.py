"""The time to live of a run's machines, and the fix that sets it."""

from decimal import ROUND_CEILING, Decimal
from typing import Final

from gpuinfra.model import Group

MARGIN: Final = Decimal("1.25")
"""How much longer than its run a machine may stay."""

NO_DURATION: Final = 72
"""How many hours it may stay where the run's duration is not stated."""


def time_to_live(hours: Decimal | None) -> int:
    """Return the hours after which a machine is to end, a quarter longer than its run."""
    if hours is None:
        return NO_DURATION
    return int((hours * MARGIN).to_integral_value(ROUND_CEILING))


def end_after_run(group: Group) -> str:
    """Return the fix that ends the machines of a group after a run, with the key to set."""
    run = "a time" if group.wishes.hours is None else "its run"
    return f"end {group.name} after {run} (time_to_live: {time_to_live(group.wishes.hours)}h)"
