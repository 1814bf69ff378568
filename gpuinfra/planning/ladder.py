"""The ladder of a workload: every rung that it may use, in order, each with its machine."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import Final

from gpuinfra.catalog import Request
from gpuinfra.catalog.choosing.candidate_machines import STOCK
from gpuinfra.catalog.choosing.constraints import failures
from gpuinfra.catalog.choosing.known_names import starts
from gpuinfra.catalog.choosing.regional_offers import Market, spot_maximum
from gpuinfra.catalog.choosing.request import on_fabric
from gpuinfra.catalog.choosing.selection import choose_bounded
from gpuinfra.catalog.price_book import COUNTS_AS
from gpuinfra.clouds import provider_of
from gpuinfra.errors import InputError, Problem, lock_update
from gpuinfra.model import Machine, Rung
from gpuinfra.planning.ladder_request import LadderRequest, LockProblem, Path, PurchaseOption

CACHE_SIZE: Final = 4096

MARKET_CONSTRAINTS: Final = frozenset({"status", "capacity", "region", "commitment", "price"})
"""Constraints that the tables' offerings decide, not what a machine is."""


def ladder(ladder_request: LadderRequest, problems: list[Problem]) -> tuple[Rung, ...]:
    """Return the rungs in the order in which they are tried; add impossible ones to `problems`.

    All ways of one region come before the next region; an option with its own region comes
    once, in its place among the ways of the first region; one that the cloud lacks is told with
    the places. A way written twice is the reader's to tell; here it is told where two different
    ones come to the same rung.

    Where no region is known, machines are sought in all of the cloud, so that what else is wrong
    with them is told too.
    """
    rungs: dict[str, Rung] = {}
    taken: dict[str, Path] = {}
    everywhere = provider_of(ladder_request.place.cloud).regions.all()
    no_region = not any(region in everywhere for _, region in _options_by_region(ladder_request))
    for option, region in _options_by_region(ladder_request):
        if no_region:
            _machine(ladder_request, option, everywhere, problems)
        machine = (
            _machine(ladder_request, option, (region,), problems) if region in everywhere else None
        )
        if machine is None:
            continue
        rung = _rung(ladder_request, option, region, machine)
        if not rung.zones and _named_zones(ladder_request, region):
            _add_problems(ladder_request, [_not_there(ladder_request, region, machine)], problems)
            continue
        if taken.setdefault(rung.label, option.path) != option.path:
            problems.append(
                Problem(
                    message="the ladder lists the same rung twice",
                    path=option.path,
                    value=rung.label,
                    fix="remove one of the two, or set another region for one",
                )
            )
        rungs[rung.label] = rung
    return tuple(rungs.values())


def with_fabric(ladder_request: LadderRequest) -> LadderRequest:
    """Return the request; it requires a fabric if every rung has a machine that gains by it.

    So a workload that prefers a fabric has it on all rungs or on none.
    """
    required = replace(ladder_request, machine_request=on_fabric(ladder_request.machine_request))
    is_gain = all(
        _gains_fabric(ladder_request, required, *each)
        for each in _options_by_region(ladder_request)
    )
    return required if is_gain else ladder_request


def _options_by_region(ladder_request: LadderRequest) -> Iterator[tuple[PurchaseOption, str]]:
    for region in ladder_request.place.regions:
        for option in ladder_request.purchase_options:
            yield option, option.region or region


def _named_zones(ladder_request: LadderRequest, region: str) -> tuple[str, ...]:
    """Return the zones of a region that the file names."""
    known_zones = provider_of(ladder_request.place.cloud).regions.zones(region)
    return tuple(zone for zone in ladder_request.place.zones if zone in known_zones)


def _not_there(ladder_request: LadderRequest, region: str, machine: str) -> Problem:
    provider = provider_of(ladder_request.place.cloud)
    offering_zones = provider.regions.chosen(
        region, (), len(provider.regions.zones(region)), provider.machines.get(machine)
    )
    return Problem(
        message=f"none of the listed zones offers {machine}",
        path=ladder_request.machine_key,
        value=", ".join(_named_zones(ladder_request, region)),
        allowed=", ".join(offering_zones),
        fix="list one of these under where.zones, or remove zones",
    )


def _rung(
    ladder_request: LadderRequest, option: PurchaseOption, region: str, machine: str
) -> Rung:
    preferred = ladder_request.place.zones if region in ladder_request.place.regions else ()
    provider = provider_of(ladder_request.place.cloud)
    zones = provider.regions.chosen(
        region, preferred, ladder_request.zones, provider.machines.get(machine)
    )
    base = option.on_demand_base if option.capacity == "spot" else 0
    return _rung_of(
        replace(
            option,
            max_price=_maximum(ladder_request, option, region, machine),
            on_demand_base=base,
            path=(),
        ),
        machine,
        region,
        zones,
    )


def _maximum(
    ladder_request: LadderRequest, option: PurchaseOption, region: str, machine: str
) -> Decimal | None:
    """Return the maximum price of a spot request: the lowest that the file names.

    A ceiling of the machine that spot never reaches is not said, as it would count as its price.
    """
    if option.capacity != "spot":
        return None
    cloud = ladder_request.place.cloud
    least = spot_maximum(cloud, option.max_price, ladder_request.machine_request.max_per_hour)
    if least is None or option.max_price is not None:
        return least
    ceiling = ladder_request.prices.spot_ceiling(cloud, machine, region)
    return least if ceiling is None or least < ceiling.per_unit else None


