"""The suggested time to live of a run's machines."""

from decimal import ROUND_CEILING, Decimal
from typing import Final

TIME_TO_LIVE_FACTOR: Final = Decimal("1.25")
"""The factor from a run's duration to the suggested time_to_live."""

DEFAULT_TIME_TO_LIVE_HOURS: Final = 72
"""The suggested time_to_live in hours where the run's duration is not stated."""


def time_to_live(hours: Decimal | None) -> int:
    """Return the hours after which a machine is to end, a quarter longer than its run."""
    if hours is None:
        return DEFAULT_TIME_TO_LIVE_HOURS
    return int((hours * TIME_TO_LIVE_FACTOR).to_integral_value(ROUND_CEILING))
