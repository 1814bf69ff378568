"""Made-up catalogs: a few machines, most of them with prices, many of which are equal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from random import Random
from typing import Any

from gpuinfra.catalog import OfferedMachines, PriceBook
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Machine, Price

GB = 10**9
DAY = date(2026, 11, 21)
REGIONS = {"aws": ("us-east-1", "us-west-2"), "gcp": ("us-central1", "us-east4")}
MODES = {
    "aws": ("on-demand", "spot", "reserved-1y", "reserved-3y", "savings-1y", "savings-3y"),
    "gcp": tuple(
        mode
        for mode in priced_cloud_of("gcp").prices.modes()
        if mode in {"on-demand", "spot"} or mode.endswith(("-1y", "-3y"))
    ),
}
OWN_MODES = ("subscription-1y", "subscription-3y")  # which no table of the two has
GPUS: dict[str, dict[str, Any]] = {
    "H100-SXM-80GB": {"words": {"H100"}, "bf16": 989, "fp8": 1979, "bandwidth": 3350},
    "A100-SXM-40GB": {"words": {"A100", "A100-40GB"}, "bf16": 312, "fp8": None, "bandwidth": 1555},
    "T4": {"words": {"T4"}, "bf16": None, "fp8": None, "bandwidth": 320},
    "MI300X-192GB": {"words": {"MI300X"}, "bf16": 1307, "fp8": 2615, "bandwidth": 5300},
}


class Shelf(PriceBook):
    """A book whose tables are made up."""

    def __init__(self, tables: tuple[Price, ...], own: tuple[Price, ...], rates: Any) -> None:
        super().__init__(own, rates=rates)
        self.tables = tables

    def rows(self, cloud: str, item: str, region: str, mode: str) -> tuple[Price, ...]:
        for rows in (self.own_rows, self.tables):
            matches = tuple(
                row
                for row in rows
                if (row.cloud, row.item, row.region, row.mode) == (cloud, item, region, mode)
            )
            if matches:
                return matches
        return ()

    def spot_ceiling(self, cloud: str, machine: str, region: str) -> Price | None:
        key = (cloud, machine, region, "on-demand")
        return self._newest(
            row for row in self.tables if (row.cloud, row.item, row.region, row.mode) == key
        )


@dataclass(frozen=True)
class World:
    machines: tuple[Machine, ...]
    tables: tuple[Price, ...]
    own: tuple[Price, ...]
    rates: Mapping[str, Decimal]

    @property
    def book(self) -> PriceBook:
        return Shelf(self.tables, self.own, self.rates)

    @property
    def stock(self) -> OfferedMachines:
        clouds = {machine.cloud for machine in self.machines} | set(REGIONS)
        return OfferedMachines(
            {it: tuple(m for m in self.machines if m.cloud == it) for it in clouds}
        )


def some(chance: Random, of: Sequence[Any]) -> Any:
    """One of the values, the first half of the time."""
    return of[0] if chance.random() < 0.5 else chance.choice(of)


def machine_of(chance: Random, number: int) -> Machine:
    cloud = some(chance, sorted(REGIONS))
    key = some(chance, sorted(GPUS))
    count = some(chance, ["8", "0.5", "1", "2"])
    fabric = some(chance, [None, "efa", "efa", "roce"])
    return Machine(
        cloud=cloud,
        type=f"m{number}.large",
        gpu=key,
        gpu_count=Decimal(count),
        gpu_memory_gib=None,
        gpu_memory_nominal_gb=some(chance, [Decimal(40), Decimal(80), Decimal(16), None]),
        vcpu=some(chance, [64, 4, None]),
        memory_gib=some(chance, [Decimal(640), Decimal(64), None]),
        local_storage_gb=None,
        network_gbps=some(chance, [None, Decimal(50), Decimal(100)]),
        network_sustained_gbps=some(chance, [None, Decimal(20)]),
        fabric=fabric,
        fabric_interfaces=some(chance, [4, 0, None]) if fabric else 0,
        fabric_gbps=some(chance, [Decimal(400), Decimal(200), None]) if fabric else None,
        network_cards=None,
        interfaces_per_card=None,
        nvlink=some(chance, [True, False, None]),
        nvlink_gbs=None,
        nvlink_domain=some(chance, [8, 1, 2, None]),
        architecture=some(chance, ["x86_64", "arm64", None]),
        usage_classes=some(chance, [("on-demand", "spot"), ("on-demand",), ("spot",), ()]),
        status=some(chance, ["current", "current", "retired"]),
        regions=some(chance, [REGIONS[cloud], REGIONS[cloud][:1], ()]),
        source="made up",
        as_of="2026",
    )


def price_of(machine: Machine, region: str, mode: str, chance: Random) -> Price:
    return Price(
        cloud=machine.cloud,
        item=machine.type,
        region=region,
        zone=None,
        mode=mode,
        unit="hour",
        per_unit=Decimal(chance.choice(["1", "2", "3", "8.5"])),
        currency=chance.choice(["USD", "USD", "USD", "CNY"]),
        source="made up",
        as_of=chance.choice(["2025-01-01", "2026-02", "2026-03-01"]),
    )


def world_of(chance: Random) -> World:
    """A few machines, most of them with prices, many of which are equal."""
    made = [machine_of(chance, chance.randint(0, 5)) for _ in range(chance.randint(3, 9))]
    machines = tuple({(machine.cloud, machine.type): machine for machine in made}.values())
    keys = [
        (machine, region, mode)
        for machine in machines
        for region in REGIONS[machine.cloud]
        for mode in MODES[machine.cloud]
    ]
    priced = [key for key in keys for _ in range(chance.choice([0, 1, 1, 2]))]
    keys += [(machine, region, mode) for machine, region, _ in keys for mode in OWN_MODES]
    own = chance.sample(keys, chance.choice([0, 0, 1, 2, 4]))
    return World(
        machines=machines,
        tables=_once(price_of(*key, chance) for key in priced),
        own=_once(price_of(*key, chance) for key in own),
        rates=chance.choice([{}, {"CNY": Decimal("0.14")}]),
    )


def _once(rows: Iterator[Price]) -> tuple[Price, ...]:
    """One row for each key and day."""
    rows_by_key = {(it.cloud, it.item, it.region, it.mode, it.as_of): it for it in rows}
    return tuple(rows_by_key.values())
