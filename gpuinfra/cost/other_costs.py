"""The cost of items other than machines: disks, networks, buckets, unjudged resources."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.clouds import CLOUDS, canonical, provider_of
from gpuinfra.clouds.billing import SMALL_CHARGES_LIMIT
from gpuinfra.cost.machines import expected_machines
from gpuinfra.cost.pricing_terms import PricingTerms
from gpuinfra.cost.quote import Line, Status
from gpuinfra.cost.run_hours import expected_hours, month_hours, run_hours
from gpuinfra.model import Group, Item, NotJudged, Price, Rung, Unknown
from gpuinfra.units import HOURS_PER_MONTH
from gpuinfra.urns import type_of


def item_line(
    item: Item, terms: PricingTerms, group: Group | None = None, rung: Rung | None = None
) -> Line:
    """Return the line of one item at its maximum, in its own region or that of the rung."""
    region = item.region or (rung.region if rung else "")
    price = terms.prices.list_price(item.cloud, item.item, region, item.mode)
    reason = _why_unpriced(item, price, group, region, terms)
    if item.quantity is None and price is None:
        # Outside every cap at any price, so nothing is refused for it.
        return _unpriced_line(item, group, region, "rate", reason)
    if price is None or reason:
        token = provider_of(item.cloud).prices.token(item.item)
        own_type = token if item.group else type_of(item.resource) or token
        if terms.leaves_out(token) or terms.leaves_out(own_type):
            return _unpriced_line(item, group, region, "not-counted", reason)
        excludes = f" (prices: {{not_counted: [{own_type}]}} would exclude it)" if own_type else ""
        exclusion_text = "" if reason == item.quantity_hint else excludes
        return _unpriced_line(item, group, region, "unpriced", f"{reason}{exclusion_text}")
    if item.quantity is None:
        note = price.remark if price.origin == "bound" else ""
        return _unpriced_line(item, group, region, "rate", note, price)
    return _priced_line(item, group, rung, region, price)


NO_PRICE_PREFIX: Final = "no price is known: "
_AT_MOST_NOTE: Final = "{} counts at its highest price of all regions"


def unjudged_lines(resources: Sequence[NotJudged], terms: PricingTerms) -> Iterator[Line]:
    """Yield the lines of resources that no table judges; small charges count if they add up."""
    lines = [unjudged_line(resource, terms) for resource in resources]
    small = [
        resource.hourly_maximum
        if line.status == "not-counted" and not terms.leaves_out(resource.type)
        else Decimal(0)
        for resource, line in zip(resources, lines, strict=True)
    ]
    are_counted = sum(small) >= SMALL_CHARGES_LIMIT
    for line, cost in zip(lines, small, strict=True):
        yield _line_at_maximum(line, cost) if are_counted and cost else line


def _line_at_maximum(line: Line, cost: Decimal) -> Line:
    """Return a line that counts at its resource's maximum cost per hour."""
    return replace(
        line,
        quantity=Decimal(1),
        unit="hour",
        status="priced",
        rate=cost,
        per_hour=cost,
        per_month=cost * HOURS_PER_MONTH,
        expected_per_hour=cost,
        minimum_per_hour=cost,
        note=_AT_MOST_NOTE.format(line.item),
    )


def unjudged_line(resource: NotJudged, terms: PricingTerms) -> Line:
    """Return the line of a resource that no table judges: free, left out of caps, or unpriced.

    A row on its type says nothing of what its own inputs start.
    """
    token = canonical(resource.type)
    free = (provider_of(cloud).prices.free_type_row(token) for cloud in CLOUDS)
    row = next(filter(None, free), None) if resource.by_type else None
    status: Status = "unpriced"
    if row is not None:
        status = "free"
    elif terms.leaves_out(resource.type) or _left_out(resource, terms):
        status = "not-counted"
    return Line(
        group=None,
        subject=resource.subject,
        name=resource.subject,
        kind="resource",
        item=resource.type,
        region="",
        quantity=None,
        unit="",
        status=status,
        source=row.source if row else "",
        as_of=row.as_of if row else "",
        note=row.notes if row else _why_unjudged(resource),
    )


