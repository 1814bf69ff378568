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
from gpuinfra.catalog.sizing.machine_fit import fewest_machines, misfit_reason
from gpuinfra.model import SPOT_OUTDATED_AFTER_DAYS, Machine
from tests.catalog.choosing.worlds import DAY, GB, GPUS, MODES, REGIONS, World

HOURS = {"1y": 8760, "3y": 26280}
NVIDIA = frozenset(GPUS) - {"MI300X-192GB"}
TAKES_SPOT_MAXIMUM = {"aws"}
NEVER = {"instance", "status", "fabric", "fabric_speed", "vcpu_per_gpu", "ram_per_gpu"}
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
    on_demand: Decimal = Decimal(0)
    """Where the spot price is unknown: what it may cost without a maximum of the request."""


class Plain:
    """The chooser that is written apart."""

    def __init__(self, world: World, request: Request) -> None:
        self.world = world
        self.request = request
        self.machines = [machine for machine in world.machines if machine.cloud in request.clouds]
        self.committed = {
            c: {*MODES[c], *(it.mode for it in world.own if it.cloud == c)} - {"on-demand", "spot"}
            for c in REGIONS
        }
        self.told = {
            c: {r for m in world.machines if m.cloud == c for r in m.regions} for c in REGIONS
        }

    def modes(self, cloud: str) -> tuple[str, ...]:
        commitment = self.request.commitment
        if commitment is None:
            return (self.request.capacity,)
        return tuple(
            sorted(
                mode for mode in self.committed[cloud] if commitment in (mode, mode.split("-")[1])
            )
        )

    def price(
        self, machine: Machine, region: str, modes: tuple[str, ...], *, ranks: bool = True
    ) -> tuple[Any, ...] | None:
        """The price that a machine ranks by, or that a ceiling is held against."""
        prices = []
        for mode in modes:
            for source in (self.world.own, self.world.tables):
                rows = [
                    it
                    for it in source
                    if (it.cloud, it.item) == (machine.cloud, machine.type)
                    and (it.region, it.mode) == (region, mode)
                ]
                if rows:
                    break
            rates = {"USD": Decimal(1), **self.world.rates}
            dollars = [it for it in rows if it.currency in rates]
            for it in sorted(dollars or rows, key=lambda it: it.as_of)[-1:]:
                known = it.currency in rates
                most = self.ceiling(machine, region)
                if mode == "spot" and known and stale(it.as_of):
                    read = it.per_unit * rates[it.currency]
                    if most:
                        prices.append((0, most[0] if ranks else read, "USD", mode))
                    continue
                if mode == "spot" and known and most:
                    amount = min(most[0], it.per_unit * rates[it.currency])
                    prices.append((0, amount, "USD", mode))
                    continue
                prices.append(
                    (
                        0 if known else 1,
                        it.per_unit * rates[it.currency] if known else it.per_unit,
                        "USD" if known else it.currency,
                        mode,
                    )
                )
        return min(prices)[1:] if prices else None

    def bounded(self, offer: Offer) -> bool:
        """Whether an offer is on spot whose last price is too old to count."""
        key = (offer.machine.cloud, offer.machine.type, offer.region, "spot")
        dollars = {"USD", *self.world.rates}
        for source in (self.world.own, self.world.tables):
            days = [
                it.as_of
                for it in source
                if (it.cloud, it.item, it.region, it.mode) == key and it.currency in dollars
            ]
            if days:
                return offer.mode == "spot" and stale(max(days))
        return False

    def ceiling(self, machine: Machine, region: str) -> tuple[Any, ...] | None:
        """The public price on demand in dollars: what spot costs at most by itself."""
        rates = {"USD": Decimal(1), **self.world.rates}
        rows = [
            it
            for it in self.world.tables
            if (it.cloud, it.item, it.region) == (machine.cloud, machine.type, region)
            and it.mode == "on-demand"
            and it.currency in rates
        ]
        for it in sorted(rows, key=lambda it: it.as_of)[-1:]:
            return it.per_unit * rates[it.currency], "USD", "spot-ceiling", it.as_of
        return None

    def affords(self, machine: Machine, region: str) -> bool:
        """Whether it never costs more than the ceiling there, whatever the market does."""
        most, maximum = self.request.max_per_hour, self.request.max_price
        if most is None:
            return True
        priced = self.price(machine, region, self.ways(machine), ranks=False)
        mode = priced[2] if priced else self.request.capacity
        takes = machine.cloud in TAKES_SPOT_MAXIMUM
        held = [priced]
        if mode == "spot":
            held = [] if takes and maximum is not None and maximum <= most else [priced]
            held += [] if takes else [self.ceiling(machine, region)]
            held += [self.price(machine, region, ("on-demand",))] if self.request.base else []
        return all(it is not None and it[1] == "USD" and it[0] <= most for it in held)

    def own(self, machine: Machine, region: str) -> bool:
        return any(
            (it.cloud, it.item, it.region) == (machine.cloud, machine.type, region)
            and it.mode in self.modes(machine.cloud)
            for it in self.world.own
        )

    def priced(self, machine: Machine, region: str) -> bool:
        modes = {"on-demand", *self.modes(machine.cloud)}
        return any(
            (it.cloud, it.item, it.region) == (machine.cloud, machine.type, region)
            and it.mode in modes
            for it in (*self.world.own, *self.world.tables)
        )

    def here(self, machine: Machine) -> list[str]:
        return [
            region
            for region in self.request.regions
            if region in self.known(machine.cloud)
            and (
                region in machine.regions
                or self.own(machine, region)
                or (region not in self.told[machine.cloud] and self.priced(machine, region))
            )
        ]

    def known(self, cloud: str) -> set[str]:
        return self.told[cloud]

    def anywhere(self, machine: Machine) -> list[str]:
        return self.here(machine) or list(machine.regions)

    def sold(self, machine: Machine) -> bool:
        capacity = self.request.capacity
        classes = {
            it for m in self.world.machines if m.cloud == machine.cloud for it in m.usage_classes
        }
        if capacity in machine.usage_classes or self.is_own(machine):
            return True
        priced = any(
            self.price(machine, region, self.modes(machine.cloud))
            for region in self.anywhere(machine)
        )
        return priced and (not machine.usage_classes or capacity not in classes)

    def is_own(self, machine: Machine) -> bool:
        return any(
            self.own(machine, region)
            for region in self.request.regions
            if region in self.known(machine.cloud)
        )

    def ways(self, machine: Machine) -> tuple[str, ...]:
        return self.modes(machine.cloud) if self.sold(machine) else machine.usage_classes

    def faults(self, machine: Machine) -> list[str]:
        request, size = self.request, machine.gpu_memory_nominal_gb
        parts = max(1, machine.gpu_count)
        named = bool(request.gpu or request.instance)
        committed = [
            self.price(machine, region, self.modes(machine.cloud))
            for region in self.anywhere(machine)
        ]
        meets = {
            "instance": request.instance in (None, machine.type),
            "gpu": request.gpu is None or request.gpu in GPUS[machine.gpu]["words"],
            "model": request.model is None or self.holds(machine),
            "memory": request.memory is None
            or (
                size is not None
                and request.memory.minimum <= size * GB <= (request.memory.maximum or size * GB)
            ),
            "count": machine.gpu_count == request.count
            if request.count is not None
            else machine.gpu_count >= 1 or request.instance is not None,
            "nvlink": request.nvlink is None
            or (request.nvlink is False and machine.nvlink is False)
            or (
                request.nvlink is True
                and machine.nvlink is True
                and (machine.nvlink_domain or 0) >= machine.gpu_count
            ),
            "nvlink_domain": (machine.nvlink_domain or 0) >= (request.nvlink_domain or 0),
            "fabric": not request.fabric or bool(machine.fabric and machine.fabric_interfaces),
            "fabric_kind": request.fabric_kind is None or machine.fabric == request.fabric_kind,
            "fabric_speed": request.fabric_speed is None
            or (machine.fabric_gbps or 0) * GB / 8 >= request.fabric_speed,
            "precision": request.precision is None
            or GPUS[machine.gpu][request.precision] is not None,
            "vcpu_per_gpu": request.vcpu_per_gpu is None
            or (machine.vcpu is not None and machine.vcpu / parts >= request.vcpu_per_gpu),
            "ram_per_gpu": request.ram_per_gpu is None
            or (
                machine.memory_gib is not None
                and machine.memory_gib * 2**30 / parts >= request.ram_per_gpu
            ),
            "architecture": (named and request.architecture is None)
            or machine.architecture == (request.architecture or "x86_64"),
            "vendor": named or machine.gpu in NVIDIA,
            "status": machine.status == "current" or self.is_own(machine),
            "capacity": self.sold(machine),
            "region": bool(self.here(machine)),
            "commitment": request.commitment is None or any(committed),
            "price": any(self.affords(machine, region) for region in self.anywhere(machine))
            or request.max_per_hour is None,
        }
        assert tuple(meets) == ORDER
        return [name for name, fine in meets.items() if not fine]

    def holds(self, machine: Machine) -> bool:
        if self.request.machines is None:
            return fewest_machines(self.request.model, machine) is not None
        return not misfit_reason(self.request.model, machine, self.request.machines)

    def number(self, machine: Machine) -> int:
        declared = self.request.machines
        if self.request.model is None or (declared is not None and self.holds(machine)):
            return declared or 1
        return fewest_machines(self.request.model, machine) or declared or 1

    def network(self, machine: Machine, number: int) -> int:
        """0 where the machines are joined as training wants it, 2 unknown, 4 where they aren't.

        One more where the GPUs in each of them are NVIDIA's, and no NVLink joins them.
        """
        if self.request.model is None or self.request.model.task == "serve" or number == 1:
            return 0
        loose = int(machine.nvlink is False and machine.gpu in NVIDIA)
        fabric = machine.fabric is not None and machine.fabric_interfaces
        lasting = machine.network_sustained_gbps
        network = machine.network_gbps if lasting is None else lasting
        if fabric or (network or 0) >= 100 or (machine.fabric_gbps or 0) >= 100:
            return loose
        unknown = machine.network_gbps is None or machine.fabric_interfaces is None
        return loose + (2 if unknown else 4)

    def offer(self, machine: Machine, region: str) -> Offer:
        priced = self.price(machine, region, self.ways(machine))
        number = self.number(machine)
        network = self.network(machine, number)
        if priced is None:
            return Offer(machine, region, number=number, network=network)
        amount, currency, mode = priced
        on_demand = Decimal(0)
        if self.bounded(Offer(machine, region, mode=mode)):
            on_demand = amount
            said = [it for it in (self.request.max_per_hour, self.request.max_price) if it]
            if machine.cloud in TAKES_SPOT_MAXIMUM:
                amount = min([amount, *said])
        facts = GPUS[machine.gpu]
        figure: Decimal | None = amount * number
        if self.request.by == "run":
            hours = HOURS.get(mode.partition("-")[2], 0)
            figure = max(self.request.hours or 0, hours) * amount * number
        elif self.request.by == "tflops":
            rate = facts[self.request.precision or "bf16"]
            figure = None if rate is None else amount / (rate * machine.gpu_count)
        elif self.request.by == "bandwidth":
            figure = amount / (facts["bandwidth"] * machine.gpu_count)
        elif self.request.by == "memory":
            size = machine.gpu_memory_nominal_gb
            figure = None if size is None else amount / (size * max(1, machine.gpu_count))
        return Offer(machine, region, amount, currency, mode, number, figure, network, on_demand)

    def fitting(self) -> list[Offer]:
        offers = []
        for machine in self.machines:
            for region in self.here(machine) if not self.faults(machine) else ():
                offer = self.offer(machine, region)
                free = self.request.commitment is None
                if self.affords(machine, region) and (free or offer.amount is not None):
                    offers.append(offer)
        return sorted(offers, key=cmp_to_key(compared))

    def near(self, winner: Offer) -> dict[str, tuple[str, str, str, Decimal | None]]:
        nearest: dict[str, tuple[str, str, str, Decimal | None]] = {}
        if not winner.figure:
            return nearest
        whole = self.request.by in {"hour", "run"}
        lonely = [(self.faults(machine), machine) for machine in self.machines]
        lonely = [
            (faults, machine)
            for faults, machine in lonely
            if (faults != ["model"] or fewest_machines(self.request.model, machine) is not None)
            and (faults != ["fabric_kind"] or machine.fabric)
        ]
        lonely = sorted(
            ((faults[0], machine) for faults, machine in lonely if len(faults) == 1),
            key=lambda it: it[0],
        )
        for name, several in groupby(lonely, key=lambda it: it[0]):
            offers = [
                self.offer(machine, region)
                for _, machine in several
                for region in self.anywhere(machine)
                if name == "price" or self.affords(machine, region)
            ]
            if name == "price":
                most = self.request.max_per_hour
                offers = [it for it in offers if it.amount and (it.on_demand or it.amount) <= most]
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
            if name == "gpu":
                cuda = winner.machine.gpu in NVIDIA
                better = [it for it in better if (it.machine.gpu in NVIDIA) == cuda]
            best = min(better, key=cmp_to_key(compared), default=None)
            if name not in NEVER and best:
                apart = self.bounded(winner) or (name == "gpu" and whole)
                saves = None if apart else 1 - best.figure / against.figure
                key = (best.machine.cloud, best.machine.type, best.region)
                nearest[name] = (*key, saves)
        return nearest

    def as_large(self, offer: Offer, winner: Offer) -> bool:
        """All GPUs of an offer are known to hold and to compute what the winner's do."""

        def all_gpus(it: Offer, each: Decimal | None) -> Decimal | None:
            return None if each is None else each * it.machine.gpu_count * it.number

        def rate(it: Offer) -> Decimal | None:
            rate: int | None = GPUS[it.machine.gpu][self.request.precision or "bf16"]
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


def compared(first: Offer, other: Offer) -> int:
    """Below 0 where the one comes first: question by question, until one of them decides."""
    for mine, theirs in (
        (first.amount is None, other.amount is None),
        (first.figure is None, other.figure is None),
        (first.network, other.network),
    ):
        if mine != theirs:
            return -1 if mine < theirs else 1
    if first.currency != other.currency:
        if "USD" in {first.currency, other.currency}:
            return -1 if first.currency == "USD" else 1
        return -1 if first.currency < other.currency else 1
    if first.figure is not None and first.figure != other.figure:
        return -1 if first.figure < other.figure else 1
    if first.amount is not None and first.amount * first.number != other.amount * other.number:
        return -1 if first.amount * first.number < other.amount * other.number else 1
    names = [
        (it.on_demand, it.number, it.machine.type, it.machine.cloud, it.region)
        for it in (first, other)
    ]
    return -1 if names[0] < names[1] else 1
