"""Edits to locations: the regions of the stack or of a workload, and their zones."""

from collections.abc import Iterator, Sequence
from typing import Final

from gpuinfra.catalog.continents import continent_of
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.fixes.fix import Path
from gpuinfra.fixes.options import Dimension, EditOption, OptionContext
from gpuinfra.fixes.tradeoffs import ONE, LostShare
from gpuinfra.rules.rule import Family
from gpuinfra.specs import Where

MOVED_UPHEAVAL: Final = 2

REGIONS: Final[frozenset[Family]] = frozenset({"budget", "fabric", "spot"})
ZONES: Final[frozenset[Family]] = frozenset({"fabric", "hygiene"})


def dimensions(context: OptionContext) -> Iterator[Dimension]:
    """Yield the possible edits to locations; a move takes the data along."""
    workloads_by_section = (
        ("training", context.stack.training),
        ("inference", context.stack.inference),
    )
    yield from _place_dimensions(context, ("where",), context.stack.where, "")
    for section, workloads in workloads_by_section:
        for name, work in workloads.items():
            if work.where is not None:
                subject = f"{section}.{name}"
                yield from _place_dimensions(
                    context, (section, name, "where"), work.where, subject
                )


def _place_dimensions(
    context: OptionContext, path: Path, location: Where, subject: str
) -> Iterator[Dimension]:
    if location.cloud not in CLOUDS:
        return
    for title, family, options in (
        ("regions", REGIONS, tuple(_regions(context, path, location))),
        ("zones", ZONES, tuple(_zones(context, path, location))),
    ):
        if options:
            yield Dimension(name=title, subject=subject, options=options, families=family)


def _regions(context: OptionContext, path: Path, location: Where) -> Iterator[EditOption]:
    """Yield each listed region alone, then other regions, same continent first.

    A move to another continent gives up the place, as laws and contracts may bind data to it.
    """
    regions_path = (*path, "regions")
    own_regions = location.regions
    if len(own_regions) > 1:
        for region in own_regions:
            yield context.option(regions_path, [region])
    if location.zones:
        return
    continents = {continent_of(region) for region in own_regions}
    other_regions = [
        region for region in provider_of(location.cloud).regions.all() if region not in own_regions
    ]
    for region in sorted(
        other_regions, key=lambda other: (continent_of(other) not in continents, other)
    ):
        if _has_price(context, location.cloud, region):
            losses = () if continent_of(region) in continents else (_continent_loss(own_regions),)
            yield context.option(regions_path, [region], losses, disruption=MOVED_UPHEAVAL)


def _continent_loss(regions: Sequence[str]) -> LostShare:
    """Return the loss of a move to another continent."""
    continents = dict.fromkeys(continent_of(region) or region for region in regions)
    return ONE, f"the location: machines and data leave {' and '.join(continents)}"


def _has_price(context: OptionContext, cloud: str, region: str) -> bool:
    """Return whether a machine of the plan has a price in the region; True without a plan."""
    if context.plan is None:
        return True
    machines = {
        rung.machine
        for group in context.plan.groups
        if group.cloud == cloud
        for rung in group.rungs
    }
    prices = context.prices
    needs_gpu = any(
        work.gpu for work in (*context.stack.training.values(), *context.stack.inference.values())
    )
    return (
        needs_gpu
        or not machines
        or any(prices.on_demand(cloud, machine, region) is not None for machine in machines)
    )


def _zones(context: OptionContext, path: Path, location: Where) -> Iterator[EditOption]:
    """Yield each listed zone alone, no zone, and each other zone of the first region."""
    if not location.zones:
        return
    zones_path = (*path, "zones")
    if len(location.zones) > 1:
        for zone in location.zones:
            yield context.option(zones_path, [zone])
    yield context.option(zones_path, [])
    for zone in provider_of(location.cloud).regions.zones(location.regions[0]):
        if zone not in location.zones:
            yield context.option(zones_path, [zone], disruption=MOVED_UPHEAVAL)
