"""The purchase modes of one training run, each with its duration and cost."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final, get_args

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog.commitment_terms import term
from gpuinfra.catalog.continuous_use_cost import tiered_cost
from gpuinfra.catalog.rates import HourlyRate
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.cost.booked_lengths import BOOKINGS, DAY, paid_hours
from gpuinfra.cost.interruptions import CheckpointTimes, RunHours, break_even, hours, longest
from gpuinfra.cost.machines import rate
from gpuinfra.cost.run_hours import rounded_hours
from gpuinfra.cost.spot import SpotPriceBasis, SpotPriceToday, spot_price_basis
from gpuinfra.model import Capacity, Group, Known, Rung
from gpuinfra.records import record
from gpuinfra.units import format_count

DECLARED_MODES: Final = frozenset(get_args(Capacity))
"""The modes that a stack file can ask for; others have a price and are shown for comparison."""

ENDLESS_RUN_HOURS: Final = 100 * 365 * 24.0
"""Hours from which on a run counts as one that does not end: a century."""

_WITHOUT_TIMES: Final[Mapping[Known, str]] = {
    True: "what an interruption loses is unknown",
    False: "it writes no checkpoints: an interruption loses the run",
}
"""Why the duration of a run on spot is unknown, by whether it writes checkpoints."""


@record
class CostSpread:
    """The cost of a run's machines in US dollars: the mean, and the 10th and 90th percentile."""

    expected: Decimal
    p10: Decimal
    p90: Decimal


@record
class RunOption:
    """A run bought in one mode.

    Attributes:
        mode: on-demand, spot, capacity-block …
        per_hour: of all machines, expected; None where no price is known. Where `bounded_by` names
            something, it, `cost` and `uninterrupted_cost` are what it comes to at most.
        hours: how long it takes; None where that is not known.
        cost: of the machines; None where hours or price are not known.
        uninterrupted_cost: what it costs when nothing interrupts it.
        source: of the price; the request itself where its maximum is what is counted.
        as_of: of the price; empty where the request's maximum is counted.
        bounded_by: what bounds a spot price that is not known: on-demand or max_price; else empty.
        today: the spot price of today, where one is known.
        may_wait: whether spot costs more today than the request pays, so that it need not run.
        break_even: hours of use from which on it is cheaper than on demand, where it is booked
            and paid to the end.
        note: why something is not known, or what has to be said.
    """

    mode: str
    per_hour: Decimal | None
    hours: RunHours | None
    cost: CostSpread | None
    uninterrupted_cost: Decimal | None
    source: str
    as_of: str
    note: str
    bounded_by: str = ""
    today: SpotPriceToday | None = None
    may_wait: bool = False
    break_even: Decimal | None = None


@record
class UnpricedRun:
    """The facts of a run before it is priced.

    `uninterrupted_hours` are those of work and of writing checkpoints.
    """

    group: Group
    work_hours: float
    uninterrupted_hours: float
    machines: int
    checkpoints: CheckpointTimes | None
    interruption_rate: float | None
    prices: PriceBook
    day: date


def priced_options(unpriced_run: UnpricedRun) -> tuple[RunOption, ...]:
    """Return the options: on demand, spot, and each booked mode that has a price."""
    options = tuple(_run_options(unpriced_run))
    on_demand_rate = next(
        (option.per_hour for option in options if option.mode == "on-demand"), None
    )
    return tuple(_with_break_even(option, on_demand_rate) for option in options)


def _with_break_even(option: RunOption, on_demand_rate: Decimal | None) -> RunOption:
    """Return an option with the hours from which its booked time is cheaper than on demand."""
    booking = BOOKINGS.get(option.mode)
    if booking is None or not booking.paid_to_end or option.cost is None or not on_demand_rate:
        return option
    return replace(option, break_even=option.cost.expected / on_demand_rate)


def _run_options(unpriced_run: UnpricedRun) -> Iterator[RunOption]:
    modes = priced_cloud_of(unpriced_run.group.cloud).prices.modes()
    for mode in dict.fromkeys((*modes, *(rung.capacity for rung in unpriced_run.group.rungs))):
        if term(mode) is not None or mode == "tiered":
            continue  # outlasts a run: `gpuinfra commitments` is about it
        price = rate(
            unpriced_run.group,
            rung_of(unpriced_run.group, mode),
            mode,
            unpriced_run.prices,
            unpriced_run.day,
        )
        if price.ceiling is None:
            if mode in {"on-demand", "spot"}:
                yield _unpriced_option(mode, price.no_ceiling_reason)
            continue
        yield _run_option(unpriced_run, mode, price)


def _run_option(unpriced_run: UnpricedRun, mode: str, price: HourlyRate) -> RunOption:
    price_per_hour = price.ceiling if price.stale_spot else price.expected
    if price_per_hour is None:
        return _unpriced_option(mode, f"the {mode} price is unknown")
    duration, note = _run_duration(unpriced_run, mode)
    paid = (
        None
        if unpriced_run.uninterrupted_hours > ENDLESS_RUN_HOURS
        else _paid_hours(unpriced_run, mode, unpriced_run.uninterrupted_hours)
    )
    basis = _basis(unpriced_run, mode, price)
    cost = None
    if duration is not None and paid is not None:
        cost = CostSpread(
            expected=_cost(unpriced_run, mode, price, price_per_hour, duration.expected),
            p10=_cost(unpriced_run, mode, price, price_per_hour, duration.p10),
            p90=_cost(unpriced_run, mode, price, price_per_hour, duration.p90),
        )
    return RunOption(
        mode=mode,
        per_hour=price_per_hour * unpriced_run.machines,
        hours=duration if paid is not None else None,
        cost=cost,
        uninterrupted_cost=None
        if paid is None
        else _cost(unpriced_run, mode, price, price_per_hour, unpriced_run.uninterrupted_hours),
        source=basis.source,
        as_of=basis.as_of,
        bounded_by=price.bounding_price,
        today=basis.today,
        may_wait=basis.may_wait,
        note="; ".join(filter(None, (basis.note, note or _booking_note(unpriced_run, paid)))),
    )


