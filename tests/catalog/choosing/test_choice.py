"""The choice on made-up catalogs, against a chooser that is written apart from it.

The other one shares no code with it: it lists every offer (a machine, in a region, in a mode),
asks each question of each machine, and finds the best by comparing offers in pairs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cmp_to_key
from itertools import groupby
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from gpuinfra.catalog import Book, NothingFits, Request, Stock, choose, gpu
from gpuinfra.catalog.choosing.relaxing import near_misses
from gpuinfra.catalog.sizing.fitting import ModelRequest, fewest, why_not
from gpuinfra.clouds import priced
from gpuinfra.model import SPOT_OUTDATED_AFTER_DAYS, Machine, Price
from gpuinfra.units import Range

GB = 10**9
REGIONS = {"aws": ("us-east-1", "us-west-2"), "gcp": ("us-central1", "us-east4")}
MODES = {
    "aws": ("on-demand", "spot", "reserved-1y", "reserved-3y", "savings-1y", "savings-3y"),
    "gcp": tuple(
        one
        for one in priced("gcp").prices.modes()
        if one in {"on-demand", "spot"} or one.endswith(("-1y", "-3y"))
    ),
}
OWN_MODES = ("subscription-1y", "subscription-3y")  # which no table of the two has
HOURS = {"1y": 8760, "3y": 26280}
GPUS: dict[str, dict[str, Any]] = {
    "H100-SXM-80GB": {"words": {"H100"}, "bf16": 989, "fp8": 1979, "bandwidth": 3350},
    "A100-SXM-40GB": {"words": {"A100", "A100-40GB"}, "bf16": 312, "fp8": None, "bandwidth": 1555},
    "T4": {"words": {"T4"}, "bf16": None, "fp8": None, "bandwidth": 320},
    "MI300X-192GB": {"words": {"MI300X"}, "bf16": 1307, "fp8": 2615, "bandwidth": 5300},
}
NVIDIA = frozenset(GPUS) - {"MI300X-192GB"}
TAKES_SPOT_MAXIMUM = {"aws"}
ORDER = (
    "instance", "gpu", "model", "memory", "count", "nvlink", "nvlink_domain", "fabric",
    "fabric_kind", "fabric_speed", "precision", "vcpu_per_gpu", "ram_per_gpu", "architecture",
    "vendor", "status", "capacity", "region", "commitment", "price",
)  # fmt: skip


class Shelf(Book):
    """A book whose tables are made up."""

    def __init__(self, tables: tuple[Price, ...], own: tuple[Price, ...], rates: Any) -> None:
        super().__init__(own, rates=rates)
        self.tables = tables

    def rows(self, cloud: str, item: str, region: str, mode: str) -> tuple[Price, ...]:
        for rows in (self.own, self.tables):
            found = tuple(
                row
                for row in rows
                if (row.cloud, row.item, row.region, row.mode) == (cloud, item, region, mode)
            )
            if found:
                return found
        return ()

    def spot_ceiling(self, cloud: str, machine: str, region: str) -> Price | None:
        wanted = (cloud, machine, region, "on-demand")
        return self._newest(
            row for row in self.tables if (row.cloud, row.item, row.region, row.mode) == wanted
        )


@dataclass(frozen=True)
class World:
    machines: tuple[Machine, ...]
    tables: tuple[Price, ...]
    own: tuple[Price, ...]
    rates: Mapping[str, Decimal]

    @property
    def book(self) -> Book:
        return Shelf(self.tables, self.own, self.rates)

    @property
    def stock(self) -> Stock:
        clouds = {one.cloud for one in self.machines} | set(REGIONS)
        return Stock({it: tuple(m for m in self.machines if m.cloud == it) for it in clouds})


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
    machines = tuple({(one.cloud, one.type): one for one in made}.values())
    keys = [
        (one, region, mode)
        for one in machines
        for region in REGIONS[one.cloud]
        for mode in MODES[one.cloud]
    ]
    priced = [key for key in keys for _ in range(chance.choice([0, 1, 1, 2]))]
    keys += [(one, region, mode) for one, region, _ in keys for mode in OWN_MODES]
    own = chance.sample(keys, chance.choice([0, 0, 1, 2, 4]))
    return World(
        machines=machines,
        tables=_once(price_of(*key, chance) for key in priced),
        own=_once(price_of(*key, chance) for key in own),
        rates=chance.choice([{}, {"CNY": Decimal("0.14")}]),
    )


DAY = date(2026, 11, 21)


def stale(spot: str) -> bool:
    """Whether a spot price was read so long ago that it counts no more."""
    return (DAY - date.fromisoformat(f"{spot}-01-01"[:10])).days > SPOT_OUTDATED_AFTER_DAYS


def _once(rows: Iterator[Price]) -> tuple[Price, ...]:
    """One row for each key and day."""
    found = {(it.cloud, it.item, it.region, it.mode, it.as_of): it for it in rows}
    return tuple(found.values())


DEMANDS: dict[str, Sequence[Any]] = {
    "gpu": ("H100", "A100", "T4", "MI300X", "A100-40GB"),
    "memory": (Range(40 * GB, None), Range(16 * GB, 40 * GB)),
    "count": (1, 8),
    "nvlink": (True, False),
    "nvlink_domain": (2, 8),
    "instance": ("m0.large",),
    "fabric": (True,),
    "fabric_kind": ("efa",),
    "fabric_speed": (50 * GB,),
    "precision": ("bf16", "fp8"),
    "vcpu_per_gpu": (8,),
    "ram_per_gpu": (64 * 2**30,),
    "architecture": ("x86_64", "arm64"),
    "max_per_hour": (Decimal(2), Decimal("8.5")),
    "max_price": (Decimal(1), Decimal(2), Decimal(3)),
    "base": (True,),
    "model": (
        ModelRequest(parameters=7 * GB, task="fine-tune"),
        ModelRequest(parameters=7 * GB, task="fine-tune"),
        ModelRequest(parameters=7 * GB, task="serve"),
    ),
    "machines": (1, 4),
}
WAYS = (
    ("on-demand", None),
    ("spot", None),
    ("on-demand", "1y"),
    ("on-demand", "3y"),
    ("on-demand", "reserved-1y"),
    ("on-demand", "savings-1y"),
)


def wish_of(chance: Random, world: World) -> Request | None:
    """A few demands; None where the world does not know their words."""
    clouds = chance.choice([("aws",), ("gcp",), ("aws", "gcp"), ("gcp", "aws")])
    machines = [one for one in world.machines if one.cloud in clouds]
    regions = sorted({region for one in machines for region in one.regions})
    names = chance.sample(sorted(DEMANDS), chance.choice([0, 1, 1, 2, 2, 3]))
    capacity, commitment = some(chance, WAYS)
    if "max_per_hour" in names and chance.random() < 0.7:
        capacity, commitment = "spot", None
        names += chance.sample(["max_price", "base"], chance.randint(0, 2))
    if "model" in names and chance.random() < 0.5:
        names.append("machines")
    asked = Request(
        day=DAY,
        clouds=clouds,
        regions=tuple(chance.sample(regions, chance.randint(min(1, len(regions)), len(regions)))),
        capacity=capacity,
        commitment=commitment,
        hours=Decimal(chance.choice(["1", "10000"])),
        by=chance.choice(["hour", "run", "tflops", "memory", "bandwidth"]),
        **{name: chance.choice(DEMANDS[name]) for name in dict.fromkeys(names)},
    )
    return asked if asked.regions and known(world, asked) else None


@dataclass(frozen=True)
class Offer:
    """A machine in a region at its price, and what it is ranked by."""

    machine: Machine
    region: str
    amount: Decimal | None = None
    currency: str = "USD"
    mode: str = ""
    number: int = 1
    figure: Decimal | None = None
    network: int = 0


class Plain:
    """The chooser that is written apart."""

    def __init__(self, world: World, asked: Request) -> None:
        self.world = world
        self.asked = asked
        self.machines = [one for one in world.machines if one.cloud in asked.clouds]
        self.committed = {
            c: {*MODES[c], *(it.mode for it in world.own if it.cloud == c)} - {"on-demand", "spot"}
            for c in REGIONS
        }
        self.told = {
            c: {r for m in world.machines if m.cloud == c for r in m.regions} for c in REGIONS
        }

    def modes(self, cloud: str) -> tuple[str, ...]:
        wanted = self.asked.commitment
        if wanted is None:
            return (self.asked.capacity,)
        return tuple(
            sorted(one for one in self.committed[cloud] if wanted in (one, one.split("-")[1]))
        )

    def price(
        self, one: Machine, region: str, modes: tuple[str, ...], *, ranks: bool = True
    ) -> tuple[Any, ...] | None:
        """The price that a machine ranks by, or that a ceiling is held against."""
        found = []
        for mode in modes:
            for source in (self.world.own, self.world.tables):
                rows = [
                    it
                    for it in source
                    if (it.cloud, it.item) == (one.cloud, one.type)
                    and (it.region, it.mode) == (region, mode)
                ]
                if rows:
                    break
            rates = {"USD": Decimal(1), **self.world.rates}
            dollars = [it for it in rows if it.currency in rates]
            for it in sorted(dollars or rows, key=lambda it: it.as_of)[-1:]:
                known = it.currency in rates
                most = self.ceiling(one, region)
                if mode == "spot" and known and stale(it.as_of):
                    read = it.per_unit * rates[it.currency]
                    if most:
                        found.append((0, most[0] if ranks else read, "USD", mode))
                    continue
                if mode == "spot" and known and most:
                    amount = min(most[0], it.per_unit * rates[it.currency])
                    found.append((0, amount, "USD", mode))
                    continue
                found.append(
                    (
                        0 if known else 1,
                        it.per_unit * rates[it.currency] if known else it.per_unit,
                        "USD" if known else it.currency,
                        mode,
                    )
                )
        return min(found)[1:] if found else None

    def ceiling(self, one: Machine, region: str) -> tuple[Any, ...] | None:
        """The public price on demand in dollars: what spot costs at most by itself."""
        rates = {"USD": Decimal(1), **self.world.rates}
        rows = [
            it
            for it in self.world.tables
            if (it.cloud, it.item, it.region) == (one.cloud, one.type, region)
            and it.mode == "on-demand"
            and it.currency in rates
        ]
        for it in sorted(rows, key=lambda it: it.as_of)[-1:]:
            return it.per_unit * rates[it.currency], "USD", "spot-ceiling", it.as_of
        return None

    def affords(self, one: Machine, region: str) -> bool:
        """Whether it never costs more than the ceiling there, whatever the market does."""
        most, said = self.asked.max_per_hour, self.asked.max_price
        if most is None:
            return True
        priced = self.price(one, region, self.ways(one), ranks=False)
        mode = priced[2] if priced else self.asked.capacity
        takes = one.cloud in TAKES_SPOT_MAXIMUM
        held = [priced]
        if mode == "spot":
            held = [] if takes and said is not None and said <= most else [priced]
            held += [] if takes else [self.ceiling(one, region)]
            held += [self.price(one, region, ("on-demand",))] if self.asked.base else []
        return all(it is not None and it[1] == "USD" and it[0] <= most for it in held)

    def own(self, one: Machine, region: str) -> bool:
        return any(
            (it.cloud, it.item, it.region) == (one.cloud, one.type, region)
            and it.mode in self.modes(one.cloud)
            for it in self.world.own
        )

    def priced(self, one: Machine, region: str) -> bool:
        wanted = {"on-demand", *self.modes(one.cloud)}
        return any(
            (it.cloud, it.item, it.region) == (one.cloud, one.type, region) and it.mode in wanted
            for it in (*self.world.own, *self.world.tables)
        )

    def here(self, one: Machine) -> list[str]:
        return [
            region
            for region in self.asked.regions
            if region in self.known(one.cloud)
            and (
                region in one.regions
                or self.own(one, region)
                or (region not in self.told[one.cloud] and self.priced(one, region))
            )
        ]

    def known(self, cloud: str) -> set[str]:
        return self.told[cloud]

    def anywhere(self, one: Machine) -> list[str]:
        return self.here(one) or list(one.regions)

    def sold(self, one: Machine) -> bool:
        wanted = self.asked.capacity
        said = {it for m in self.world.machines if m.cloud == one.cloud for it in m.usage_classes}
        if wanted in one.usage_classes or self.is_own(one):
            return True
        priced = any(
            self.price(one, region, self.modes(one.cloud)) for region in self.anywhere(one)
        )
        return priced and (not one.usage_classes or wanted not in said)

    def is_own(self, one: Machine) -> bool:
        return any(
            self.own(one, region)
            for region in self.asked.regions
            if region in self.known(one.cloud)
        )

    def ways(self, one: Machine) -> tuple[str, ...]:
        return self.modes(one.cloud) if self.sold(one) else one.usage_classes

    def faults(self, one: Machine) -> list[str]:
        asked, size = self.asked, one.gpu_memory_nominal_gb
        parts = max(1, one.gpu_count)
        named = bool(asked.gpu or asked.instance)
        committed = [
            self.price(one, region, self.modes(one.cloud)) for region in self.anywhere(one)
        ]
        meets = {
            "instance": asked.instance in (None, one.type),
            "gpu": asked.gpu is None or asked.gpu in GPUS[one.gpu]["words"],
            "model": asked.model is None or self.holds(one),
            "memory": asked.memory is None
            or (
                size is not None
                and asked.memory.minimum <= size * GB <= (asked.memory.maximum or size * GB)
            ),
            "count": asked.count is None or one.gpu_count == asked.count,
            "nvlink": asked.nvlink is None
            or (asked.nvlink is False and one.nvlink is False)
            or (
                asked.nvlink is True
                and one.nvlink is True
                and (one.nvlink_domain or 0) >= one.gpu_count
            ),
            "nvlink_domain": (one.nvlink_domain or 0) >= (asked.nvlink_domain or 0),
            "fabric": not asked.fabric or bool(one.fabric and one.fabric_interfaces),
            "fabric_kind": asked.fabric_kind is None or one.fabric == asked.fabric_kind,
            "fabric_speed": asked.fabric_speed is None
            or (one.fabric_gbps or 0) * GB / 8 >= asked.fabric_speed,
            "precision": asked.precision is None or GPUS[one.gpu][asked.precision] is not None,
            "vcpu_per_gpu": asked.vcpu_per_gpu is None
            or (one.vcpu is not None and one.vcpu / parts >= asked.vcpu_per_gpu),
            "ram_per_gpu": asked.ram_per_gpu is None
            or (
                one.memory_gib is not None and one.memory_gib * 2**30 / parts >= asked.ram_per_gpu
            ),
            "architecture": (named and asked.architecture is None)
            or one.architecture == (asked.architecture or "x86_64"),
            "vendor": named or one.gpu in NVIDIA,
            "status": one.status == "current" or self.is_own(one),
            "capacity": self.sold(one),
            "region": bool(self.here(one)),
            "commitment": asked.commitment is None or any(committed),
            "price": any(self.affords(one, region) for region in self.anywhere(one))
            or asked.max_per_hour is None,
        }
        assert tuple(meets) == ORDER
        return [name for name, fine in meets.items() if not fine]

    def holds(self, one: Machine) -> bool:
        if self.asked.machines is None:
            return fewest(self.asked.model, one) is not None
        return not why_not(self.asked.model, one, self.asked.machines)

    def number(self, one: Machine) -> int:
        said = self.asked.machines
        if self.asked.model is None or (said is not None and self.holds(one)):
            return said or 1
        return fewest(self.asked.model, one) or said or 1

    def network(self, one: Machine, number: int) -> int:
        """0 where the machines are joined as training wants it, 1 unknown, 2 where they aren't."""
        if self.asked.model is None or self.asked.model.task == "serve" or number == 1:
            return 0
        fabric = one.fabric is not None and one.fabric_interfaces
        lasting = one.network_sustained_gbps
        network = one.network_gbps if lasting is None else lasting
        if fabric or (network or 0) >= 100 or (one.fabric_gbps or 0) >= 100:
            return 0
        unknown = one.network_gbps is None or one.fabric_interfaces is None
        return 1 if unknown else 2

    def offer(self, one: Machine, region: str) -> Offer:
        priced = self.price(one, region, self.ways(one))
        number = self.number(one)
        network = self.network(one, number)
        if priced is None:
            return Offer(one, region, number=number, network=network)
        amount, currency, mode = priced
        facts = GPUS[one.gpu]
        figure: Decimal | None = amount * number
        if self.asked.by == "run":
            hours = HOURS.get(mode.partition("-")[2], 0)
            figure = max(self.asked.hours or 0, hours) * amount * number
        elif self.asked.by == "tflops":
            rate = facts[self.asked.precision or "bf16"]
            figure = None if rate is None else amount / (rate * one.gpu_count)
        elif self.asked.by == "bandwidth":
            figure = amount / (facts["bandwidth"] * one.gpu_count)
        elif self.asked.by == "memory":
            size = one.gpu_memory_nominal_gb
            figure = None if size is None else amount / (size * max(1, one.gpu_count))
        return Offer(one, region, amount, currency, mode, number, figure, network)

    def fitting(self) -> list[Offer]:
        found = []
        for one in self.machines:
            for region in self.here(one) if not self.faults(one) else ():
                offer = self.offer(one, region)
                free = self.asked.commitment is None
                if self.affords(one, region) and (free or offer.amount is not None):
                    found.append(offer)
        return sorted(found, key=cmp_to_key(compared))

    def near(self, winner: Offer) -> dict[str, tuple[str, str, str, Decimal | None]]:
        found: dict[str, tuple[str, str, str, Decimal | None]] = {}
        if not winner.figure:
            return found
        whole = self.asked.by in {"hour", "run"}
        lonely = [(self.faults(one), one) for one in self.machines]
        lonely = [
            (faults, one)
            for faults, one in lonely
            if faults != ["model"] or fewest(self.asked.model, one) is not None
        ]
        lonely = sorted(
            ((faults[0], one) for faults, one in lonely if len(faults) == 1), key=lambda it: it[0]
        )
        for name, several in groupby(lonely, key=lambda it: it[0]):
            offers = [
                self.offer(one, region)
                for _, one in several
                for region in self.anywhere(one)
                if name == "price" or self.affords(one, region)
            ]
            offers = [
                it for it in offers if it.figure is not None and it.currency == winner.currency
            ]
            against = winner
            if name == "count" and whole:
                offers, against = [per_gpu(it) for it in offers], per_gpu(winner)
            better = [
                it for it in offers if it.network <= winner.network and it.figure < against.figure
            ]
            if name in {"gpu", "count", "memory"}:
                better = [it for it in better if self.as_large(it, winner)]
            best = min(better, key=cmp_to_key(compared), default=None)
            if name not in {"instance", "status"} and best:
                saves = None if name == "gpu" and whole else 1 - best.figure / against.figure
                key = (best.machine.cloud, best.machine.type, best.region)
                found[name] = (*key, saves)
        return found

    def as_large(self, offer: Offer, winner: Offer) -> bool:
        """All GPUs of an offer are known to hold and to compute what the winner's do."""

        def all_gpus(it: Offer, each: Decimal | None) -> Decimal | None:
            return None if each is None else each * it.machine.gpu_count * it.number

        def rate(it: Offer) -> Decimal | None:
            rate: int | None = GPUS[it.machine.gpu][self.asked.precision or "bf16"]
            return None if rate is None else Decimal(rate)

        memory = all_gpus(offer, offer.machine.gpu_memory_nominal_gb)
        least = all_gpus(winner, winner.machine.gpu_memory_nominal_gb)
        fast, needed = all_gpus(offer, rate(offer)), all_gpus(winner, rate(winner))
        return (
            memory is not None
            and (least is None or memory >= least)
            and fast is not None
            and (needed is None or fast >= needed)
        )


