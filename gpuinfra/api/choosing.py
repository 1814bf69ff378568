"""The choice of a machine: the request, the user's own prices, and the result."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

from gpuinfra import catalog
from gpuinfra.catalog import CATALOG, Candidate, Choice, PriceBook, Request
from gpuinfra.catalog.choosing.candidate_machines import STOCK
from gpuinfra.catalog.choosing.near_misses import NearMiss, near_misses
from gpuinfra.catalog.choosing.regional_offers import Market
from gpuinfra.catalog.continents import regions_of
from gpuinfra.catalog.price_book import OWN_CLOUD
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of, refreshing
from gpuinfra.clouds.region_hints import regions_in
from gpuinfra.model import Purpose
from gpuinfra.records import record
from gpuinfra.today import today
from gpuinfra.units import Range

if TYPE_CHECKING:
    from gpuinfra.catalog.sizing.model_request import ModelRequest
    from gpuinfra.price_overrides.override_rows import PriceOverride
    from gpuinfra.price_overrides.prices import OwnPrices


ANY: Final = "any"
DECIMALS: Final = ("max_per_hour", "max_price", "hours")
"""The demands that may be given as any number."""


class MachineRequirements(TypedDict, total=False):
    """The attributes of a `gpuinfra.catalog.Request` other than GPU, clouds and regions."""

    capacity: str
    commitment: str | None
    memory: Range | None
    count: int | None
    nvlink: bool | None
    nvlink_domain: int | None
    fabric: bool
    fabric_kind: str | None
    fabric_speed: int | None
    precision: str | None
    vcpu_per_gpu: int | None
    ram_per_gpu: int | None
    architecture: str | None
    max_per_hour: Decimal | float | None
    max_price: Decimal | float | None
    base: bool
    model: "ModelRequest | None"
    machines: int | None
    hours: Decimal | float | None
    by: str
    purpose: Purpose | None


@record
class ChooseResult(Choice):
    """The machines that fit a request, ranked, and the reasons why others don't fit.

    Attributes:
        request: the request.
        prices: the book of prices.
        notes: own prices that were left out, and other facts about the prices.
    """

    request: Request
    prices: PriceBook
    notes: tuple[str, ...] = ()

    @property
    def near_misses(self) -> tuple[NearMiss, ...]:
        """For each constraint, the saving over the winner if that constraint alone is relaxed."""
        return near_misses(self.request, self, self.prices)


def choose(
    gpu: str | Request = "",
    *,
    clouds: Sequence[str] = (),
    regions: Sequence[str] = (),
    prices: Path | str | None = None,
    as_of: date | None = None,
    **demands: Unpack[MachineRequirements],
) -> ChooseResult:
    """Rank the machines that fit a request, with the reasons why others do not.

    Args:
        gpu: `H100:8`, `80GB..:8` or an instance type, or a whole `gpuinfra.catalog.Request`; may
            be empty where `memory` or `model` gives the requirement.
        clouds: cloud names, by default all that are priced, and own hardware where there is any.
        regions: names of regions, cities, countries and continents; by default all.
        prices: a file of own prices (a prices.yaml).
        as_of: the day for which own prices hold and spot prices age, by default today.
        **demands: other attributes of `gpuinfra.catalog.Request`, for example `capacity="spot"`.

    Raises:
        InputError: a word is unknown, or demands contradict each other.
        NothingFits: no machine fits; it has the nearest ones. It is an InputError.
    """
    own_prices = _own_prices(prices)
    day = as_of or today()
    book = CATALOG if own_prices is None else own_prices.price_book(day)
    request = (
        gpu if isinstance(gpu, Request) else _request(gpu, clouds, regions, book, day, demands)
    )
    notes: tuple[str, ...] = ()
    if own_prices is not None:
        book, notes = without_insufficient_prices(own_prices, request, book, day)
    return chosen(request, book, (*refreshing.faults(), *notes))


def chosen(request: Request, book: PriceBook, notes: tuple[str, ...] = ()) -> ChooseResult:
    """Rank the machines that fit a request by the prices of a book.

    Raises:
        InputError: a word is unknown, or demands contradict each other.
        NothingFits: no machine fits.
    """
    choice = catalog.choose(request, book)
    return ChooseResult(
        winner=choice.winner,
        ranked=choice.ranked,
        find_losers=choice.find_losers,
        request=request,
        prices=book,
        notes=notes,
    )


def _request(
    gpu: str,
    clouds: Sequence[str],
    regions: Sequence[str],
    book: PriceBook,
    day: date,
    demands: MachineRequirements,
) -> Request:
    cloud_names = tuple(clouds) or every_cloud(book)
    return catalog.request(
        gpu,
        clouds=cloud_names,
        regions=regions_of_words(regions, cloud_names, book),
        day=day,
        own_machine_types=[machine.type for machine in book.machines],
        **{name: _exact_number(name, value) for name, value in demands.items()},
    )


def _exact_number(name: str, value: object) -> object:
    """Return dollars and hours as exact decimals; other demands unchanged."""
    return Decimal(str(value)) if name in DECIMALS and value is not None else value


def _own_prices(prices: Path | str | None) -> "OwnPrices | None":
    if prices is None:
        return None
    from gpuinfra.price_overrides.prices import read_own_prices  # noqa: PLC0415  (it loads pydantic)

    return read_own_prices(Path(prices))


def every_cloud(book: PriceBook) -> tuple[str, ...]:
    """Return all priced clouds, and the user's own hardware if listed."""
    return (*PRICED_CLOUDS, *((OWN_CLOUD,) if book.machines else ()))


