"""The priced machines of a group on one rung: the maximum cost, and the expected one."""

from collections.abc import Iterator
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final, NamedTuple

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog.continuous_use_cost import Tiers, tiered_cost
from gpuinfra.catalog.rates import SPOT, HourlyRate, rung_rate
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.clouds.provider import MonthDiscount
from gpuinfra.cost.booked_lengths import paid_hours
from gpuinfra.cost.quote import Line
from gpuinfra.cost.run_hours import expected_hours, month_hours, run_hours
from gpuinfra.model import Group, Rung, Unknown
from gpuinfra.units import HOURS_PER_MONTH, format_money

RESERVATION_NOTE: Final = "a reservation is billed until it is cancelled, used or not"
_UPFRONT: Final = "billed in full when it is bought, and gpuinfra does not buy it"
BLOCK: Final = f"a capacity block is {_UPFRONT}; this is the shortest one that holds the run"
BLOCK_UNKNOWN: Final = (
    f"a capacity block is {_UPFRONT}; its length is unknown, because the run has no duration: a "
    "month counts 730 hours"
)
_MAXIMUM: Final = "its maximum number of machines is not known yet"
_SURGE_UNKNOWN: Final = (
    "the number of machines that an update or a rebalance adds above its maximum is not known"
)
MONTH_DISCOUNT: Final = "the sustained-use discount"
ZERO: Final = Decimal(0)
ONE: Final = Decimal(1)


class Counts(NamedTuple):
    """The number of machines in one purchase mode; None where it is unknown."""

    maximum: Decimal
    expected: Decimal | None
    minimum: Decimal | None


class PaidHours(NamedTuple):
    """The paid hours of one machine: used hours, and hours of a prepaid share."""

    used: Decimal
    paid_hours: Decimal = ZERO
    prepaid_share: Decimal = ZERO

    def cost(self, rate: Decimal, tiers: Tiers) -> Decimal:
        """Return the cost of the hours at an hourly price."""
        unused = max(ZERO, self.paid_hours - self.used) * self.prepaid_share * rate
        return tiered_cost(self.used, rate, tiers) + unused


def machine_lines(group: Group, rung: Rung, prices: PriceBook, day: date) -> Iterator[Line]:
    """Yield a line per purchase mode: on demand and spot (judged for a day), or the rung's own."""
    kinds = ("on-demand", "spot") if rung.capacity == "spot" else (rung.capacity,)
    rates = {kind: rate(group, rung, kind, prices, day) for kind in kinds}
    most = group.ceiling
    if isinstance(most, Unknown):
        surges = isinstance(group.lifecycle.surge, Unknown) and not isinstance(
            group.maximum, Unknown
        )
        yield _unpriced_line(group, rung, _SURGE_UNKNOWN if surges else _MAXIMUM)
        return
    likely = expected_machines(group)
    counts = _split(rung, Decimal(most), rates)
    least = group.minimum
    few = None if isinstance(least, Unknown) else _split(rung, Decimal(least), rates)
    for kind in kinds:
        # What is kept for groups that grow is paid by them at their maximum, and here below it.
        if not counts[kind] and not (few and few[kind]):
            continue
        price = rates[kind]
        if price.ceiling is None:
            yield _unpriced_line(group, rung, price.no_ceiling_reason)
            continue
        count = Counts(
            maximum=counts[kind],
            expected=None if likely is None else _split(rung, likely, None)[kind],
            minimum=None if few is None else few[kind],
        )
        yield _line(group, rung, count, price, price.ceiling)


def expected_machines(group: Group) -> Decimal | None:
    """Return the expected number of machines: as stated, else the group's minimum."""
    if group.needs.expected is not None:
        return group.needs.expected
    return None if isinstance(group.minimum, Unknown) else Decimal(group.minimum)


def node_rate(group: Group, rung: Rung, prices: PriceBook) -> Decimal | None:
    """Return the maximum hourly cost of one machine of a group on a rung; None when unpriced."""
    kinds = ["spot"] if rung.capacity == "spot" else [rung.capacity]
    if rung.capacity == "spot" and (rung.on_demand_base or _share(rung) < ONE):
        kinds.append("on-demand")
    ceilings = [rate(group, rung, kind, prices).ceiling for kind in kinds]
    known_ceilings = [ceiling for ceiling in ceilings if ceiling is not None]
    return max(known_ceilings) if len(known_ceilings) == len(ceilings) else None


def rate(
    group: Group, rung: Rung, kind: str, prices: PriceBook, day: date | None = None
) -> HourlyRate:
    """Return the highest rate of a group's machine types; a rate without a ceiling comes first."""
    machine_rates = (
        rung_rate(group.cloud, rung, prices, kind, machine, day)
        for machine in group.machines or (rung.machine,)
    )
    return max(
        machine_rates,
        key=lambda hourly_rate: (hourly_rate.ceiling is None, hourly_rate.ceiling or ZERO),
    )


def _split(
    rung: Rung, machines: Decimal, rates: dict[str, HourlyRate] | None
) -> dict[str, Decimal]:
    """Return the machines per purchase mode; with `rates`, whole ones at the highest cost."""
    if rung.capacity != "spot":
        return {rung.capacity: machines}
    on_spot = max(ZERO, machines - rung.on_demand_base) * _share(rung)
    if rates is not None:
        on_spot = on_spot.to_integral_value(
            ROUND_CEILING if _is_higher_rate(rates["spot"], rates["on-demand"]) else ROUND_FLOOR
        )
    return {"on-demand": machines - on_spot, "spot": on_spot}


