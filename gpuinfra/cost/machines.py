"""The machines of a group on one rung, priced: the ceiling, and what is expected."""

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final, NamedTuple

from gpuinfra.catalog import Book, dearest
from gpuinfra.catalog.tiers import Tiers, over
from gpuinfra.cost.quote import Line
from gpuinfra.model import Group, Origin, Price, Rung, Unknown
from gpuinfra.records import record
from gpuinfra.units import HOURS_PER_MONTH

OWN_PRICE: Final = "max_price of the spot request"
RESERVED: Final = "a reservation is billed until it is given back, machines in it or not"
BLOCK: Final = (
    "a capacity block is paid whole when it is bought, and not bought here; this is the share of"
    " the hours that are used"
)
NONE: Final = Decimal(0)
ALL: Final = Decimal(1)


@record(kw_only=False)
class Rate:
    """What one machine costs an hour: the ceiling with its source, and the expected price."""

    machine: str
    ceiling: Decimal
    source: str
    as_of: str
    expected: Decimal | None
    expected_as_of: str = ""
    note: str = ""
    origin: Origin = "catalog"
    tiers: Tiers = ()


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
        yield _unpriced(group, rung, "how many machines it may hold is not known yet")
        return
    likely = expected_machines(group)
    counts = _split(rung, Decimal(most), rates)
    least = group.minimum
    few = None if isinstance(least, Unknown) else _split(rung, Decimal(least), rates)
    for kind in kinds:
        if not counts[kind]:
            continue
        price = rates[kind]
        if isinstance(price, str):
            yield _unpriced(group, rung, price)
            continue
        count = Counts(
            most=counts[kind],
            expected=None if likely is None else _split(rung, likely, None)[kind],
            least=None if few is None else few[kind],
        )
        yield _line(group, rung, kind, count, price)


def expected_machines(group: Group) -> Decimal | None:
    """How many machines are expected: what was said, else the least that the group holds."""
    if group.wishes.expected is not None:
        return group.wishes.expected
    return None if isinstance(group.minimum, Unknown) else Decimal(group.minimum)


def node_rate(group: Group, rung: Rung, prices: Book) -> Decimal | None:
    """The most that one machine of a group costs an hour on a rung; None when unpriced."""
    kinds = ["spot"] if rung.capacity == "spot" else [rung.capacity]
    if rung.capacity == "spot" and (rung.on_demand_base or _share(rung) < ALL):
        kinds.append("on-demand")
    rates = [rate(group, rung, kind, prices) for kind in kinds]
    known = [one.ceiling for one in rates if isinstance(one, Rate)]
    return max(known) if len(known) == len(rates) else None


def rate(group: Group, rung: Rung, kind: str, prices: Book) -> Rate | str:
    """The dearest rate of all machine types that a group may hold; in words when one has none."""
    known: list[Rate] = []
    for machine in group.machines or (rung.machine,):
        found = _rate(group.cloud, machine, rung, kind, prices)
        if isinstance(found, str):
            return found
        known.append(found)
    return max(known, key=lambda one: one.ceiling)


def _rate(cloud: str, machine: str, rung: Rung, kind: str, prices: Book) -> Rate | str:
    if kind == "spot":
        return _spot_rate(cloud, machine, rung, prices)
    price = prices.listed(cloud, machine, rung.region, kind)
    if price is None:
        return prices.why_unpriced(cloud, machine, rung.region, kind)
    return Rate(
        machine,
        price.per_unit,
        price.source,
        price.as_of,
        price.per_unit,
        price.as_of,
        note=price.said,
        origin=price.origin,
        tiers=price.tiers,
    )


def _spot_rate(cloud: str, machine: str, rung: Rung, prices: Book) -> Rate | str:
    """The ceiling of a spot request is its own maximum, by default the on-demand price."""
    default = prices.spot_ceiling(cloud, machine, rung.region)
    if rung.max_price is not None:
        ceiling, source, as_of = rung.max_price, OWN_PRICE, ""
    elif default is not None:
        ceiling, source, as_of = default.per_unit, default.source, default.as_of
    else:
        why = prices.why_unpriced(cloud, machine, rung.region, "on-demand", of_tables=True)
        return f"{why}; it is the most spot costs without max_price"
    today = prices.spot(cloud, machine, rung.region, rung.zones)
    if today is None:
        return Rate(machine, ceiling, source, as_of, None)
    note = _above(today, ceiling, machine, rung) if rung.max_price is not None else ""
    expected = min(ceiling, dearest(today))
    return Rate(machine, ceiling, source, as_of, expected, today.as_of, note)


def _above(today: Price, ceiling: Decimal, machine: str, rung: Rung) -> str:
    if dearest(today) <= ceiling:
        return ""
    return (
        f"spot {machine} in {rung.region} cost {dearest(today)} in its dearest zone"
        f" ({today.as_of}), above max_price {ceiling}: the request may wait"
    )


def _split(
    rung: Rung, machines: Decimal, rates: dict[str, Rate | str] | None
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


def _dearer(one: Rate | str, other: Rate | str) -> bool:
    return isinstance(one, Rate) and isinstance(other, Rate) and one.ceiling > other.ceiling


def _share(rung: Rung) -> Decimal:
    """A spot rung without a share is bought whole."""
    return rung.spot_share_above_base or ALL


def _line(group: Group, rung: Rung, kind: str, count: Counts, price: Rate) -> Line:
    most, expected, least = count
    hours = group.wishes.hours
    likely = None
    if expected is not None and price.expected is not None:
        likely = expected * price.expected
    return Line(
        group=group.name,
        subject=group.subject,
        name=group.name,
        kind=kind,
        item=price.machine,
        region=rung.region,
        quantity=most,
        unit="hour",
        status="priced",
        rate=price.ceiling,
        per_hour=most * price.ceiling,
        per_month=most * over(month_hours(group), price.ceiling, price.tiers),
        per_run=(None if hours is None else most * over(hours, price.ceiling, price.tiers)),
        expected_per_hour=likely,
        expected_as_of=price.expected_as_of,
        minimum_per_hour=None if least is None else least * price.ceiling,
        source=price.source,
        as_of=price.as_of,
        note="; ".join(filter(None, (price.note, _of_rung(rung)))),
        origin=price.origin,
    )


def _of_rung(rung: Rung) -> str:
    """What a reader has to know of machines that are kept for somebody."""
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
