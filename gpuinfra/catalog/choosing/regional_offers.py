"""The regions and rates at which the machines of one request are sold."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from gpuinfra.catalog.choosing.candidate_machines import OfferedMachines
from gpuinfra.catalog.choosing.request import Request
from gpuinfra.catalog.commitment_terms import term
from gpuinfra.catalog.price_book import (
    CURRENCY,
    OWN_CLOUD,
    SPOT_CEILING,
    PriceBook,
    ceiling,
    day_of,
)
from gpuinfra.catalog.rates import SPOT, HourlyRate, list_rate, row_rate, spot_rate
from gpuinfra.clouds import CLOUDS, priced_cloud_of, provider_of
from gpuinfra.model import Machine, Price

if TYPE_CHECKING:
    from gpuinfra.catalog.sizing.model_request import ModelRequest

CACHE_SIZE: Final = 4096


def modes_of(cloud: str) -> tuple[str, ...]:
    """Return the purchase modes in which machines of a cloud have prices."""
    return ("on-demand",) if cloud == OWN_CLOUD else priced_cloud_of(cloud).prices.modes()


def takes_spot_maximum(cloud: str) -> bool:
    """Return whether spot requests of a cloud may name a maximum price."""
    return cloud in CLOUDS and provider_of(cloud).takes_spot_maximum


def spot_maximum(cloud: str, *limits: Decimal | None) -> Decimal | None:
    """Return the lowest limit, as a spot request's maximum; None where it names none."""
    known_limits = (limit for limit in limits if limit is not None)
    return min(known_limits, default=None) if takes_spot_maximum(cloud) else None


