"""The ladder of a workload: every rung it may stand on, in order, each with its machine."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import Final

from gpuinfra.catalog import Request, choose
from gpuinfra.catalog.book import COUNTS_AS
from gpuinfra.catalog.choosing.constraints import failures
from gpuinfra.catalog.choosing.market import Market
from gpuinfra.catalog.choosing.stock import STOCK
from gpuinfra.clouds import provider_of
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Machine, Rung
from gpuinfra.planning.ladder_request import LadderRequest, Misfit, Path, PurchaseOption

REMEMBERED: Final = 4096

OF_THE_MARKET: Final = frozenset({"status", "capacity", "region", "commitment", "price"})
"""Constraints that the tables' offerings decide, not what a machine is."""


def ladder(ask: LadderRequest, problems: list[Problem]) -> tuple[Rung, ...]:
    """The rungs in the order in which they are tried; what can't be adds to `problems`.

    All ways of one region come before the next region; a way with a region of its own stands
    once, in its place among the ways of the first region; one that the cloud lacks is told with
    the places. A way written twice is the reader's to tell; here it is told where two different
    ones come to the same rung.

    Where no region is known, machines are sought in all of the cloud, so that what else is wrong
    with them is told too.
    """
    rungs: dict[str, Rung] = {}
    taken: dict[str, Path] = {}
    everywhere = provider_of(ask.place.cloud).regions.all()
    lost = not any(region in everywhere for _, region in _order(ask))
    for way, region in _order(ask):
        if lost:
            _machine(ask, way, everywhere, problems)
        machine = _machine(ask, way, (region,), problems) if region in everywhere else None
        if machine is None:
            continue
        rung = _rung(ask, way, region, machine)
        if not rung.zones and _named_zones(ask, region):
            _tell(ask, [_not_there(ask, region, machine)], problems)
            continue
        if taken.setdefault(rung.label, way.path) != way.path:
            problems.append(
                Problem(
                    message="the ladder has the rung twice",
                    path=way.path,
                    value=rung.label,
                    fix="remove one of the two, or set another region for one",
                )
            )
        rungs[rung.label] = rung
    return tuple(rungs.values())


def with_fabric(ask: LadderRequest) -> LadderRequest:
    """The same with a fabric demanded, where every rung has a machine with one; else unchanged.

    So a workload that prefers a fabric has it on all rungs or on none.
    """
    wished = replace(ask, machine=replace(ask.machine, fabric=True))
    fits = all(_fits(wished, way, region) for way, region in _order(ask))
    return wished if fits else ask


def _order(ask: LadderRequest) -> Iterator[tuple[PurchaseOption, str]]:
    for region in ask.place.regions:
        for way in ask.ways:
            yield way, way.region or region


def _named_zones(ask: LadderRequest, region: str) -> tuple[str, ...]:
    """The zones of a region that the file wants."""
    here = provider_of(ask.place.cloud).regions.zones(region)
    return tuple(zone for zone in ask.place.zones if zone in here)


def _not_there(ask: LadderRequest, region: str, machine: str) -> Problem:
    known = provider_of(ask.place.cloud)
    having = known.regions.chosen(
        region, (), len(known.regions.zones(region)), known.machines.get(machine)
    )
    return Problem(
        message=f"none of the listed zones offers {machine}",
        path=("instance",) if ask.machine.instance is not None else ("gpu",),
        value=", ".join(_named_zones(ask, region)),
        allowed=", ".join(having),
        fix="list one of these under where.zones, or remove zones",
    )


def _rung(ask: LadderRequest, way: PurchaseOption, region: str, machine: str) -> Rung:
    preferred = ask.place.zones if region in ask.place.regions else ()
    known = provider_of(ask.place.cloud)
    zones = known.regions.chosen(region, preferred, ask.zones, known.machines.get(machine))
    base = way.on_demand_base if way.capacity == "spot" else 0
    return _shared(
        replace(way, max_price=_maximum(ask, way, region, machine), on_demand_base=base, path=()),
        machine,
        region,
        zones,
    )


def _maximum(ask: LadderRequest, way: PurchaseOption, region: str, machine: str) -> Decimal | None:
    """What a spot request says as its maximum: the least that the file names.

    A ceiling of the machine that spot never reaches is not said, as it would count as its price.
    """
    if way.capacity != "spot" or not provider_of(ask.place.cloud).takes_spot_maximum:
        return None
    maxima = (way.max_price, ask.machine.max_per_hour)
    least = min((price for price in maxima if price is not None), default=None)
    if least is None or way.max_price is not None:
        return least
    ceiling = ask.prices.spot_ceiling(ask.place.cloud, machine, region)
    return least if ceiling is None or least < ceiling.per_unit else None