def _is_higher_rate(rate: HourlyRate, other: HourlyRate) -> bool:
    most, least = rate.ceiling, other.ceiling
    return most is not None and least is not None and most > least


def _share(rung: Rung) -> Decimal:
    """Return the spot share of a rung; a spot rung without a share is all spot."""
    return rung.spot_share_above_base or ONE


def _line(group: Group, rung: Rung, count: Counts, price: HourlyRate, ceiling: Decimal) -> Line:
    most, expected, least = count
    run, month, all_runs = _paid_hours(group, rung, price)
    discount = _month_discount(group, price)
    at_list_price = all_runs.cost(ONE, ())
    unused = at_list_price - expected_hours(group)
    discounted = all_runs.cost(ONE, _later_prices(discount))
    likely = Decimal(0) if expected == 0 else None
    if expected is not None and price.expected is not None:
        likely = expected * price.expected
    highest = None if likely is not None or expected is None else expected * ceiling
    return Line(
        group=group.name,
        subject=group.subject,
        name=group.name,
        kind=price.mode,
        item=price.machine,
        region=rung.region,
        quantity=most,
        unit="hour",
        status="priced",
        rate=ceiling,
        per_hour=most * ceiling,
        per_month=most * month.cost(ceiling, price.tiers),
        per_run=None if run is None else most * run.cost(ceiling, price.tiers),
        expected_per_hour=likely,
        expected_per_month=None if likely is None or price.tiers else likely * discounted,
        expected_as_of=_expected_day(price),
        expected_at_most_per_hour=highest,
        expected_at_most_per_month=None
        if highest is None or price.tiers
        else highest * discounted,
        may_wait=price.may_wait,
        default_maximum=price.default_maximum,
        minimum_per_hour=None if least is None else least * ceiling,
        source=price.source,
        as_of=price.as_of,
        note="; ".join(
            filter(
                None,
                (
                    price.note,
                    _reserved_note(group, rung),
                    _unused_hours_note(most * unused * ceiling),
                    _discount_note(discount, (at_list_price - discounted) * (likely or ZERO)),
                ),
            )
        ),
        origin=price.row.origin if price.row and price.mode != SPOT else "catalog",
    )


def _paid_hours(
    group: Group, rung: Rung, price: HourlyRate
) -> tuple[PaidHours | None, PaidHours, PaidHours]:
    """Return the paid hours of one machine: for a run, for a month at most, for a month's runs.

    A capacity block is paid to its end, in the month in which it is bought. A reservation is paid
    all month, and so is the share of a price that was paid beforehand.
    """
    hours = run_hours(group, rung)
    run = None if hours is None else PaidHours(hours)
    if rung.capacity == "capacity-block" and hours is not None:
        lead = priced_cloud_of(group.cloud).block_lead(rung.machine)
        booked = paid_hours(rung.capacity, hours, lead)
        if booked is not None:
            month = PaidHours(booked * group.needs.runs)
            return PaidHours(booked), month, month
    if rung.reserve or rung.capacity == "reserved":
        return run, PaidHours(HOURS_PER_MONTH), PaidHours(HOURS_PER_MONTH)
    prepaid = ZERO if price.row is None or price.mode == SPOT else price.row.prepaid
    always = (HOURS_PER_MONTH if prepaid else ZERO, prepaid)
    return (
        run,
        PaidHours(month_hours(group), *always),
        PaidHours(expected_hours(group, rung), *always),
    )


def _expected_day(price: HourlyRate) -> str:
    """Return the date of the expected price; empty for a request's own maximum."""
    is_usable = price.row is not None and price.expected is not None and not price.may_wait
    return price.row.as_of if is_usable and price.row else ""


def _reserved_note(group: Group, rung: Rung) -> str:
    """Return the note about reserved machines; empty for others."""
    if rung.capacity == "capacity-block":
        return BLOCK_UNKNOWN if group.needs.hours is None else BLOCK
    return RESERVATION_NOTE if rung.reserve or rung.capacity == "reserved" else ""


def _unused_hours_note(paid: Decimal) -> str:
    """Return a note on the monthly cost of booked or prepaid hours that no run uses."""
    if paid <= ZERO:
        return ""
    return (
        f"{format_money(paid)} of a month is for hours that are booked, reserved or paid "
        "beforehand, and that its runs do not use"
    )


def _month_discount(group: Group, price: HourlyRate) -> MonthDiscount | None:
    """Return the sustained-use discount of a month; None for the user's own prices."""
    if price.mode != "on-demand" or price.row is None or price.row.origin == "user":
        return None
    return priced_cloud_of(group.cloud).month_discount(price.machine)


def _later_prices(discount: MonthDiscount | None) -> Tiers:
    """Return the later prices relative to the first, with the hours after which they apply."""
    steps = () if discount is None else discount.steps
    return tuple((share * HOURS_PER_MONTH, costs) for share, costs in steps)


def _discount_note(discount: MonthDiscount | None, saved: Decimal) -> str:
    if discount is None or not saved:
        return ""
    return (
        f"the expected month is {format_money(saved)} lower by {MONTH_DISCOUNT}, which "
        f"caps do not count ({discount.source}, {discount.as_of})"
    )


def _unpriced_line(group: Group, rung: Rung, reason: str) -> Line:
    return Line(
        group=group.name,
        subject=group.subject,
        name=group.name,
        kind=rung.capacity,
        item=rung.machine,
        region=rung.region,
        quantity=None,
        unit="hour",
        status="unpriced",
        note=reason,
    )