def per_gpu(offer: Offer) -> Offer:
    """An offer whose figure is of one GPU, as machines of other counts compare with it."""
    assert offer.figure is not None
    return replace(offer, figure=offer.figure / (offer.machine.gpu_count * offer.number))


def compared(one: Offer, other: Offer) -> int:
    """Below 0 where the one comes first: question by question, until one of them decides."""
    for mine, theirs in (
        (one.amount is None, other.amount is None),
        (one.figure is None, other.figure is None),
        (one.network, other.network),
    ):
        if mine != theirs:
            return -1 if mine < theirs else 1
    if one.currency != other.currency:
        if "USD" in {one.currency, other.currency}:
            return -1 if one.currency == "USD" else 1
        return -1 if one.currency < other.currency else 1
    if one.figure is not None and one.figure != other.figure:
        return -1 if one.figure < other.figure else 1
    if one.amount is not None and one.amount * one.number != other.amount * other.number:
        return -1 if one.amount * one.number < other.amount * other.number else 1
    names = [(it.machine.type, it.machine.cloud, it.region) for it in (one, other)]
    return -1 if names[0] < names[1] else 1


@settings(max_examples=1000)
@given(st.randoms(use_true_random=True))
def test_the_choice_is_that_of_the_other_chooser(chance: Random) -> None:
    world = world_of(chance)
    asked = wish_of(chance, world)
    assume(asked)
    note(f"{world}\n{asked}")
    plain = Plain(world, asked)
    expected = plain.fitting()
    faults = {(one.cloud, one.type): plain.faults(one) for one in plain.machines}
    losers = {key: found[0] for key, found in faults.items() if found}
    if not expected:
        with pytest.raises(NothingFits) as caught:
            choose(asked, world.book, world.stock)
        assert {(it.cloud, it.machine): it.constraint for it in caught.value.losers} == losers
        return

    choice = choose(asked, world.book, world.stock)

    assert [
        (it.machine, it.region, it.per_hour, it.currency, it.mode, it.machines, it.figure)
        for it in choice.ranked
    ] == [
        (it.machine, it.region, it.amount, it.currency, it.mode, it.number, it.figure)
        for it in expected
    ]
    assert choice.winner == choice.ranked[0]
    assert {(it.cloud, it.machine): it.constraint for it in choice.losers} == losers
    assert all(it.reason for it in choice.losers)
    near = near_misses(asked, choice, world.book, world.stock)
    assert {
        it.constraint: (
            it.candidate.machine.cloud,
            it.candidate.machine.type,
            it.candidate.region,
            it.saves,
        )
        for it in near
    } == plain.near(expected[0])
    assert all(it.asked != it.has for it in near)
    assert [it.constraint for it in near] == sorted(
        (it.constraint for it in near), key=ORDER.index
    )


def known(world: World, asked: Request) -> bool:
    """Whether the words of a request are those of the made-up tables, and go together."""
    machines = [one for one in world.machines if one.cloud in asked.clouds]
    return (
        not (asked.nvlink is False and asked.nvlink_domain)
        and (asked.commitment is None or any(Plain(world, asked).modes(it) for it in asked.clouds))
        and (asked.gpu is None or any(asked.gpu in GPUS[one.gpu]["words"] for one in machines))
        and (asked.instance is None or any(one.type == asked.instance for one in machines))
        and (asked.fabric_kind is None or any(one.fabric == asked.fabric_kind for one in machines))
    )


def test_the_facts_of_the_other_chooser_are_those_of_the_table() -> None:
    for key, facts in GPUS.items():
        one = gpu(key)
        assert one is not None
        assert (one.bf16_tflops, one.fp8_tflops, one.bandwidth_gbs) == (
            facts["bf16"],
            facts["fp8"],
            facts["bandwidth"],
        )
