"""The conversion of a `prices.yaml` into price book rows, each marked as the user's."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.gpus import gpu as gpu_of
from gpuinfra.catalog.price_book import OWN_CLOUD, round_amount, times
from gpuinfra.clouds import priced_cloud_of
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
from gpuinfra.stackfile.files import ParsedFile
from gpuinfra.units import (
    BYTES,
    format_duration,
    format_money,
    format_share,
    format_unit_price,
    hours,
)

LIST: Final = "list"


@record
class PriceOverride:
    """A user's price row, with its position, its last day, and the number of machines covered."""

    row: Price
    location: str
    position: Position
    until: date | None = None
    covers: int | None = None


@record
class AppliedDiscount:
    """A user's discount, with its position as text."""

    discount: Discount
    location: str

    def applies_to(self, row: Price) -> bool:
        """Return whether the discount applies to a list price."""
        discount = self.discount
        mode = SERVICES if row.mode == LIST else row.mode
        return (
            row.cloud == discount.cloud
            and mode in discount.modes
            and (discount.machines is None or row.item in discount.machines)
            and (discount.regions is None or row.region in discount.regions)
        )

    def discount_price(self, row: Price) -> Price:
        """Return a list price less the discount, with its date, since it ages like any other."""
        share = self.discount.off
        if not share:
            return row
        discount_source = _source_text(self.location, self.discount.note)
        source = f"{discount_source}: {format_share(share)} off {row.source}"
        return replace(row, **times(row, 1 - share), source=source, origin="user")


def of_machines(file: ParsedFile[PriceFile], name: str) -> Iterator[PriceOverride]:
    """Yield the machine prices; `name` is the name of the file in a row's source."""
    for index, price in enumerate(file.form.prices):
        position = file.spans.nearest(("prices", index))
        location = _position_text(name, position)
        remarks = (price.note, price.basis)
        row = _price(
            price, file.form, location, price.machine, price.mode, _per_hour(price), *remarks
        )
        row = replace(
            row,
            tiers=tuple((hours(tier.after), tier.per_hour) for tier in price.tiers),
            remark=_prepaid_text(price, row, location),
            prepaid=round_amount(_upfront_per_hour(price) / _per_hour(price)),
        )
        yield PriceOverride(
            row=row,
            location=location,
            position=position,
            until=price.until,
            covers=price.covers,
        )


def of_services(file: ParsedFile[PriceFile], name: str) -> Iterator[PriceOverride]:
    """Yield the service prices, each in the unit of the list price."""
    for index, service in enumerate(file.form.services):
        position = file.spans.nearest(("services", index))
        text = _position_text(name, position)
        row = _price(service, file.form, text, service.item, LIST, service.per_unit, service.note)
        row = replace(row, unit=unit_of(service.cloud, service.item))
        yield PriceOverride(row=row, location=text, position=position, until=service.until)


def of_hardware(file: ParsedFile[PriceFile], name: str) -> Iterator[tuple[Machine, PriceOverride]]:
    """Yield the user's own machines, each with its price."""
    for machine, hardware in file.form.hardware.items():
        position = file.spans.nearest(("hardware", machine), key=True)
        position_text = _position_text(name, position)
        row = _price(
            hardware,
            file.form,
            position_text,
            machine,
            ON_DEMAND,
            hardware.per_hour,
            hardware.note,
        )
        override = PriceOverride(
            row=row, location=position_text, position=position, until=hardware.until
        )
        yield _machine(machine, hardware, position_text), override


def of_discounts(file: ParsedFile[PriceFile], name: str) -> Iterator[AppliedDiscount]:
    """Yield the discounts in the order of the file."""
    for index, discount in enumerate(file.form.discounts):
        yield AppliedDiscount(
            discount=discount,
            location=_position_text(name, file.spans.nearest(("discounts", index))),
        )


def unit_of(cloud: str, item: str) -> str:
    """Return the unit of a service's list prices; empty when there are none."""
    provider = priced_cloud_of(cloud)
    rows = (
        row
        for region in provider.regions.all()
        for row in provider.prices.rows(item, region, LIST)
    )
    return next((row.unit for row in rows), "")


def _price(
    row: MachinePrice | ServicePrice | Hardware,
    file: PriceFile,
    location: str,
    item: str,
    mode: str,
    amount: Decimal,
    *source_words: str | None,
) -> Price:
    return Price(
        cloud=OWN_CLOUD if isinstance(row, Hardware) else row.cloud,
        item=item,
        region=row.region,
        zone=None,
        mode=mode,
        unit="hour",
        per_unit=round_amount(amount),
        currency=row.currency or file.currency,
        source=_source_text(location, *source_words),
        as_of="",
        origin="user",
    )


def _per_hour(price: MachinePrice) -> Decimal:
    """Return the price of an hour, including its share of the upfront price."""
    return _upfront_per_hour(price) + (price.per_hour or Decimal(0))


def _upfront_per_hour(price: MachinePrice) -> Decimal:
    """Return an hour's share of the upfront price, used or not."""
    return price.paid / hours(price.term) if price.paid and price.term else Decimal(0)


def _prepaid_text(price: MachinePrice, row: Price, location: str) -> str:
    if price.paid is None or price.term is None:
        return ""
    code = row.currency
    note = f" and {format_unit_price(price.per_hour, code)} an hour" if price.per_hour else ""
    rate = format_unit_price(row.per_unit, code)
    return (
        f"{price.machine} in {price.region}: {format_money(price.paid, code)} paid for"
        f" {format_duration(price.term)}{note} are {rate} an hour, used or not ({location})"
    )


def _machine(name: str, hardware: Hardware, location: str) -> Machine:
    key, _, count = hardware.gpu.partition(":")
    gpu_row = gpu_of(key)
    memory = None if hardware.memory is None else Decimal(hardware.memory) / BYTES["GiB"]
    return Machine(
        cloud=OWN_CLOUD,
        type=name,
        gpu=key,
        gpu_count=Decimal(count),
        gpu_memory_gib=None,
        gpu_memory_nominal_gb=None if gpu_row is None else gpu_row.memory_gb,
        vcpu=hardware.vcpu,
        memory_gib=memory,
        local_storage_gb=None,
        network_gbps=None,
        fabric=None,
        fabric_interfaces=None,
        fabric_gbps=None,
        network_cards=None,
        interfaces_per_card=None,
        nvlink=hardware.nvlink,
        nvlink_gbs=None,
        nvlink_domain=None if hardware.nvlink is None else int(count) if hardware.nvlink else 1,
        architecture=hardware.architecture,
        usage_classes=(ON_DEMAND,),
        status="current",
        regions=(hardware.region,),
        source=_source_text(location, hardware.note),
        as_of="",
    )


def _position_text(name: str, position: Position) -> str:
    return f"{name}:{position.line}"


def _source_text(position_text: str, *source_words: str | None) -> str:
    notes = ", ".join(word for word in source_words if word)
    return f"yours: {position_text}" + (f" ({notes})" if notes else "")
