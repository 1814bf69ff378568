"""The cost of a spot run by its interruption rate, compared with on demand."""

from typing import Final

from gpuinfra.cost.interruptions import mean_hours, per_hour
from gpuinfra.cost.outlook import checkpoint_times_of
from gpuinfra.cost.run_outlook import RunOutlook
from gpuinfra.records import record
from gpuinfra.specs import Stack

POINTS: Final = 81
HOURS_A_DAY: Final = 24.0

SPREAD: Final = (10.0, 2.0)
"""The axis begins at a tenth of the lowest rate of interest, and ends at twice the highest."""

LOWEST_RATE: Final = 0.01
"""Interruptions a day: the lowest rate of interest where none is known."""


@record
class SpotCurve:
    """The mean cost of a run's spot machines, in US dollars, by interruptions per day.

    Attributes:
        group: the workload.
        points: interruptions of the run a day, and what it costs then; ascending.
        on_demand: what it costs on demand.
        counted_per_day: the interruptions a day that the quote counts; None where no rate is
            known.
        break_even: the interruptions a day up to which spot is cheaper; None where it never is.
    """

    group: str
    points: tuple[tuple[float, float], ...]
    on_demand: float
    counted_per_day: float | None
    break_even: float | None


def spot_curve(stack: Stack, outlook: RunOutlook) -> SpotCurve | None:
    """Return the curve of a run; None where a price or the checkpoint times are unknown."""
    option_by_mode = {option.mode: option for option in outlook.options}
    spot, on_demand_option = option_by_mode.get("spot"), option_by_mode.get("on-demand")
    saving = checkpoint_times_of(
        stack.training[outlook.group].checkpoints, outlook.checkpoint.write_hours
    )
    if spot is None or spot.per_hour is None or spot.bounded_by or saving is None:
        return None
    if on_demand_option is None or on_demand_option.cost is None:
        return None
    share = outlook.risk.counted_share
    counted_rate = (
        None if share is None else per_hour(float(share), outlook.machines) * HOURS_A_DAY
    )
    even = (
        None
        if outlook.break_even.hours_between is None
        else HOURS_A_DAY / outlook.break_even.hours_between
    )
    hourly, work = float(spot.per_hour), float(outlook.work_hours)
    return SpotCurve(
        group=outlook.group,
        points=tuple(
            (rate, hourly * mean_hours(work, saving, rate / HOURS_A_DAY))
            for rate in _rates([rate for rate in (counted_rate, even) if rate])
        ),
        on_demand=float(on_demand_option.cost.expected),
        counted_per_day=counted_rate,
        break_even=even,
    )


def _rates(of_interest: list[float]) -> list[float]:
    """Return interruptions per day around the rates of interest, evenly spaced on a log axis."""
    lower_factor, upper_factor = SPREAD
    low = min(of_interest, default=LOWEST_RATE) / lower_factor
    high = max(*of_interest, 100 * low) * upper_factor
    return [low * (high / low) ** (index / (POINTS - 1)) for index in range(POINTS)]
