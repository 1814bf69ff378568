"""From what a `prices.yaml` says to rows of the price book, each marked as the user's."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.book import OWN, rounded, times
from gpuinfra.catalog.gpus import gpu as gpu_of
from gpuinfra.clouds import priced
from gpuinfra.errors import Position
from gpuinfra.model import Machine, Price
from gpuinfra.price_overrides.schema import (
    ON_DEMAND,
    SERVICES,
    Discount,
    Hardware,
    MachinePrice,
    PriceFile,
    ServicePrice,
)
from gpuinfra.records import record
from gpuinfra.stackfile.files import Filed
from gpuinfra.units import BYTES, format_duration, format_money, format_share, hours

LIST: Final = "list"


@record
class Own:
    """A row of the user's: its place, its last day, and how many machines it is for."""

    row: Price
    at: str
    position: Position
    until: date | None = None
    covers: int | None = None


@record
class Off:
    """A discount of the user's, with its place in words."""

    discount: Discount
    at: str

    def fits(self, row: Price) -> bool:
        """Whether a list price is one of those that it is taken off."""
        one = self.discount
        mode = SERVICES if row.mode == LIST else row.mode
        return (
            row.cloud == one.cloud
            and mode in one.modes
            and (one.machines is None or row.item in one.machines)
            and (one.regions is None or row.region in one.regions)
        )

    def taken(self, row: Price) -> Price:
        """A list price less the discount; it keeps its date, as it ages like any other."""
        share = self.discount.off
        if not share:
            return row
        mine = _yours(self.at, self.discount.note)
        source = f"{mine}: {format_share(share)} off {row.source}"
        return replace(row, **times(row, 1 - share), source=source, origin="user")


def of_machines(file: Filed[PriceFile], name: str) -> Iterator[Own]:
    """The prices of machines; `name` is what a row's source calls the file."""
    for index, one in enumerate(file.form.prices):
        position = file.marks.nearest(("prices", index))
        at = _at(name, position)
        words = (one.note, one.basis)
        row = _price(one, file.form, at, one.machine, one.mode, _per_hour(one), *words)
        row = replace(
            row,
            tiers=tuple((hours(tier.after), tier.per_hour) for tier in one.tiers),
            said=_paid(one, row, at),
            prepaid=rounded(_beforehand(one) / _per_hour(one)),
        )
        yield Own(
            row=row,
            at=at,
            position=position,
            until=one.until,
            covers=one.covers,
        )


def of_services(file: Filed[PriceFile], name: str) -> Iterator[Own]:
    """The prices of what is no machine; each in the unit of the list price."""
    for index, one in enumerate(file.form.services):
        position = file.marks.nearest(("services", index))
        at = _at(name, position)
        row = _price(one, file.form, at, one.item, LIST, one.per_unit, one.note)
        row = replace(row, unit=unit_of(one.cloud, one.item))
        yield Own(row=row, at=at, position=position, until=one.until)


def of_hardware(file: Filed[PriceFile], name: str) -> Iterator[tuple[Machine, Own]]:
    """The user's own machines, each with its price."""
    for machine, one in file.form.hardware.items():
        position = file.marks.nearest(("hardware", machine), key=True)
        at = _at(name, position)
        row = _price(one, file.form, at, machine, ON_DEMAND, one.per_hour, one.note)
        own = Own(row=row, at=at, position=position, until=one.until)
        yield _machine(machine, one, at), own


def of_discounts(file: Filed[PriceFile], name: str) -> Iterator[Off]:
    """The discounts in the order of the file."""
    for index, one in enumerate(file.form.discounts):
        yield Off(discount=one, at=_at(name, file.marks.nearest(("discounts", index))))


def unit_of(cloud: str, item: str) -> str:
    """The unit in which the list prices of a service are; empty when there are none."""
    known = priced(cloud)
    rows = (row for region in known.regions.all() for row in known.prices.rows(item, region, LIST))
    return next((row.unit for row in rows), "")


def _price(
    one: MachinePrice | ServicePrice | Hardware,
    file: PriceFile,
    at: str,
    item: str,
    mode: str,
    amount: Decimal,
    *words: str | None,
) -> Price:
    return Price(
        cloud=OWN if isinstance(one, Hardware) else one.cloud,
        item=item,
        region=one.region,
        zone=None,
        mode=mode,
        unit="hour",
        per_unit=rounded(amount),
        currency=one.currency or file.currency,
        source=_yours(at, *words),
        as_of="",
        origin="user",
    )


def _per_hour(one: MachinePrice) -> Decimal:
    """What an hour costs, with the share of it in what was paid beforehand."""
    return _beforehand(one) + (one.per_hour or Decimal(0))


def _beforehand(one: MachinePrice) -> Decimal:
    """The share of an hour in what was paid beforehand, used or not."""
    return one.paid / hours(one.term) if one.paid and one.term else Decimal(0)


def _paid(one: MachinePrice, row: Price, at: str) -> str:
    if one.paid is None or one.term is None:
        return ""
    code = row.currency
    more = f" and {format_money(one.per_hour)} an hour" if one.per_hour else ""
    return (
        f"{one.machine} in {one.region}: {format_money(one.paid)} {code} paid for"
        f" {format_duration(one.term)}{more} are {format_money(row.per_unit)} {code} an hour,"
        f" used or not ({at})"
    )


def _machine(name: str, one: Hardware, at: str) -> Machine:
    key, _, count = one.gpu.partition(":")
    known = gpu_of(key)
    memory = None if one.memory is None else Decimal(one.memory) / BYTES["GiB"]
    return Machine(
        cloud=OWN,
        type=name,
        gpu=key,
        gpu_count=Decimal(count),
        gpu_memory_gib=None,
        gpu_memory_nominal_gb=None if known is None else known.memory_gb,
        vcpu=one.vcpu,
        memory_gib=memory,
        local_storage_gb=None,
        network_gbps=None,
        fabric=None,
        fabric_interfaces=None,
        fabric_gbps=None,
        network_cards=None,
        interfaces_per_card=None,
        nvlink=one.nvlink,
        nvlink_gbs=None,
        nvlink_domain=None if one.nvlink is None else int(count) if one.nvlink else 1,
        architecture=one.architecture,
        usage_classes=(ON_DEMAND,),
        status="current",
        regions=(one.region,),
        source=_yours(at, one.note),
        as_of="",
    )


def _at(name: str, position: Position) -> str:
    return f"{name}:{position.line}"


def _yours(at: str, *words: str | None) -> str:
    said = ", ".join(word for word in words if word)
    return f"yours: {at}" + (f" ({said})" if said else "")
