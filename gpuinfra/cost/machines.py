"""The machines of a group on one rung, priced: the ceiling, and what is expected."""

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final, NamedTuple

from gpuinfra.catalog import Book
from gpuinfra.catalog.rates import SPOT, HourlyRate, rung_rate
from gpuinfra.catalog.tiers import over
from gpuinfra.cost.quote import Line
from gpuinfra.model import Group, Rung, Unknown
from gpuinfra.units import HOURS_PER_MONTH

RESERVED: Final = "a reservation is billed until it is cancelled, used or not"
BLOCK: Final = (
    "a capacity block is billed as a whole when it is bought, and not bought here; "
    "this is the share of the hours used"
)
NONE: Final = Decimal(0)
ALL: Final = Decimal(1)


class Counts(NamedTuple):
    """How many machines are bought in one way; None where that is not known."""

    most: Decimal
    expected: Decimal | None
    least: Decimal | None


def machine_lines(group: Group, rung: Rung, prices: Book) -> Iterator[Line]:
    """A line per way to buy: on demand, on spot, or the rung's own."""
    kinds = ("on-demand", "spot") if rung.capacity == "spot" else (rung.capacity,)
    rates = {kind: rate(group, rung, kind, prices) for kind in kinds}
    most = group.ceiling
    if isinstance(most, Unknown):
        yield _unpriced(group, rung, "its maximum number of machines is not known yet")
        return
    likely = expected_machines(group)
    counts = _split(rung, Decimal(most), rates)
    least = group.minimum
    few = None if isinstance(least, Unknown) else _split(rung, Decimal(least), rates)
    for kind in kinds:
        if not counts[kind]:
            continue
        price = rates[kind]
        if price.ceiling is None:
            yield _unpriced(group, rung, price.why)
            continue
        count = Counts(
            most=counts[kind],
            expected=None if likely is None else _split(rung, likely, None)[kind],
            least=None if few is None else few[kind],
        )
        yield _line(group, rung, count, price, price.ceiling)


def expected_machines(group: Group) -> Decimal | None:
    """How many machines are expected: as stated, else the group's minimum."""
    if group.wishes.expected is not None:
        return group.wishes.expected
    return None if isinstance(group.minimum, Unknown) else Decimal(group.minimum)


def node_rate(group: Group, rung: Rung, prices: Book) -> Decimal | None:
    """The maximum cost of one machine of a group an hour on a rung; None when unpriced."""
    kinds = ["spot"] if rung.capacity == "spot" else [rung.capacity]
    if rung.capacity == "spot" and (rung.on_demand_base or _share(rung) < ALL):
        kinds.append("on-demand")
    ceilings = [rate(group, rung, kind, prices).ceiling for kind in kinds]
    known = [one for one in ceilings if one is not None]
    return max(known) if len(known) == len(ceilings) else None


def rate(group: Group, rung: Rung, kind: str, prices: Book) -> HourlyRate:
    """The dearest rate of all machine types that a group may hold; one without a ceiling first."""
    each = (
        rung_rate(group.cloud, rung, prices, kind, machine)
        for machine in group.machines or (rung.machine,)
    )
    return max(each, key=lambda one: (one.ceiling is None, one.ceiling or NONE))


def _split(
    rung: Rung, machines: Decimal, rates: dict[str, HourlyRate] | None
) -> dict[str, Decimal]:
    """How many machines are bought each way; with `rates`, whole ones, as dear as it can be."""
    if rung.capacity != "spot":
        return {rung.capacity: machines}
    on_spot = max(NONE, machines - rung.on_demand_base) * _share(rung)
    if rates is not None:
        on_spot = on_spot.to_integral_value(
            ROUND_CEILING if _dearer(rates["spot"], rates["on-demand"]) else ROUND_FLOOR
        )
    return {"on-demand": machines - on_spot, "spot": on_spot}


def _dearer(one: HourlyRate, other: HourlyRate) -> bool:
    most, least = one.ceiling, other.ceiling
    return most is not None and least is not None and most > least


def _share(rung: Rung) -> Decimal:
    """A spot rung without a share is bought whole."""
    return rung.spot_share_above_base or ALL


def _line(group: Group, rung: Rung, count: Counts, price: HourlyRate, ceiling: Decimal) -> Line:
    most, expected, least = count
    hours = group.wishes.hours
    likely = Decimal(0) if expected == 0 else None
    if expected is not None and price.expected is not None:
        likely = expected * price.expected
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
        per_month=most * over(month_hours(group), ceiling, price.tiers),
        per_run=(None if hours is None else most * over(hours, ceiling, price.tiers)),
        expected_per_hour=likely,
        expected_as_of=price.row.as_of if price.row and price.expected is not None else "",
        minimum_per_hour=None if least is None else least * ceiling,
        source=price.source,
        as_of=price.as_of,
        note="; ".join(filter(None, (price.note, _of_rung(rung)))),
        origin=price.row.origin if price.row and price.mode != SPOT else "catalog",
    )


def _of_rung(rung: Rung) -> str:
    """What a reader has to know of reserved machines."""
    if rung.capacity == "capacity-block":
        return BLOCK
    return RESERVED if rung.reserve or rung.capacity == "reserved" else ""


def month_hours(group: Group) -> Decimal:
    """How long the machines of a group run in a month at most."""
    hours = group.wishes.hours
    return HOURS_PER_MONTH if hours is None else min(hours, HOURS_PER_MONTH)


def _unpriced(group: Group, rung: Rung, why: str) -> Line:
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
        note=why,
    )
