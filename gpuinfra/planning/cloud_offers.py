"""The offers of clouds for a workload, with their hourly cost."""

from collections.abc import Callable
from decimal import Decimal

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog.rates import rung_rate
from gpuinfra.errors import Problem
from gpuinfra.model import Group, Item, Unknown
from gpuinfra.records import record


@record
class CloudOffer:
    """A workload planned on one cloud: its machines, or why that is impossible.

    `costs` returns what it would pay besides machines; only a comparison of clouds asks for it.
    """

    cloud: str
    group: Group | None
    costs: Callable[[], tuple[Item, ...]]
    problems: tuple[Problem, ...]

    @property
    def group_if_offered(self) -> Group | None:
        """The group, if the workload can run on this cloud; else None."""
        return None if self.problems else self.group


@record
class ColocatedWorkloads:
    """Workloads that must be on one cloud, because they share buckets.

    `required_cloud` is the cloud that the own region of bucket `required_by` demands; `buckets`
    are those shared.
    """

    workloads: tuple[str, ...]
    buckets: tuple[str, ...] = ()
    required_cloud: str | None = None
    required_by: str = ""


def machines_price(offer: CloudOffer, prices: PriceBook) -> Decimal | None:
    """Return the hourly cost of an offer's machines on its first rung; None when unknown."""
    group = offer.group
    if group is None or isinstance(group.maximum, Unknown):
        return None
    rung = group.rungs[0]
    base = min(rung.on_demand_base, group.maximum)
    rates = (
        (base, rung_rate(offer.cloud, rung, prices, "on-demand")),
        (group.maximum - base, rung_rate(offer.cloud, rung, prices)),
    )
    amounts = [count * rate.amount for count, rate in rates if count and rate.priced]
    return (
        sum(amounts, Decimal(0)) if len(amounts) == sum(count > 0 for count, _ in rates) else None
    )


def has_usable_fabric(group: Group) -> bool:
    """Return whether machines have a fabric that their image isn't known to be unable to use."""
    return group.fabric is not None and group.fabric.driver_image is not False


def unpriced_items(offer: CloudOffer, prices: PriceBook) -> tuple[str, ...]:
    """Return the items other than machines without a list price at the first rung's location."""
    if offer.group is None:
        return ()
    region = offer.group.rungs[0].region
    return tuple(
        item.item
        for item in offer.costs()
        if item.quantity is not None
        and prices.service(offer.cloud, item.item, item.region or region) is None
    )