def _basis(unpriced_run: UnpricedRun, mode: str, price: HourlyRate) -> SpotPriceBasis:
    """Return the source of the hourly price that is counted."""
    if mode == "spot":
        return spot_price_basis(rung_of(unpriced_run.group, mode), price, unpriced_run.machines)
    return SpotPriceBasis(source=price.source, as_of=price.as_of, note=price.note)


def _booking_note(unpriced_run: UnpricedRun, paid: Decimal | None) -> str:
    if paid is None:
        return "is not offered for so long a run"
    if paid > rounded_hours(unpriced_run.uninterrupted_hours):
        days = f"{paid / DAY:.0f}"
        return f"{format_count(days, 'day is', 'days are')} booked and billed"
    return ""


def _run_duration(unpriced_run: UnpricedRun, mode: str) -> tuple[RunHours | None, str]:
    """Return the duration of a run in a mode, or None and the reason."""
    if unpriced_run.uninterrupted_hours > ENDLESS_RUN_HOURS:
        return None, "with its checkpoints it would take more than a century"
    if mode != "spot":
        same = unpriced_run.uninterrupted_hours
        return RunHours(expected=same, p10=same, p90=same, interruptions=0), ""
    if unpriced_run.checkpoints is None:
        return None, _WITHOUT_TIMES.get(
            unpriced_run.group.needs.checkpoints, "it is unknown whether it writes checkpoints"
        )
    if unpriced_run.interruption_rate is None:
        return None, "the interruption rate is unknown"
    duration_range = hours(
        unpriced_run.work_hours, unpriced_run.checkpoints, unpriced_run.interruption_rate
    )
    if duration_range is None or duration_range.p90 > ENDLESS_RUN_HOURS:
        return None, "interruptions are more frequent than checkpoints: the run never finishes"
    return duration_range, ""


def _cost(
    unpriced_run: UnpricedRun,
    mode: str,
    price: HourlyRate,
    price_per_hour: Decimal,
    duration_hours: float,
) -> Decimal:
    lasts = _paid_hours(unpriced_run, mode, duration_hours) or rounded_hours(duration_hours)
    return tiered_cost(lasts, price_per_hour, price.tiers) * unpriced_run.machines


def _paid_hours(unpriced_run: UnpricedRun, mode: str, duration_hours: float) -> Decimal | None:
    """Return the hours that are paid in a mode; None where it is not sold for that long."""
    lead = priced_cloud_of(unpriced_run.group.cloud).block_lead(
        rung_of(unpriced_run.group, mode).machine
    )
    return paid_hours(mode, rounded_hours(duration_hours), lead)


def _unpriced_option(mode: str, reason: str) -> RunOption:
    return RunOption(
        mode=mode,
        per_hour=None,
        hours=None,
        cost=None,
        uninterrupted_cost=None,
        source="",
        as_of="",
        note=reason,
    )


def even_rate(unpriced_run: UnpricedRun, run_options: tuple[RunOption, ...]) -> float | None:
    """Return the interruptions per hour up to which spot is cheaper than on demand."""
    times = _times(run_options)
    if times is None or unpriced_run.checkpoints is None:
        return None
    return break_even(unpriced_run.work_hours, unpriced_run.checkpoints, times)


def even_hours(unpriced_run: UnpricedRun, run_options: tuple[RunOption, ...]) -> float | None:
    """Return the hours up to which spot is cheaper than on demand without checkpoints.

    An upper bound: how long a restart takes is not counted.
    """
    times = _times(run_options)
    return (
        None
        if times is None or not unpriced_run.interruption_rate
        else longest(unpriced_run.interruption_rate, times)
    )


def _times(run_options: tuple[RunOption, ...]) -> float | None:
    """Return the on-demand price over the spot price; None where one is unknown."""
    rates_by_mode = {
        option.mode: option.per_hour for option in run_options if not option.bounded_by
    }
    spot, on_demand_rate = rates_by_mode.get("spot"), rates_by_mode.get("on-demand")
    return float(on_demand_rate / spot) if spot and on_demand_rate else None


def cheapest(run_options: tuple[RunOption, ...]) -> str:
    """Return the mode with the lowest expected cost, of those that are declarable and may run.

    Empty where there is nothing to compare, or the cost of one of them is not known.
    """
    priced = [
        option
        for option in run_options
        if option.uninterrupted_cost is not None and option.mode in DECLARED_MODES
    ]
    runs = [option for option in priced if not option.may_wait]
    expected_costs = {
        option.mode: option.cost.expected
        for option in runs
        if option.cost and not option.bounded_by
    }
    if len(priced) == 1 or not expected_costs or len(expected_costs) < len(runs):
        return ""
    return min(expected_costs, key=lambda mode: (expected_costs[mode], mode))


def rung_of(group: Group, mode: str) -> Rung:
    """Return the ladder's own rung of a mode, else the active one as a spot rung."""
    rung_of_mode = next((rung for rung in group.rungs if rung.capacity == mode), None)
    return rung_of_mode or replace(group.rung, capacity="spot", max_price=None)
