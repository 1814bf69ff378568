"""Where and at what rate the machines of one request are sold."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from gpuinfra.catalog.choosing.request import Request
from gpuinfra.catalog.choosing.stock import Stock
from gpuinfra.catalog.commitment_terms import term
from gpuinfra.catalog.price_book import CURRENCY, OWN, SPOT_CEILING, PriceBook, day_of, dearest
from gpuinfra.catalog.rates import SPOT, HourlyRate, list_rate, row_rate, spot_rate
from gpuinfra.clouds import priced
from gpuinfra.model import Machine, Price

if TYPE_CHECKING:
    from gpuinfra.catalog.sizing.model_request import ModelRequest

REMEMBERED: Final = 4096


def modes_of(cloud: str) -> tuple[str, ...]:
    """The modes in which machines of a cloud have prices."""
    return ("on-demand",) if cloud == OWN else priced(cloud).prices.modes()


class Market:
    """The machines, offerings and prices that one request looks at."""

    def __init__(self, request: Request, prices: PriceBook, stock: Stock) -> None:
        self.request = request
        self.prices = prices
        self.stock = stock
        self.modes = cache(self._modes)
        """The modes that a cloud has of those that are asked for."""
        self.here = cache(self._here)
        """The regions of a cloud that are asked for, in the order of the request."""

    @cached_property
    def machines(self) -> tuple[Machine, ...]:
        """Every machine of the clouds that are asked for."""
        return tuple(self._all())

    @cached_property
    def own(self) -> frozenset[tuple[str, str]]:
        """Cloud and type of each machine that a row of the user's or a lock's is about."""
        return frozenset((row.cloud, row.item) for row in self.prices.own)

    def regions(self, machine: Machine) -> tuple[str, ...]:
        """The regions asked for that offer a machine."""
        if machine.cloud == OWN:
            return tuple(region for region in self.request.regions if region in machine.regions)
        return tuple(
            region for region in self.here(machine.cloud) if self._offered(machine, region)
        )

    def elsewhere(self, machine: Machine) -> tuple[str, ...]:
        """The regions asked for that offer a machine; where none does, all that do."""
        return self.regions(machine) or machine.regions or tuple(self._priced(machine))

    def owned(self, machine: Machine) -> bool:
        """Whether a price of the user's own is known for a machine as it is asked for."""
        if machine.cloud == OWN:
            return True
        if (machine.cloud, machine.type) not in self.own:
            return False
        return any(self._own(machine, region) for region in self.here(machine.cloud))

    def rate(
        self, machine: Machine, region: str, modes: Iterable[str] | None = None
    ) -> HourlyRate | None:
        """The least known rate of a machine in a region; those in US dollars come first."""
        searched = self.modes(machine.cloud) if modes is None else modes
        known = (self._rate(machine, region, mode) for mode in searched)
        return min(
            (hourly_rate for hourly_rate in known if hourly_rate is not None),
            key=lambda rate: (rate.currency != CURRENCY, rate.currency, rate.amount, rate.mode),
            default=None,
        )

    def spot_ceiling(self, machine: Machine, region: str) -> HourlyRate | None:
        """What a machine costs an hour on spot at most, where its request names no maximum."""
        row = self.prices.spot_ceiling(machine.cloud, machine.type, region)
        return None if row is None else row_rate(row, SPOT_CEILING)

    def count(self, machine: Machine) -> int:
        """How many machines of a type are asked for or, where that is not stated, needed."""
        request = self.request
        if request.model is None or not (request.machines is None or self.misfit(machine)):
            return request.machines or 1
        return self.least(machine) or request.machines or 1

    def least(self, machine: Machine) -> int | None:
        """The fewest machines of a type that the model fits on; None where none of any number."""
        return None if self.request.model is None else _fewest(self.request.model, machine)

    def adapters(self, machine: Machine, machines: int) -> Decimal | None:
        """GB of each GPU to train adapters of the model alone; None where that does not fit."""
        model = self.request.model
        return None if model is None else _adapters(model, machine, machines)

    def overshoot(self, machine: Machine) -> Decimal:
        """The memory that the model needs on each GPU of as many machines, in what each has."""
        model, machines = self.request.model, self.request.machines or 1
        return Decimal("Infinity") if model is None else _overshoot(model, machine, machines)

    def misfit(self, machine: Machine) -> str:
        """Why the model does not fit on as many machines as are asked for; empty when it does."""
        request = self.request
        if request.model is None:
            return ""
        if request.machines is None and self.least(machine):
            return ""
        return _why_not(request.model, machine, request.machines or 1)

    def _all(self) -> Iterator[Machine]:
        for cloud in self.request.clouds:
            yield from self.prices.machines if cloud == OWN else self.stock.machines(cloud)

    def _modes(self, cloud: str) -> tuple[str, ...]:
        commitment = self.request.commitment
        if commitment is None:
            return (self.request.capacity,)
        return tuple(
            mode
            for mode in self.known_modes(cloud)
            if term(mode) and (mode == commitment or mode.endswith(f"-{commitment}"))
        )

    def known_modes(self, cloud: str) -> tuple[str, ...]:
        """The modes in which machines of a cloud have prices, the user's own among them."""
        own = (row.mode for row in self.prices.own if row.cloud == cloud and term(row.mode))
        return tuple(dict.fromkeys((*modes_of(cloud), *own)))

    def known(self, cloud: str) -> tuple[str, ...]:
        """The regions of a cloud; of the user's own, those where a machine of theirs stands."""
        if cloud == OWN:
            return tuple(
                dict.fromkeys(it for machine in self.prices.machines for it in machine.regions)
            )
        return self.stock.regions(cloud)

    def _here(self, cloud: str) -> tuple[str, ...]:
        known = frozenset(self.known(cloud))
        return tuple(region for region in self.request.regions if region in known)

    def _offered(self, machine: Machine, region: str) -> bool:
        """Whether a region offers a machine, or the user has a price of it there.

        Where the offerings tell nothing of a region at all (GovCloud, China), a list price tells.
        """
        if region in machine.regions or self._own(machine, region):
            return True
        if region in self.stock.told(machine.cloud):
            return False
        return self._listed(machine, region)

    def _listed(self, machine: Machine, region: str) -> bool:
        modes = dict.fromkeys(("on-demand", *self.modes(machine.cloud)))
        return any(self.prices.rows(machine.cloud, machine.type, region, mode) for mode in modes)

    def _priced(self, machine: Machine) -> Iterator[str]:
        """The regions of a cloud that tells no offerings in which a machine has a price."""
        if machine.cloud != OWN and not self.stock.told(machine.cloud):
            for region in self.stock.regions(machine.cloud):
                if self._listed(machine, region):
                    yield region

    def _own(self, machine: Machine, region: str) -> bool:
        if (machine.cloud, machine.type) not in self.own:
            return False
        return any(
            self.prices.own_price(machine, region, mode) for mode in self.modes(machine.cloud)
        )

    def _rate(self, machine: Machine, region: str, mode: str) -> HourlyRate | None:
        """A rate in dollars, else in another currency; stale spot counts at the most it costs."""
        key = (machine.cloud, machine.type, region)
        rate = (
            spot_rate(key, self.prices, day=self.request.day)
            if mode == SPOT
            else list_rate(key, mode, self.prices)
        )
        if rate.stale:
            return rate if rate.priced else None
        if rate.expected is not None:
            return rate
        row = self._foreign(machine, region, mode)
        return None if row is None else row_rate(row, mode)

    def _foreign(self, machine: Machine, region: str, mode: str) -> Price | None:
        """The newest row of a machine in a currency that has no exchange rate."""
        rows = self.prices.rows(machine.cloud, machine.type, region, mode)
        whole = [row for row in rows if mode == SPOT or row.zone is None]
        newest = max(map(day_of, whole), default=None)
        return max((row for row in whole if day_of(row) == newest), key=dearest, default=None)


# Few requests name a model, and what it takes of GPUs is loaded for those alone.


def _adapters(request: "ModelRequest", machine: Machine, machines: int) -> Decimal | None:
    from gpuinfra.catalog.sizing.fitting import adapters_need  # noqa: PLC0415  (few name a model)

    return adapters_need(request, machine, machines)


@lru_cache(REMEMBERED)
def _fewest(model: "ModelRequest", machine: Machine) -> int | None:
    from gpuinfra.catalog.sizing.fitting import fewest  # noqa: PLC0415

    return fewest(model, machine)


@lru_cache(REMEMBERED)
def _why_not(model: "ModelRequest", machine: Machine, machines: int) -> str:
    from gpuinfra.catalog.sizing.fitting import why_not  # noqa: PLC0415

    return why_not(model, machine, machines)


def _overshoot(model: "ModelRequest", machine: Machine, machines: int) -> Decimal:
    from gpuinfra.catalog.sizing.fitting import gpu_memory_gb, need  # noqa: PLC0415

    size = gpu_memory_gb(machine)
    if not size:
        return Decimal("Infinity")
    gpus = max(1, int(machine.gpu_count)) * machines
    return need(model, gpus, machines).per_gpu_gb / size
