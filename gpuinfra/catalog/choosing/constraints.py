"""The constraints of a request, in order, and those that a machine fails."""

from collections.abc import Iterable, Iterator
from decimal import ROUND_CEILING, Decimal
from typing import Final

from gpuinfra.catalog.choosing import machine_constraints
from gpuinfra.catalog.choosing.machine_constraints import UNKNOWN, ConstraintMiss, ConstraintTest
from gpuinfra.catalog.choosing.regional_offers import Market, takes_spot_maximum
from gpuinfra.catalog.price_book import CURRENCY, SPOT_CEILING
from gpuinfra.catalog.rates import ON_DEMAND, SPOT, HourlyRate, row_rate
from gpuinfra.model import Machine
from gpuinfra.units import format_money, format_unit_price, round_half_up
from gpuinfra.units.message_merging import first_in_words

UNIT: Final = Decimal("0.0001")
"""The step for rounding up a sufficient maximum price; most list prices are exact by then."""

MAX_OTHER_REGIONS: Final = 3
"""The maximum number of other regions in a reason, same continent first."""


def failures(machine: Machine, market: Market) -> tuple[tuple[str, ConstraintMiss], ...]:
    """Return every constraint that a machine fails, in the order of CONSTRAINTS, with reasons."""
    return tuple(_failures(machine, market))


def fits(machine: Machine, market: Market) -> bool:
    """Return whether a machine fails no constraint; the first that it fails settles that."""
    return next(_failures(machine, market), None) is None


def gpu_counts(market: Market) -> tuple[Decimal, ...]:
    """Return the GPU counts of machines that fit a request in all but their GPU count.

    Fractions of a GPU are listed only for requests of a fraction.
    """
    least = 0 if (market.request.count or 1) < 1 else 1
    counts = (
        machine.gpu_count
        for machine in market.machines
        if machine.gpu_count >= least
        and [name for name, _ in failures(machine, market)] == ["count"]
    )
    return tuple(sorted(set(counts)))


def is_affordable(machine: Machine, region: str, rate: HourlyRate | None, market: Market) -> bool:
    """Return whether a required rate is known, and no rate exceeds the maximum price."""
    most = market.request.max_per_hour
    if most is None:
        return rate is not None or market.request.commitment is None
    return all(
        _is_within_price(hourly_rate, most)
        for hourly_rate in _bounds(machine, region, rate, market)
    )


def priced_modes(machine: Machine, market: Market) -> tuple[str, ...]:
    """Return the modes in which a price is searched: those requested, or the machine's own."""
    if _capacity(machine, market) is None:
        return market.modes(machine.cloud)
    return machine.usage_classes


def rates(
    machine: Machine, market: Market, regions: Iterable[str]
) -> Iterator[tuple[str, HourlyRate | None]]:
    """Yield the rate of a machine in each of the regions, in the modes that apply."""
    modes = priced_modes(machine, market)
    for region in regions:
        yield region, market.rate(machine, region, modes)


def _failures(machine: Machine, market: Market) -> Iterator[tuple[str, ConstraintMiss]]:
    for name, test in CONSTRAINTS:
        miss = test(machine, market)
        if miss is not None:
            yield name, miss


def _status(machine: Machine, market: Market) -> ConstraintMiss | None:
    if machine.status == "current" or market.has_own_price(machine):
        return None
    return ConstraintMiss(
        f"is {machine.status}: no region offers it", "a current type", machine.status
    )


