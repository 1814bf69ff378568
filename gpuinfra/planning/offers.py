"""What a cloud offers a workload, and what that costs an hour."""

from collections.abc import Callable
from decimal import Decimal

from gpuinfra.catalog import Book, dearest, earliest
from gpuinfra.errors import Problem
from gpuinfra.model import OUTDATED_AFTER_DAYS, Group, Item, Price, Rung, Unknown
from gpuinfra.records import record
from gpuinfra.units import format_money


@record
class Offer:
    """A workload planned on one cloud: its machines, or why that can't be.

    `costs` returns what it would pay besides machines; only a comparison of clouds asks for it.
    """

    cloud: str
    group: Group | None
    costs: Callable[[], tuple[Item, ...]]
    problems: tuple[Problem, ...]

    @property
    def standing(self) -> Group | None:
        """The group, where the workload can stand there."""
        return None if self.problems else self.group


@record
class Tie:
    """Workloads that stand on one cloud together, because they share buckets.

    `only` is the cloud that the own region of bucket `by` demands; `buckets` are those shared.
    """

    workloads: tuple[str, ...]
    buckets: tuple[str, ...] = ()
    only: str | None = None
    by: str = ""


@record(kw_only=False)
class Rate:
    """What one machine costs an hour: the newest price or, where nobody knows, its ceiling.

    `day` is that of a spot price, which moves; `own` says that the price is the user's own.
    """

    amount: Decimal
    most: bool = False
    day: str = ""
    own: bool = False

    def __str__(self) -> str:
        most = "most " if self.most else ""
        own = ", a price of yours" if self.own else ""
        return f"{most}{format_money(self.amount)} an hour{self.day and f' ({self.day})'}{own}"


def machines_price(offer: Offer, prices: Book) -> Decimal | None:
    """What all machines of an offer cost an hour on its first rung; None when nobody knows."""
    group = offer.group
    if group is None or isinstance(group.maximum, Unknown):
        return None
    rung = group.rungs[0]
    base = min(rung.on_demand_base, group.maximum)
    rates = (
        (base, _listed(offer.cloud, rung, prices, "on-demand")),
        (group.maximum - base, rate(offer.cloud, rung, prices)),
    )
    known = [count * one.amount for count, one in rates if count and one is not None]
    return sum(known, Decimal(0)) if len(known) == sum(count > 0 for count, _ in rates) else None


def rate(cloud: str, rung: Rung, prices: Book) -> Rate | None:
    """What one machine of a rung costs an hour; None when nobody knows.

    A spot price that is long past when the machine's list price was read decides nothing: spot
    then counts at its ceiling.
    """
    if rung.capacity != "spot":
        return _listed(cloud, rung, prices, rung.capacity)
    today = prices.spot(cloud, rung.machine, rung.region, rung.zones)
    if today is not None and not _stale(today, prices.on_demand(cloud, rung.machine, rung.region)):
        return Rate(dearest(today), day=today.as_of, own=today.origin == "user")
    if rung.max_price is not None:
        return Rate(rung.max_price, most=True)
    ceiling = prices.spot_ceiling(cloud, rung.machine, rung.region)
    return None if ceiling is None else Rate(ceiling.per_unit, most=True)


def _stale(spot_price: Price, listed: Price | None) -> bool:
    """Whether a spot price is older than the list price beside it by more than a year or so."""
    read, then = earliest(spot_price.as_of), earliest(listed.as_of) if listed else None
    return read is None or (then is not None and (then - read).days > OUTDATED_AFTER_DAYS)


def _listed(cloud: str, rung: Rung, prices: Book, mode: str) -> Rate | None:
    price = prices.listed(cloud, rung.machine, rung.region, mode)
    return None if price is None else Rate(price.per_unit, own=price.origin == "user")


def unpriced(offer: Offer, prices: Book) -> tuple[str, ...]:
    """The parts besides machines without a list price where the first rung stands."""
    if offer.group is None:
        return ()
    region = offer.group.rungs[0].region
    return tuple(
        one.item
        for one in offer.costs()
        if one.quantity is not None
        and prices.service(offer.cloud, one.item, one.region or region) is None
    )
