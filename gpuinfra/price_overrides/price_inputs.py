"""Prices that override the tables, passed to a policy pack as root component inputs."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from pydantic import AliasChoices, Field

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog.price_book import CURRENCY, SPOT_CEILING, ceiling
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.model import Group, Plan, Price
from gpuinfra.price_overrides.schema import ON_DEMAND
from gpuinfra.specs import values as v
from gpuinfra.specs.fields import text, word_reader
from gpuinfra.specs.forms import Form, ListRule

LIST: Final = "list"

Key = tuple[str, str, str, str]

Word = Annotated[str, text(r"[A-Za-z0-9][A-Za-z0-9._+ -]*", "a name as in the price tables")]
Words = Annotated[str, text(r"[^\x00-\x1f\x7f]*", "one line of text", longest=2048)]
Origin = Annotated[Literal["user", "lock"], word_reader(("user", "lock"))]


class CarriedTier(Form):
    """A later price of an hour."""

    after: v.Cost = Field(description="Hours of continuous use after which it applies.")
    price: v.Cost = Field(description="US dollars an hour.")


class PriceInput(Form):
    """A price in US dollars that a plan needs and the shipped tables lack."""

    cloud: Word = Field(description="The cloud.")
    item: Word = Field(description="A machine type, or a service's key.")
    region: Word = Field(description="Where.")
    mode: Word = Field(description="Purchase option; list for services.")
    unit: Word = Field(description="Unit of the price: an hour, a GB-month.")
    price: v.Cost = Field(description="US dollars per unit.")
    maximum: v.Cost | None = Field(default=None, description="Maximum US dollars per unit.")
    source: Words = Field(description="Source of the price.")
    of: Words = Field(default="", description="Date of the price.")
    remark: Words = Field(
        default="",
        validation_alias=AliasChoices("remark", "said"),  # `said`: the key until 2026-11-28
        description="A note on the price.",
    )
    prepaid: v.Money = Field(
        default=Decimal(0), description="Share of the price paid upfront, 0 to 1."
    )
    origin: Origin = Field(description="user or lock.")
    tiers: Annotated[tuple[CarriedTier, ...], ListRule("tiers: [{after: 720, price: 2.38}]")] = (
        Field(default=(), description="Later prices.")
    )


CarriedRows = Annotated[tuple[PriceInput, ...], ListRule("ownPrices: [{cloud: aws, …}]")]


def needed_price_inputs(plan: Plan, prices: PriceBook) -> list[dict[str, Any]]:
    """Return the prices that a plan needs and the tables lack, as Pulumi passes them.

    Each is in US dollars already, so that a pack needs neither the user's file nor their rates.
    """
    return [_price_input(row) for row in _needed_rows(plan, prices)]


def rows(forms: Iterable[PriceInput]) -> tuple[Price, ...]:
    """Return carried prices as rows of the price book."""
    return tuple(
        Price(
            cloud=form.cloud,
            item=form.item,
            region=form.region,
            zone=None,
            mode=form.mode,
            unit=form.unit,
            per_unit=form.price,
            currency=CURRENCY,
            source=form.source,
            as_of=form.of,
            maximum=form.maximum,
            origin=form.origin,
            tiers=tuple((tier.after, tier.price) for tier in form.tiers),
            remark=form.remark,
            prepaid=form.prepaid,
        )
        for form in forms
    )


def only_dearer(rows: Iterable[Price], tables: PriceBook) -> tuple[Price, ...]:
    """Return the rows that are higher than the tables; rows without a table price are dropped.

    Args:
        rows: of a user or a lock, in US dollars.
        tables: what they are held against.
    """
    prices = (_raised_price(row, current(row.key, tables)) for row in rows)
    return tuple(row for row in prices if row is not None)


def _raised_price(row: Price, list_price: Price | None) -> Price | None:
    """Return a row with at least the list price everywhere; None if it is not higher anywhere."""
    if list_price is None or list_price.unit != row.unit:
        return None
    floor = ceiling(list_price)
    if max(ceiling(row), *(price for _, price in row.tiers), floor) == floor:
        return None
    return replace(
        row,
        per_unit=max(row.per_unit, floor),
        maximum=None if row.maximum is None else max(row.maximum, floor),
        tiers=tuple((from_amount, max(price, floor)) for from_amount, price in row.tiers),
    )


def _needed_rows(plan: Plan, prices: PriceBook) -> Iterator[Price]:
    """Yield the rows that a plan needs and that are the user's or a lock's, without duplicates."""
    regions_by_group = {group.name: [rung.region for rung in group.rungs] for group in plan.groups}
    keys = [key for group in plan.groups for key in _keys(group)]
    keys += [
        (item.cloud, item.item, region, LIST)
        for item in (
            *plan.items,
            *(item for network in plan.networks for item in network.maximum_items),
        )
        for region in (
            (item.region,) if item.region else regions_by_group.get(item.group or "", ())
        )
    ]
    keys += [
        (cloud, item, region, LIST)
        for kind in plan.data or ()
        for cloud, region in plan.places
        if cloud in CLOUDS
        for item, _ in provider_of(cloud).prices.usage_billing_rules[kind].tiers
    ]
    for key in dict.fromkeys(keys):
        row = current(key, prices)
        if row is not None and row.origin in {"user", "lock"}:
            yield row


def _keys(group: Group) -> Iterator[Key]:
    for rung in group.rungs:
        for machine in (rung.machine, *group.machines):
            for mode in (ON_DEMAND, rung.capacity, SPOT_CEILING):
                yield group.cloud, machine, rung.region, mode


def current(key: Key, prices: PriceBook) -> Price | None:
    """Return a book's effective price for a cloud, item, region and mode; None without one."""
    cloud, machine, region, mode = key
    if mode == "spot":
        return prices.spot(cloud, machine, region)
    if mode == SPOT_CEILING:
        return prices.spot_ceiling(cloud, machine, region)
    return prices.list_price(*key)


def _price_input(row: Price) -> dict[str, Any]:
    values: dict[str, Any] = {
        "cloud": row.cloud,
        "item": row.item,
        "region": row.region,
        "mode": row.mode,
        "unit": row.unit,
        "price": f"{row.per_unit:f}",
        "source": row.source,
        "origin": row.origin,
    }
    if row.maximum is not None:
        values["maximum"] = f"{row.maximum:f}"
    if row.as_of:
        values["of"] = row.as_of
    if row.remark:
        values["remark"] = row.remark
    if row.prepaid:
        values["prepaid"] = f"{row.prepaid:f}"
    if row.tiers:
        values["tiers"] = [
            {"after": f"{from_amount:f}", "price": f"{price:f}"}
            for from_amount, price in row.tiers
        ]
    return values