def _capacity(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss if the mode isn't offered; without offering data, a price counts."""
    capacity = market.request.capacity
    if capacity in machine.usage_classes or market.has_own_price(machine):
        return None
    has_no_usage_classes = not machine.usage_classes
    if (has_no_usage_classes or capacity not in market.stock.usage_classes(machine.cloud)) and any(
        market.rate(machine, region) for region in market.offering_regions(machine)
    ):
        return None
    if has_no_usage_classes:
        return ConstraintMiss("its purchase options are unknown", capacity, "")
    offered_modes = ", ".join(machine.usage_classes)
    return ConstraintMiss(
        f"is not offered as {capacity}, only as {offered_modes}", capacity, offered_modes
    )


def _region(machine: Machine, market: Market) -> ConstraintMiss | None:
    if market.regions(machine):
        return None
    regions = " or ".join(market.here(machine.cloud) or market.request.regions)
    not_offered_text = f"is not offered in {regions}" if regions else "is not offered anywhere"
    offering = market.offering_regions(machine)
    if not offering:
        return ConstraintMiss(not_offered_text, regions, "")
    from gpuinfra.catalog.continents import (  # noqa: PLC0415  (only of a machine that is not here)
        continent_of,
        regions_of,
    )

    requested_region = market.request.regions[0] if market.request.regions else ""
    same = set(regions_of(continent_of(requested_region) or "", (machine.cloud,)))
    ranked_regions = sorted(offering, key=lambda region: region not in same)
    others = f"more (gpuinfra catalog show {machine.type})"
    other_regions = first_in_words(ranked_regions, MAX_OTHER_REGIONS, others=others)
    return ConstraintMiss(f"{not_offered_text}, but in {other_regions}", regions, other_regions)


def _commitment(machine: Machine, market: Market) -> ConstraintMiss | None:
    commitment = market.request.commitment
    if commitment is None:
        return None
    regions = market.offering_regions(machine)
    if any(market.rate(machine, region) for region in regions):
        return None
    return ConstraintMiss(
        f"its {commitment} price in {_region_names(regions)} is unknown", commitment, ""
    )


def _price(machine: Machine, market: Market) -> ConstraintMiss | None:
    max_per_hour = market.request.max_per_hour
    if max_per_hour is None:
        return None
    regions = market.offering_regions(machine)
    bounds = [tuple(_bounds(machine, *offer, market)) for offer in rates(machine, market, regions)]
    if any(
        all(_is_within_price(rate, max_per_hour) for rate in price_bound) for price_bound in bounds
    ):
        return None
    limit = format_unit_price(max_per_hour)
    hourly_rates = [dearest for bound in bounds if (dearest := _highest_rate(bound)) is not None]
    if not hourly_rates:
        return ConstraintMiss(
            f"its price in {_region_names(regions)} is unknown", limit, "", UNKNOWN
        )
    least = min(hourly_rates, key=_rate_order)
    if least.currency != CURRENCY:
        cost = format_unit_price(least.amount, least.currency)
        miss_text = f"costs {cost} an hour, and no exchange rate is set"
        return ConstraintMiss(miss_text, limit, "", UNKNOWN)
    is_spot = market.request.capacity == SPOT
    verb = "may cost" if least.mode == SPOT_CEILING else "costs"
    mode_text = (
        {SPOT_CEILING: " on spot", ON_DEMAND: " on demand"}.get(least.mode, "") if is_spot else ""
    )
    is_seen = round_half_up(least.amount) > max_per_hour  # rounded to cents, it is still more
    shown = format_money(least.amount) if is_seen else format_unit_price(least.amount)
    enough = least.amount.quantize(UNIT, ROUND_CEILING)
    return ConstraintMiss(
        f"{verb} {shown} an hour{mode_text}, more than {limit}",
        limit,
        format_unit_price(enough),
        least.amount - max_per_hour,
        enough,
    )


def _bounds(
    machine: Machine, region: str, rate: HourlyRate | None, market: Market
) -> Iterator[HourlyRate | None]:
    """Yield the rates that must not exceed the maximum, if a machine is bought at this rate.

    On spot a price is that of a day. So where the cloud takes no maximum, what spot may cost at
    most counts too. Where it takes one, the request says the ceiling as its maximum; one that
    names less itself is settled by that, not by spot prices. Where the last spot price read is
    stale, it still tells which machines a ceiling is too low for. A base is on demand.
    """
    request = market.request
    if (request.capacity if rate is None else rate.mode) != SPOT:
        yield rate
        return
    most, max_price = request.max_per_hour, request.max_price
    bounded = takes_spot_maximum(machine.cloud)
    if not (bounded and most is not None and max_price is not None and max_price <= most):
        yield rate if rate is None or rate.stale_spot is None else row_rate(rate.stale_spot, SPOT)
    if not bounded:
        yield market.spot_ceiling(machine, region)
    if request.base:
        yield market.rate(machine, region, (ON_DEMAND,))


def _is_within_price(rate: HourlyRate | None, maximum: Decimal) -> bool:
    return rate is not None and rate.currency == CURRENCY and rate.amount <= maximum


def _highest_rate(rate_bounds: Iterable[HourlyRate | None]) -> HourlyRate | None:
    """Return the highest rate, first one without an exchange rate; None where one is None."""
    known_bounds = tuple(rate_bounds)
    return (
        max((rate for rate in known_bounds if rate), key=_rate_order, default=None)
        if all(known_bounds)
        else None
    )


def _rate_order(rate: HourlyRate) -> tuple[bool, Decimal]:
    return (rate.currency != CURRENCY, rate.amount)


def _region_names(regions: tuple[str, ...]) -> str:
    return first_in_words(regions, MAX_OTHER_REGIONS, separator=" or ")


CONSTRAINTS: Final[tuple[tuple[str, ConstraintTest], ...]] = (
    ("instance", machine_constraints.instance),
    ("gpu", machine_constraints.gpu_model),
    ("model", machine_constraints.model),
    ("memory", machine_constraints.memory),
    ("count", machine_constraints.count),
    ("nvlink", machine_constraints.nvlink),
    ("nvlink_domain", machine_constraints.nvlink_domain),
    ("fabric", machine_constraints.fabric),
    ("fabric_kind", machine_constraints.fabric_kind),
    ("fabric_speed", machine_constraints.fabric_speed),
    ("precision", machine_constraints.precision),
    ("vcpu_per_gpu", machine_constraints.vcpu_per_gpu),
    ("ram_per_gpu", machine_constraints.ram_per_gpu),
    ("architecture", machine_constraints.architecture),
    ("vendor", machine_constraints.vendor),
    ("status", _status),
    ("capacity", _capacity),
    ("region", _region),
    ("commitment", _commitment),
    ("price", _price),
)
"""In this order; the first that a machine fails is why it loses."""

ORDER: Final = tuple(name for name, _ in CONSTRAINTS)
