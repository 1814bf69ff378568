"""Sums SKUs of the Cloud Billing catalog to the price of a machine type."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Final

from pydantic import Field

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.refreshing.camel_case import CamelCaseModel
from gpuinfra.model import Machine
from gpuinfra.records import record

_HOURS_PER_MONTH: Final = 730
_NANO: Final = Decimal(10) ** -9
_MODES: Final = {
    "OnDemand": "on-demand",
    "Preemptible": "spot",
    "Commit1Yr": "committed-1y",
    "Commit3Yr": "committed-3y",
}
_USAGE_SKU: Final = re.compile(
    r"(Spot Preemptible |Preemptible )?(?P<name>.+?)"
    r"( attached to Spot Preemptible VMs)?((?: running)? in .+)?"
)
_COMMITMENT_NAME: Final = re.compile(
    r"Commitment v1: (?P<name>.+?)(?: running)? in .+ for \d Years?"
)
"""A whole name counts, so that one of a reservation, of sole tenancy, of a custom shape, of a
defined duration or of calendar mode is another's."""

_HOURLY: Final = frozenset({"h", "GiBy.h"})
_MONTHLY: Final = "GiBy.mo"


# What is empty is left out of the answer: https://protobuf.dev/programming-guides/json/


class _Category(CamelCaseModel):
    resource_family: str = ""
    usage_type: str = ""


class _Money(CamelCaseModel):
    currency_code: str
    units: int = 0
    nanos: int = 0

    @property
    def amount(self) -> Decimal:
        """The amount of both parts as one number."""
        return self.units + self.nanos * _NANO


class _Rate(CamelCaseModel):
    start_usage_amount: Decimal = Decimal(0)
    unit_price: _Money


class _Expression(CamelCaseModel):
    usage_unit: str = ""
    tiered_rates: list[_Rate] = Field(default_factory=list)


class _Pricing(CamelCaseModel):
    effective_time: datetime
    pricing_expression: _Expression


class Sku(CamelCaseModel):
    """A SKU, as documented at https://docs.cloud.google.com/billing/v1/how-tos/catalog-api."""

    description: str = ""
    category: _Category = _Category()
    service_regions: list[str] = Field(default_factory=list)
    pricing_info: list[_Pricing] = Field(default_factory=list)


@record(kw_only=False)
class SkuFormula:
    """The names of the SKUs that a machine type is billed by."""

    core: str | None
    ram: str | None
    gpus: tuple[str, ...]
    ssd: str | None
    commit: str | None

    def possible_sku_parts(
        self, machine: Machine, mode: str
    ) -> Iterator[tuple[tuple[str, ...], Decimal | int | None]]:
        """Yield the possible names of each part, and the machine's amount of it, if known."""
        committed = mode.startswith("committed")
        core, ram, ssd = self.core, self.ram, self.ssd
        if committed:
            core, ram, ssd = f"{self.commit} Cpu", f"{self.commit} Ram", "Local SSD"
        if core is not None:
            yield (core,), machine.vcpu
        if ram is not None:
            yield (ram,), machine.memory_gib
        yield self.gpus, machine.gpu_count
        if ssd is not None and machine.local_storage_gb != 0:
            yield (ssd,), machine.local_storage_gb


@record(kw_only=False)
class UnitRate:
    """The price of a unit per hour, and the date from which the catalog has it."""

    per_hour: Decimal
    effective: datetime


Rates = Mapping[tuple[str, str, str], Sequence[UnitRate]]
"""By the SKU's name, the region and the mode."""


class SkuSumError(Exception):
    """The error for a machine type that can't be summed; the message says why."""


def sku_name(sku: Sku) -> tuple[str, str] | None:
    """Return a SKU's name and billing mode; None when it is no part of a machine."""
    mode = _MODES.get(sku.category.usage_type)
    if mode is None or sku.category.resource_family not in {"Compute", "Storage"}:
        return None
    form = _COMMITMENT_NAME if mode.startswith("committed") else _USAGE_SKU
    match = form.fullmatch(sku.description)
    return (match["name"], mode) if match else None


def is_needed_sku(sku: Sku) -> bool:
    """Return whether any machine type is billed by a SKU."""
    name_of_sku = sku_name(sku)
    return name_of_sku is not None and name_of_sku[0] in _sku_names()