def every_region(clouds: Sequence[str], book: PriceBook) -> tuple[str, ...]:
    """Return all regions of the clouds."""
    region_lists = (
        _own_hardware(book) if cloud == OWN_CLOUD else priced_cloud_of(cloud).regions.all()
        for cloud in clouds
    )
    return tuple(
        dict.fromkeys(region for cloud_regions in region_lists for region in cloud_regions)
    )


def regions_of_words(
    words: Sequence[str], clouds: Sequence[str], book: PriceBook
) -> tuple[str, ...]:
    """Return the clouds' regions that words name; by default all.

    A word is a region, a city, a country, a continent, or `any`.

    A word that is none of them stays, to be refused as a region.
    """
    known_regions = every_region(clouds, book)
    if not words or ANY in words:
        return known_regions
    each = (
        (place_name,)
        if place_name in known_regions
        else regions_of(place_name, clouds)
        or regions_in(place_name, known_regions)
        or (place_name,)
        for place_name in words
    )
    return tuple(dict.fromkeys(region for regions in each for region in regions))


def by_machine(ranked: Sequence[Candidate]) -> dict[tuple[str, str], tuple[Candidate, ...]]:
    """Return the candidates of each machine type, best first; they differ by region."""
    candidates_by_machine: dict[tuple[str, str], tuple[Candidate, ...]] = {}
    for candidate in ranked:
        key = (candidate.machine.cloud, candidate.machine.type)
        candidates_by_machine[key] = (*candidates_by_machine.get(key, ()), candidate)
    return candidates_by_machine


def has_one_price(candidates: Sequence[Candidate]) -> bool:
    """Return whether a machine has one price in several regions and no known offer in any."""
    return (
        len(candidates) > 1
        and not candidates[0].machine.regions
        and len({candidate.per_hour for candidate in candidates}) == 1
    )


def _own_hardware(book: PriceBook) -> tuple[str, ...]:
    """Return the regions of the user's own machines."""
    return tuple(region for machine in book.machines for region in machine.regions)


def without_insufficient_prices(
    own: "OwnPrices", request: Request, book: PriceBook, day: date
) -> tuple[PriceBook, tuple[str, ...]]:
    """Return the book without own prices that cover too few machines, and notes on them.

    What the rest of them cost would be a guess; without the row the list price counts.
    """
    market = Market(request, book, STOCK)
    short = [row for row in own.rows if _exceeds_coverage(row, market)]
    if not short:
        return book, own.notes(day)
    remaining = replace(own, rows=tuple(row for row in own.rows if row not in short))
    note = (
        f"{row.location} covers {row.covers} × {row.row.item}, fewer than requested: "
        "it is not used"
        for row in short
    )
    return remaining.price_book(day), (*own.notes(day), *note)


def _exceeds_coverage(own_price: "PriceOverride", market: Market) -> bool:
    """Return whether more machines are requested than an applicable own price covers."""
    row = own_price.row
    if own_price.covers is None or row.cloud not in market.request.clouds:
        return False
    if row.region not in market.here(row.cloud) or row.mode not in market.modes(row.cloud):
        return False
    machine = STOCK.types(row.cloud).get(row.item)
    return machine is not None and market.count(machine) > own_price.covers