@lru_cache(CACHE_SIZE)
def _rung_of(option: PurchaseOption, machine: str, region: str, zones: tuple[str, ...]) -> Rung:
    """Return a cached rung, shared by all workloads with an equal one, since stacks repeat."""
    return Rung(
        capacity=option.capacity,
        machine=machine,
        region=region,
        zones=zones,
        max_price=option.max_price,
        on_demand_base=option.on_demand_base,
        spot_share_above_base=Decimal(1) if option.capacity == "spot" else Decimal(0),
        reservation=option.reservation,
        reserve=option.reserve,
        ends=option.ends,
        placement_group=option.placement_group,
    )


def _machine(
    ladder_request: LadderRequest,
    option: PurchaseOption,
    regions: tuple[str, ...],
    problems: list[Problem],
) -> str | None:
    """Return the machine of a rung; None if there is none, with the reason in `problems`."""
    request = _request(ladder_request, option, regions)
    try:
        machine = (
            _locked_machine(ladder_request, option, regions, request)
            or choose_bounded(request, ladder_request.prices).machine
        )
    except InputError as error:
        from gpuinfra.planning.missing_images import no_image_elsewhere  # noqa: PLC0415  (rare)

        image_problem = no_image_elsewhere(request, error)
        _add_problems(
            ladder_request, (image_problem,) if image_problem else error.problems, problems
        )
        return None
    if not starts(machine, request.purpose):
        from gpuinfra.planning.missing_images import no_image  # noqa: PLC0415  (rare)

        _add_problems(ladder_request, [no_image(request, machine)], problems)
        return None
    return machine.type


def _locked_machine(
    ladder_request: LadderRequest,
    option: PurchaseOption,
    regions: tuple[str, ...],
    request: Request,
) -> Machine | None:
    """Return the locked machine of a rung, which must meet the request; None if none is locked.

    What the market says of it, its price and where it is sold, was settled when it was locked.

    Raises:
        InputError: the cloud's table does not have it, or it does not meet the request.
    """
    machine = _machine_from_lock(ladder_request, option, regions)
    if machine is None:
        return None
    failed = failures(machine, Market(request, ladder_request.prices, STOCK))
    missed = [miss.reason for name, miss in failed if name not in MARKET_CONSTRAINTS]
    if missed:
        key_text = ".".join(map(str, ladder_request.path))
        rung = f"{option.capacity}@{regions[0]}"
        problem = LockProblem(
            message=f"{key_text} on {rung} is locked to {machine.type}, which {missed[0]}",
            path=ladder_request.machine_key,
            value=f"{rung}: {machine.type}",
            fix=f"`{lock_update()}` chooses again",
        )
        raise InputError([problem])
    return machine


def _machine_from_lock(
    ladder_request: LadderRequest, option: PurchaseOption, regions: tuple[str, ...]
) -> Machine | None:
    """Return the machine that a lock has for a rung; None if it has none.

    Raises:
        InputError: the cloud's table does not have it.
    """
    type_ = (
        ladder_request.locked.get(f"{option.capacity}@{regions[0]}") if len(regions) == 1 else None
    )
    if type_ is None:
        return None
    machine = provider_of(ladder_request.place.cloud).machines.get(type_)
    if machine is None:
        raise InputError.of(
            f"the lock's machine type {type_} is unknown on {ladder_request.place.cloud}",
            path=ladder_request.machine_key,
            value=type_,
            fix=f"`{lock_update()}` chooses again",
        )
    return machine


def _add_problems(
    ladder_request: LadderRequest, rung_problems: Sequence[Problem], problems: list[Problem]
) -> None:
    """Add a machine's problems at the workload's path, once for all of its rungs."""
    reported = set(map(_problem_key, problems))
    placed = (
        replace(problem, path=(*ladder_request.path, *problem.path)) for problem in rung_problems
    )
    problems += [problem for problem in placed if _problem_key(problem) not in reported]


def _problem_key(problem: Problem) -> tuple[Path, str, str, str]:
    """Return the key that identifies equal problems: path, value, allowed values and fix."""
    return (problem.path, problem.value, problem.allowed, problem.fix)


def _request(
    ladder_request: LadderRequest, option: PurchaseOption, regions: tuple[str, ...]
) -> Request:
    is_spot = option.capacity == "spot"
    return replace(
        ladder_request.machine_request,
        regions=regions,
        capacity=COUNTS_AS.get(option.capacity, option.capacity),
        max_price=option.max_price if is_spot else None,
        base=is_spot and option.on_demand_base > 0,
    )


def _gains_fabric(
    ladder_request: LadderRequest, required: LadderRequest, option: PurchaseOption, region: str
) -> bool:
    """Return whether a rung has a machine with a fabric that is worth its price.

    Its image can use the fabric and its maximum price is known, unless there is none of another
    machine either; or it is the machine that is taken anyway. Of a locked one the fabric counts.
    """
    try:
        locked = _machine_from_lock(ladder_request, option, (region,))
        if locked is not None:
            return bool(locked.fabric and locked.fabric_interfaces)
        joined, other = (
            choose_bounded(_request(each, option, (region,)), each.prices)
            for each in (required, ladder_request)
        )
    except InputError:
        return False
    if not starts(joined.machine, ladder_request.machine_request.purpose):
        return False
    return joined.machine == other.machine or (
        joined.fabric_software and (joined.is_bounded or not other.is_bounded)
    )
