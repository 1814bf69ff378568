"""The number of GPUs to commit to: the level with the lowest expected cost."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.forecast.usage_models import Demand
from gpuinfra.forecast.usage_shape import EVEN, Shape
from gpuinfra.records import record
from gpuinfra.units import HOURS_PER_MONTH

_HOURS: Final = float(HOURS_PER_MONTH)
_HALVINGS: Final = 60


@record
class GpuHourRates:
    """The USD per GPU-hour, on demand and committed; a commitment is paid every hour.

    `machine_gpus` is how many GPUs a commitment comes in: those of one machine.
    """

    on_demand: float
    committed: float
    machine_gpus: float = 1.0

    @property
    def critical(self) -> float:
        """The share of hours for which the last committed GPU must be needed to pay off."""
        return self.committed / self.on_demand


@record
class Level:
    """A commitment and its expected cost over the months, in USD.

    `all_on_demand` is the cost of the same months without one, and `savings` the difference: below
    zero where the commitment costs more.
    """

    gpus: float
    cost: Decimal
    all_on_demand: Decimal
    savings: Decimal


def level(months: Sequence[Demand], rates: GpuHourRates, shape: Shape = EVEN) -> Level:
    """Return the level with the lowest expected cost of all months, spread by a shape.

    The newsvendor's: a GPU more is committed to as long as the probability that an hour needs it,
    in the mean over the months, is above the critical ratio `committed / on_demand`. Whole steps
    only; the cost is convex in the level, so that the best one lies beside the exact one.
    https://en.wikipedia.org/wiki/Newsvendor_model
    """
    steps = math.floor(_exact_level(months, rates, shape) / rates.machine_gpus)
    gpus = min(
        (count * rates.machine_gpus for count in (steps, steps + 1)),
        key=lambda count: expected_cost(months, rates, count, shape),
    )
    return level_at(months, rates, gpus, shape)


def level_at(
    months: Sequence[Demand], rates: GpuHourRates, gpus: float, shape: Shape = EVEN
) -> Level:
    """Return the expected cost of a level of committed GPUs over months, spread by a shape."""
    cost, uncommitted_cost = (
        _money(expected_cost(months, rates, count, shape)) for count in (gpus, 0.0)
    )
    return Level(
        gpus=gpus, cost=cost, all_on_demand=uncommitted_cost, savings=uncommitted_cost - cost
    )


def expected_cost(
    months: Sequence[Demand], rates: GpuHourRates, gpus: float, shape: Shape = EVEN
) -> float:
    """Return the expected cost of months with this many committed GPUs, the rest on demand."""
    hours = gpus * _HOURS
    return sum(
        hours * rates.committed
        + rates.on_demand
        * sum(
            share * times * month.expected_excess(hours / times) for share, times in shape if times
        )
        for month in months
    )


def cost_of_past_months(
    hours: Sequence[float], rates: GpuHourRates, gpus: float, shape: Shape = EVEN
) -> Decimal:
    """Return the cost that past months would have had with this many committed GPUs."""
    return _money(
        expected_cost([Demand(month_hours, 0.0) for month_hours in hours], rates, gpus, shape)
    )


def _exact_level(months: Sequence[Demand], rates: GpuHourRates, shape: Shape) -> float:
    """Return the level at which the mean probability of need falls to the critical ratio."""

    def needed_share(gpus: float) -> float:
        gpus_by_month = (
            share * month.probability_above(gpus * _HOURS / times)
            for month in months
            for share, times in shape
            if times
        )
        return sum(gpus_by_month) / len(months)

    if needed_share(0.0) <= rates.critical:
        return 0.0
    most = max(times for _, times in shape)
    low, high = 0.0, most * max(month.quantile(0.999999) for month in months) / _HOURS
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if needed_share(middle) > rates.critical else (low, middle)
    return low


def _money(amount: float) -> Decimal:
    return Decimal(amount).quantize(Decimal("0.01"))