def rates(skus: Sequence[Sku]) -> Rates:
    """Return the rates of each name in each region and mode, all where there are several."""
    by_key: dict[tuple[str, str, str], list[UnitRate]] = {}
    for sku in skus:
        name_of_sku, rate = sku_name(sku), _rate(sku)
        if name_of_sku is not None and rate is not None:
            for region in sku.service_regions:
                by_key.setdefault((name_of_sku[0], region, name_of_sku[1]), []).append(rate)
    return by_key


def total(machine: Machine, region: str, mode: str, rates: Rates) -> UnitRate | None:
    """Return the price of a machine type per hour; None where its GPU has none.

    Raises:
        PartsError: the GPU has a price, but another part has none, or two that differ.
    """
    recipe = recipes(machine.type)
    if recipe is None or (mode.startswith("committed") and not _has_commitments(machine, recipe)):
        return None
    if not any((name, region, mode) in rates for name in recipe.gpus):
        return None
    per_hour, days = Decimal(0), []
    for names, quantity in recipe.possible_sku_parts(machine, mode):
        try:
            rate = _part(names, quantity, [rates.get((name, region, mode), ()) for name in names])
        except SkuSumError as error:
            raise SkuSumError(f"{machine.type} {mode} in {region}: {error}") from None
        per_hour += rate.per_hour
        days.append(rate.effective)
    return UnitRate(round(per_hour, 6), min(days))


def _part(
    names: Sequence[str], quantity: Decimal | int | None, rates: Sequence[Sequence[UnitRate]]
) -> UnitRate:
    by_price = {
        candidate.per_hour: candidate for rates_of_sku in rates for candidate in rates_of_sku
    }
    name = " / ".join(names)
    if quantity is None:
        raise SkuSumError(f"its amount of {name} is unknown")
    if len(by_price) != 1:
        raise SkuSumError(f"{name} has {'prices that differ' if by_price else 'no price'}")
    (rate,) = by_price.values()
    if rate.per_hour <= 0:
        raise SkuSumError(f"the price of {name} is {rate.per_hour}; it must be above 0")
    return UnitRate(rate.per_hour * quantity, rate.effective)


def _has_commitments(machine: Machine, recipe: SkuFormula) -> bool:
    """Return whether a machine type has commitments: its GPUs only with a reservation.

    https://docs.cloud.google.com/compute/docs/instances/committed-use-discounts-overview
    """
    return recipe.commit is not None and "reservation" in machine.usage_classes


def recipes(type_: str) -> SkuFormula | None:
    """Return the SKUs that a machine type is billed by; None when the table has none."""
    fitting = [start for start in _recipes() if type_.startswith(start)]
    return _recipes()[max(fitting, key=len)] if fitting else None


@cache
def _recipes() -> dict[str, SkuFormula]:
    return {
        row["start"]: SkuFormula(
            row["core"], row["ram"], tuple(row["gpus"]), row["ssd"], row["commit"]
        )
        for row in TABLES.rows("skus")
    }


@cache
def _sku_names() -> frozenset[str]:
    names = {"Local SSD"}
    for recipe in _recipes().values():
        names.update(recipe.gpus, {f"{recipe.commit} Cpu", f"{recipe.commit} Ram"})
        names.update(name for name in (recipe.core, recipe.ram, recipe.ssd) if name is not None)
    return frozenset(names)


def _rate(sku: Sku) -> UnitRate | None:
    """Return the rate of the first unit; None if not billed by time, or not in US dollars."""
    if not sku.pricing_info or not sku.pricing_info[-1].pricing_expression.tiered_rates:
        return None
    pricing = sku.pricing_info[-1]
    expression = pricing.pricing_expression
    money = min(expression.tiered_rates, key=lambda rate: rate.start_usage_amount).unit_price
    if money.currency_code != "USD":
        return None
    if expression.usage_unit in _HOURLY:
        return UnitRate(money.amount, pricing.effective_time)
    if expression.usage_unit == _MONTHLY:
        return UnitRate(money.amount / _HOURS_PER_MONTH, pricing.effective_time)
    return None