class Market:
    """The machines, offerings and prices that are relevant for one request."""

    def __init__(self, request: Request, prices: PriceBook, stock: OfferedMachines) -> None:
        self.request = request
        self.prices = prices
        self.stock = stock
        self.modes = cache(self._modes)
        """The requested modes that a cloud has."""
        self.here = cache(self._requested_regions)
        """The requested regions of a cloud, in the order of the request."""

    @cached_property
    def machines(self) -> tuple[Machine, ...]:
        """Every machine of the requested clouds."""
        return tuple(self._all_machines())

    @cached_property
    def own_machines(self) -> frozenset[tuple[str, str]]:
        """The cloud and type of each machine that a row of the user or a lock prices."""
        return frozenset((row.cloud, row.item) for row in self.prices.own_rows)

    def largest(self, machines: Iterable[Machine]) -> str:
        """Return the machine type with the most GPUs, one with a price first; "" of none."""

        def rank(machine: Machine) -> tuple[bool, float]:
            regions = self.regions(machine)
            prices = (
                self.prices.on_demand(machine.cloud, machine.type, place) for place in regions
            )
            return any(prices), float(machine.gpu_count)

        largest = max(machines, key=rank, default=None)
        return "" if largest is None else largest.type

    def regions(self, machine: Machine) -> tuple[str, ...]:
        """Return the requested regions that offer a machine."""
        if machine.cloud == OWN_CLOUD:
            return tuple(region for region in self.request.regions if region in machine.regions)
        return tuple(
            region for region in self.here(machine.cloud) if self._is_offered(machine, region)
        )

    def offering_regions(self, machine: Machine) -> tuple[str, ...]:
        """Return the requested regions that offer a machine; all regions that do if none does."""
        return self.regions(machine) or machine.regions or tuple(self._priced_regions(machine))

    def has_own_price(self, machine: Machine) -> bool:
        """Return whether there is a price of the user's own for a machine as requested."""
        if machine.cloud == OWN_CLOUD:
            return True
        if (machine.cloud, machine.type) not in self.own_machines:
            return False
        return any(self._has_own_price(machine, region) for region in self.here(machine.cloud))

    def rate(
        self, machine: Machine, region: str, modes: Iterable[str] | None = None
    ) -> HourlyRate | None:
        """Return the lowest known rate of a machine in a region, in US dollars if possible."""
        searched = self.modes(machine.cloud) if modes is None else modes
        known_rates = (self._rate(machine, region, mode) for mode in searched)
        return min(
            (hourly_rate for hourly_rate in known_rates if hourly_rate is not None),
            key=lambda rate: (rate.currency != CURRENCY, rate.currency, rate.amount, rate.mode),
            default=None,
        )

    def spot_ceiling(self, machine: Machine, region: str) -> HourlyRate | None:
        """Return the maximum hourly spot cost of a machine where no `max_price` is set."""
        row = self.prices.spot_ceiling(machine.cloud, machine.type, region)
        return None if row is None else row_rate(row, SPOT_CEILING)

    def spot_maximum(self, cloud: str) -> Decimal | None:
        """Return the maximum price that a spot request says to a cloud; None for none."""
        return spot_maximum(cloud, self.request.max_price, self.request.max_per_hour)

    def count(self, machine: Machine) -> int:
        """Return the number of machines requested, or else needed."""
        request = self.request
        if request.model is None or not (request.machines is None or self.misfit_reason(machine)):
            return request.machines or 1
        return self.fewest_machines(machine) or request.machines or 1

    def fewest_machines(self, machine: Machine) -> int | None:
        """Return the fewest machines of a type that hold the model; None if no number does."""
        return (
            None if self.request.model is None else _fewest_machines(self.request.model, machine)
        )

    def adapters(self, machine: Machine, machines: int) -> Decimal | None:
        """Return the GB of each GPU to train adapters alone; None where that does not fit."""
        model = self.request.model
        return None if model is None else _adapters(model, machine, machines)

    def memory_excess(self, machine: Machine) -> Decimal:
        """Return the memory that the model needs per GPU, relative to the memory that it has."""
        model, machines = self.request.model, self.request.machines or 1
        return Decimal("Infinity") if model is None else _memory_excess(model, machine, machines)

    def misfit_reason(self, machine: Machine) -> str:
        """Return why the model does not fit on the requested machines; empty when it does."""
        request = self.request
        if request.model is None:
            return ""
        if request.machines is None and self.fewest_machines(machine):
            return ""
        return _misfit_reason(request.model, machine, request.machines or 1)

    def _all_machines(self) -> Iterator[Machine]:
        for cloud in self.request.clouds:
            yield from self.prices.machines if cloud == OWN_CLOUD else self.stock.machines(cloud)

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
        """Return the modes in which machines of a cloud have prices, including the user's own."""
        commitment_modes = (
            row.mode for row in self.prices.own_rows if row.cloud == cloud and term(row.mode)
        )
        return tuple(dict.fromkeys((*modes_of(cloud), *commitment_modes)))

    def known_regions(self, cloud: str) -> tuple[str, ...]:
        """Return the regions of a cloud; for own hardware, those of the user's machines."""
        if cloud == OWN_CLOUD:
            return tuple(
                dict.fromkeys(
                    region for machine in self.prices.machines for region in machine.regions
                )
            )
        return self.stock.regions(cloud)

    def _requested_regions(self, cloud: str) -> tuple[str, ...]:
        known_regions = frozenset(self.known_regions(cloud))
        return tuple(region for region in self.request.regions if region in known_regions)

    def _is_offered(self, machine: Machine, region: str) -> bool:
        """Return whether a region offers a machine, or the user has a price for it there.

        Where the offerings tell nothing of a region at all (GovCloud, China), a list price tells.
        """
        if region in machine.regions or self._has_own_price(machine, region):
            return True
        if region in self.stock.regions_with_offerings(machine.cloud):
            return False
        return self._has_price_row(machine, region)

    def _has_price_row(self, machine: Machine, region: str) -> bool:
        modes = dict.fromkeys(("on-demand", *self.modes(machine.cloud)))
        return any(self.prices.rows(machine.cloud, machine.type, region, mode) for mode in modes)

    def _priced_regions(self, machine: Machine) -> Iterator[str]:
        """Yield the regions with a price for a machine, of a cloud without offering data."""
        if machine.cloud != OWN_CLOUD and not self.stock.regions_with_offerings(machine.cloud):
            for region in self.stock.regions(machine.cloud):
                if self._has_price_row(machine, region):
                    yield region

    def _has_own_price(self, machine: Machine, region: str) -> bool:
        if (machine.cloud, machine.type) not in self.own_machines:
            return False
        return any(
            self.prices.own_price(machine, region, mode) for mode in self.modes(machine.cloud)
        )

    def _rate(self, machine: Machine, region: str, mode: str) -> HourlyRate | None:
        """Return a rate in dollars, else in another currency; stale spot counts at its maximum."""
        key = (machine.cloud, machine.type, region)
        rate = (
            spot_rate(key, self.prices, day=self.request.day)
            if mode == SPOT
            else list_rate(key, mode, self.prices)
        )
        if rate.stale_spot:
            return rate if rate.priced else None
        if rate.expected is not None:
            return rate
        row = self._foreign_currency_row(machine, region, mode)
        return None if row is None else row_rate(row, mode)

    def _foreign_currency_row(self, machine: Machine, region: str, mode: str) -> Price | None:
        """Return the newest row of a machine in a currency without an exchange rate."""
        rows = self.prices.rows(machine.cloud, machine.type, region, mode)
        national_rows = [row for row in rows if mode == SPOT or row.zone is None]
        newest = max(map(day_of, national_rows), default=None)
        return max(
            (row for row in national_rows if day_of(row) == newest), key=ceiling, default=None
        )


# Few requests name a model, and what it takes of GPUs is loaded for those alone.


def _adapters(request: "ModelRequest", machine: Machine, machines: int) -> Decimal | None:
    from gpuinfra.catalog.sizing.machine_fit import adapters_need  # noqa: PLC0415  (few name a model)

    return adapters_need(request, machine, machines)


@lru_cache(CACHE_SIZE)
def _fewest_machines(model: "ModelRequest", machine: Machine) -> int | None:
    from gpuinfra.catalog.sizing.machine_fit import fewest_machines  # noqa: PLC0415

    return fewest_machines(model, machine)


@lru_cache(CACHE_SIZE)
def _misfit_reason(model: "ModelRequest", machine: Machine, machines: int) -> str:
    from gpuinfra.catalog.sizing.machine_fit import misfit_reason  # noqa: PLC0415

    return misfit_reason(model, machine, machines)


def _memory_excess(model: "ModelRequest", machine: Machine, machines: int) -> Decimal:
    from gpuinfra.catalog.sizing.machine_fit import gpu_memory_gb, memory_need  # noqa: PLC0415

    size = gpu_memory_gb(machine)
    if not size:
        return Decimal("Infinity")
    gpus = max(1, int(machine.gpu_count)) * machines
    return memory_need(model, gpus, machines).per_gpu_gb / size
