"""Other places: the regions of the stack or of a workload, and their zones."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.fixes.fix import Path
from gpuinfra.fixes.options import Dimension, Option, OptionContext
from gpuinfra.rules.rule import Family
from gpuinfra.specs import Where

MOVED: Final = 2
REGIONS: Final[frozenset[Family]] = frozenset({"budget", "spot"})
ZONES: Final[frozenset[Family]] = frozenset({"fabric", "hygiene"})


def dimensions(ground: OptionContext) -> Iterator[Dimension]:
    """What may be changed of where things stand; a move takes the data along."""
    works = (("training", ground.stack.training), ("inference", ground.stack.inference))
    yield from _where(ground, ("where",), ground.stack.where, "")
    for section, named in works:
        for name, work in named.items():
            if work.where is not None:
                about = f"{section}.{name}"
                yield from _where(ground, (section, name, "where"), work.where, about)


def _where(ground: OptionContext, path: Path, where: Where, about: str) -> Iterator[Dimension]:
    if where.cloud not in CLOUDS:
        return
    for what, family, options in (
        ("regions", REGIONS, tuple(_regions(ground, path, where))),
        ("zones", ZONES, tuple(_zones(ground, path, where))),
    ):
        if options:
            yield Dimension(what=what, about=about, options=options, for_=family)


def _regions(ground: OptionContext, path: Path, where: Where) -> Iterator[Option]:
    """Each of the regions alone, then every other one, those of the same continent first."""
    place = (*path, "regions")
    own = where.regions
    if len(own) > 1:
        for region in own:
            yield ground.option(place, [region])
    if where.zones:
        return
    near = next(iter(own)).split("-")[0]
    others = [region for region in provider_of(where.cloud).regions.all() if region not in own]
    for region in sorted(others, key=lambda other: (other.split("-")[0] != near, other)):
        if _sells(ground, where.cloud, region):
            yield ground.option(place, [region], upheaval=MOVED)


def _sells(ground: OptionContext, cloud: str, region: str) -> bool:
    """Whether anything of a plan's machines, if there is one, has a price there."""
    if ground.plan is None:
        return True
    machines = {
        rung.machine
        for group in ground.plan.groups
        if group.cloud == cloud
        for rung in group.rungs
    }
    prices = ground.prices
    asks = any(
        work.gpu for work in (*ground.stack.training.values(), *ground.stack.inference.values())
    )
    return (
        asks
        or not machines
        or any(prices.on_demand(cloud, machine, region) is not None for machine in machines)
    )


def _zones(ground: OptionContext, path: Path, where: Where) -> Iterator[Option]:
    """Each listed zone alone, none listed, and each other zone of the first region."""
    if not where.zones:
        return
    place = (*path, "zones")
    if len(where.zones) > 1:
        for zone in where.zones:
            yield ground.option(place, [zone])
    yield ground.option(place, [])
    for zone in provider_of(where.cloud).regions.zones(where.regions[0]):
        if zone not in where.zones:
            yield ground.option(place, [zone], upheaval=MOVED)
