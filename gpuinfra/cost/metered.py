"""The monthly metered usage of a stack, priced: data out, between zones, through NAT, logs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.cost.other_costs import item_line
from gpuinfra.cost.pricing_terms import PricingTerms
from gpuinfra.cost.quote import Line, add
from gpuinfra.model import NOWHERE, Item, Plan

KINDS: Final[Mapping[str, str]] = {
    "data_out": "data to the internet",
    "between_zones": "data between zones",
    "between_regions": "data between regions",
    "nat_data": "data through NAT",
    "logs": "logs",
    "balancer_data": "data through load balancers",
    "requests": "requests to load balancers",
    "custom_metrics": "custom metrics",
}
"""The words of `usage`, and what they are in a quote."""

EVERYWHERE: Final = ("data_out", "between_zones")
"""The metered services that every stack can use; their rates are shown. NAT gateways and logs show
their own."""

Place = tuple[str, str]
"""A cloud and a region."""


def metered_lines(plan: Plan, terms: PricingTerms) -> Iterator[Line]:
    """Yield the priced monthly usage of a stack; a partial plan states none."""
    if plan.data is not None:
        cloud_regions = [place for place in plan.places if place[0] in CLOUDS]
        yield from usage_lines(plan.data, cloud_regions, terms)


def usage_lines(
    data: Mapping[str, Decimal], cloud_regions: Sequence[Place], terms: PricingTerms
) -> Iterator[Line]:
    """Yield lines for GB (10^9 bytes) and counts per month by kind; rates for unstated ones.

    How much of it is used where is not known, so all of it counts at the place, among those that
    the stack may be in, where it costs the most.
    """
    has_several_regions = len({region for _, region in cloud_regions}) > 1
    for kind in KINDS:
        amount = data.get(kind)
        if amount is not None:
            yield from _most_expensive_lines(kind, amount, cloud_regions, terms)
        elif kind in EVERYWHERE or (kind == "between_regions" and has_several_regions):
            yield from (_rate(kind, place, terms) for place in cloud_regions)


def not_metered(items: Iterable[Item], data: Mapping[str, Decimal] | None) -> Iterable[Item]:
    """Return a plan's items without the rates of usage that is stated for the whole stack."""
    known_items = {
        (cloud, item)
        for kind in data or ()
        for cloud in CLOUDS
        for item, _ in provider_of(cloud).prices.usage_billing_rules[kind].tiers
    }
    return (
        item
        for item in items
        if item.quantity is not None or (item.cloud, item.item) not in known_items
    )


def _most_expensive_lines(
    kind: str, amount: Decimal, cloud_regions: Sequence[Place], terms: PricingTerms
) -> tuple[Line, ...]:
    """Return the lines of the location where this usage costs the most, or has no price."""
    lines_by_region = [tuple(_lines(kind, amount, place, terms)) for place in cloud_regions]
    unpriced = [
        lines for lines in lines_by_region if any(line.status == "unpriced" for line in lines)
    ]
    return max(
        unpriced or lines_by_region,
        key=lambda lines: add(lines).per_month,
        default=(_line_without_location(kind),),
    )


def _lines(kind: str, amount: Decimal, place: Place, terms: PricingTerms) -> Iterator[Line]:
    meter = provider_of(place[0]).prices.usage_billing_rules[kind]
    for item, part in meter.amounts_by_price_item(amount) if meter.billed else ():
        line = item_line(_item(kind, item, place, part), terms)
        if line.status == "unpriced":
            yield replace(line, note=f"{line.note}; {_prices_hint(kind)}")
        else:
            yield replace(line, note=line.note or meter.note)


def _rate(kind: str, place: Place, terms: PricingTerms) -> Line:
    tiers = provider_of(place[0]).prices.usage_billing_rules[kind].tiers
    return item_line(_item(kind, tiers[0][0] if tiers else "", place, None), terms)


def _item(kind: str, item: str, place: Place, quantity: Decimal | None) -> Item:
    cloud, region = place
    return Item(
        name="unknown region" if region == NOWHERE else region,
        subject=f"usage.{kind}",
        kind=KINDS[kind],
        cloud=cloud,
        item=item or kind.replace("_", "-"),
        unit=provider_of(cloud).prices.usage_billing_rules[kind].unit,
        quantity=quantity,
        region=region,
        monthly=True,
    )


def _line_without_location(kind: str) -> Line:
    """Return a line for usage of a stack without a known location."""
    return Line(
        group=None,
        subject=f"usage.{kind}",
        name=KINDS[kind],
        kind=KINDS[kind],
        item=kind.replace("_", "-"),
        region="",
        quantity=None,
        unit="GB",
        status="unpriced",
        note=f"no resource is in a known region; {_prices_hint(kind)}",
    )


def _prices_hint(kind: str) -> str:
    return f"set its price in prices.yaml, or remove usage: {kind}"