def _why_unjudged(resource: NotJudged) -> str:
    reason = resource.reason
    return reason if resource.lacks_price else f"{NO_PRICE_PREFIX}{reason}"


def _left_out(resource: NotJudged, terms: PricingTerms) -> bool:
    """Return whether the caps cover only machines, and the resource can't start any."""
    return not (resource.may_start_machines or terms.covers_everything)


def _why_unpriced(
    item: Item, price: Price | None, group: Group | None, region: str, terms: PricingTerms
) -> str:
    if isinstance(item.quantity, Unknown) and item.quantity_hint:
        return item.quantity_hint
    if price is None:
        return terms.prices.why_unpriced(item.cloud, item.item, region, item.mode)
    if isinstance(item.quantity, Unknown):
        return f"the amount of {item.item} is not known yet"
    if item.per_machine and group is not None and isinstance(group.ceiling, Unknown):
        return f"the number of machines billed for {item.item} is not known yet"
    if item.quantity is not None and not item.monthly and _hourly(price.unit) is None:
        return f"a price per {price.unit} does not convert to a cost per hour"
    return ""


def _hourly(unit: str) -> Decimal | None:
    """Return the hours that a unit lasts; None for a unit without time."""
    if unit == "hour" or unit.endswith("-hour"):
        return Decimal(1)
    if unit == "day":
        return Decimal(24)
    return HOURS_PER_MONTH if unit == "month" or unit.endswith("-month") else None


def _priced_line(
    item: Item, group: Group | None, rung: Rung | None, region: str, price: Price
) -> Line:
    hours = HOURS_PER_MONTH if item.monthly else _hourly(price.unit)
    if hours is None or not isinstance(item.quantity, Decimal):
        raise TypeError(f"{item.item} has no cost per hour")
    count: Decimal = Decimal(1)
    likely: Decimal | None = count
    least: Decimal | None = count
    lasts, month, run = HOURS_PER_MONTH, HOURS_PER_MONTH, None
    if item.per_machine and group is not None and not isinstance(group.ceiling, Unknown):
        count, likely = Decimal(group.ceiling), expected_machines(group)
        least = None if isinstance(group.minimum, Unknown) else Decimal(group.minimum)
        run = run_hours(group, rung)
        if not item.kept_when_stopped:
            lasts, month = month_hours(group), expected_hours(group, rung)
    quantity = item.quantity * count
    cost = quantity * price.per_unit
    per_hour = item.quantity * price.per_unit / hours
    return Line(
        group=item.group,
        subject=item.subject,
        name=item.name,
        kind=item.kind,
        item=item.item,
        region=region,
        quantity=quantity,
        unit=price.unit,
        status="priced" if price.per_unit else "free",
        rate=price.per_unit,
        per_hour=cost / hours,
        per_month=cost * lasts / hours,
        per_run=None if run is None else cost * run / hours,
        expected_per_hour=None if likely is None else per_hour * likely,
        expected_per_month=None if likely is None else per_hour * likely * month,
        minimum_per_hour=None if least is None else per_hour * least,
        expected_as_of=price.as_of,
        source=price.source,
        as_of=price.as_of,
        note=price.remark,
        origin=price.origin,
    )


def _unpriced_line(
    item: Item,
    group: Group | None,
    region: str,
    status: Status,
    note: str,
    price: Price | None = None,
) -> Line:
    return Line(
        group=item.group if group is None else group.name,
        subject=item.subject,
        name=item.name,
        kind=item.kind,
        item=item.item,
        region=region,
        quantity=None,
        unit=price.unit if price else item.unit,
        status=status,
        rate=price.per_unit if price else None,
        source=price.source if price else "",
        as_of=price.as_of if price else "",
        note=note,
        origin=price.origin if price else "catalog",
    )