@lru_cache(REMEMBERED)
def _shared(way: PurchaseOption, machine: str, region: str, zones: tuple[str, ...]) -> Rung:
    """One rung for all workloads that would have an equal one; large stacks repeat themselves."""
    return Rung(
        capacity=way.capacity,
        machine=machine,
        region=region,
        zones=zones,
        max_price=way.max_price,
        on_demand_base=way.on_demand_base,
        spot_share_above_base=Decimal(1) if way.capacity == "spot" else Decimal(0),
        reservation=way.reservation,
        reserve=way.reserve,
        ends=way.ends,
        placement_group=way.placement_group,
    )


def _machine(
    ask: LadderRequest, way: PurchaseOption, regions: tuple[str, ...], problems: list[Problem]
) -> str | None:
    """The machine of a rung; None when there is none, which `problems` then tells."""
    request = _request(ask, way, regions)
    try:
        machine = _held(ask, way, regions, request) or choose(request, ask.prices).winner.machine
    except InputError as error:
        _tell(ask, error.problems, problems)
        return None
    if not _has_image(request, machine):
        _tell(ask, [_no_image(request, machine)], problems)
        return None
    return machine.type


def _held(
    ask: LadderRequest, way: PurchaseOption, regions: tuple[str, ...], request: Request
) -> Machine | None:
    """The machine that a lock has for a rung, without choosing anew; it has what is asked for.

    What the market says of it, its price and where it is sold, was settled when it was locked.

    Raises:
        InputError: the cloud's table does not have it, or it has not what is asked for.
    """
    machine = _locked(ask, way, regions)
    if machine is None:
        return None
    failed = failures(machine, Market(request, ask.prices, STOCK))
    missed = [miss.reason for name, miss in failed if name not in OF_THE_MARKET]
    if missed:
        where = ".".join(map(str, ask.path))
        rung = f"{way.capacity}@{regions[0]}"
        problem = Misfit(
            message=f"{where} on {rung} is locked to {machine.type}, which {missed[0]}",
            path=("instance",) if ask.machine.instance is not None else ("gpu",),
            value=f"{rung}: {machine.type}",
            fix="`gpuinfra lock --update` chooses again",
        )
        raise InputError([problem])
    return machine


def _locked(ask: LadderRequest, way: PurchaseOption, regions: tuple[str, ...]) -> Machine | None:
    """The machine that a lock has for a rung.

    Raises:
        InputError: the cloud's table does not have it.
    """
    type_ = ask.locked.get(f"{way.capacity}@{regions[0]}") if len(regions) == 1 else None
    if type_ is None:
        return None
    machine = provider_of(ask.place.cloud).machines.get(type_)
    if machine is None:
        problem = Problem(
            message=f"the lock's machine type {type_} is unknown on {ask.place.cloud}",
            path=("instance",) if ask.machine.instance is not None else ("gpu",),
            value=type_,
            fix="`gpuinfra lock --update` chooses again",
        )
        raise InputError([problem])
    return machine


def _tell(ask: LadderRequest, rung_problems: Sequence[Problem], problems: list[Problem]) -> None:
    """Add problems of a machine at the workload's place, each once for all of its rungs."""
    told = set(map(_way_out, problems))
    placed = (replace(problem, path=(*ask.path, *problem.path)) for problem in rung_problems)
    problems += [problem for problem in placed if _way_out(problem) not in told]


def _has_image(request: Request, machine: Machine) -> bool:
    """Whether a machine can start: from the caller's image, or from a public one."""
    return request.purpose is None or provider_of(machine.cloud).images.has_image(
        machine, request.purpose
    )


def _no_image(request: Request, machine: Machine) -> Problem:
    kind = f"{machine.gpu}, {machine.architecture}" if machine.architecture else machine.gpu
    return Problem(
        message=f"no public image is known for {machine.type} ({kind})",
        path=("instance",) if request.instance is not None else ("gpu",),
        value=request.words,
        fix="set machine_image to an image that has its drivers, or use another machine type",
    )


def _way_out(problem: Problem) -> tuple[Path, str, str, str]:
    """What makes two problems one for the reader: the same place, value and fix."""
    return (problem.path, problem.value, problem.allowed, problem.fix)


def _request(ask: LadderRequest, way: PurchaseOption, regions: tuple[str, ...]) -> Request:
    spot = way.capacity == "spot"
    return replace(
        ask.machine,
        regions=regions,
        capacity=COUNTS_AS.get(way.capacity, way.capacity),
        max_price=way.max_price if spot else None,
        base=spot and way.on_demand_base > 0,
    )


def _fits(ask: LadderRequest, way: PurchaseOption, region: str) -> bool:
    """Whether a rung has a machine with what is asked for; of a locked one, with a fabric."""
    request = _request(ask, way, (region,))
    try:
        locked = _locked(ask, way, (region,))
        if locked is not None:
            return bool(locked.fabric and locked.fabric_interfaces)
        machine = choose(request, ask.prices).winner.machine
    except InputError:
        return False
    return _has_image(request, machine)
