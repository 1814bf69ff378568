"""A chooser written apart from the catalog's, against which its choice is held.

It shares no code with it: it lists every offer (a machine, in a region, in a mode), asks each
question of each machine, and finds the best by comparing offers in pairs.
"""

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cmp_to_key
from itertools import groupby
from typing import Any

from gpuinfra.catalog import Request
from gpuinfra.catalog.sizing.fitting import fewest, why_not
from gpuinfra.model import SPOT_OUTDATED_AFTER_DAYS, Machine
from tests.catalog.choosing.worlds import DAY, GB, GPUS, MODES, REGIONS, World

HOURS = {"1y": 8760, "3y": 26280}
NVIDIA = frozenset(GPUS) - {"MI300X-192GB"}
TAKES_SPOT_MAXIMUM = {"aws"}
ORDER = (
    "instance", "gpu", "model", "memory", "count", "nvlink", "nvlink_domain", "fabric",
    "fabric_kind", "fabric_speed", "precision", "vcpu_per_gpu", "ram_per_gpu", "architecture",
    "vendor", "status", "capacity", "region", "commitment", "price",
)  # fmt: skip


def stale(spot: str) -> bool:
    """Whether a spot price was read so long ago that it counts no more."""
    return (DAY - date.fromisoformat(f"{spot}-01-01"[:10])).days > SPOT_OUTDATED_AFTER_DAYS


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
