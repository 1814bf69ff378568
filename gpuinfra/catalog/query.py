"""The choice of a machine: ranked by price, and why each of the others lost."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache, partial
from typing import Final

from gpuinfra.catalog.book import CATALOG, Book, dearest
from gpuinfra.catalog.constraints import CONSTRAINTS, failures, offered
from gpuinfra.catalog.gpus import matching, words
from gpuinfra.catalog.known import clouds_with, unknown_region, unknown_type
from gpuinfra.catalog.request import Request
from gpuinfra.clouds import room
from gpuinfra.errors import InputError, Problem, nearest
from gpuinfra.model import Machine, Purpose
from gpuinfra.units import format_size

NEAREST: Final = 5
REMEMBERED: Final = 4096
ORDER: Final = tuple(name for name, _ in CONSTRAINTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A machine that fits, in a region; `per_hour` None when nobody knows its price there.

    On demand it is the list price; on spot, the dearest of the newest prices over the zones.
    """

    machine: Machine
    region: str
    per_hour: Decimal | None
    as_of: str
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loser:
    """A machine that does not fit: the first constraint that excludes it, and why."""

    machine: str
    reason: str
    constraint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Who won, who else fits in the order of price, and why each other machine does not.

    The losers that come closest stand first: those that fail late in the order of constraints.
    """

    winner: Candidate
    ranked: tuple[Candidate, ...]
    losers: tuple[Loser, ...]


class NothingFits(InputError):  # noqa: N818 - reads as what happened
    """No machine fits; `nearest` are those that miss the least."""

    def __init__(self, problem: Problem, nearest: tuple[Loser, ...]) -> None:
        self.nearest = nearest
        super().__init__([problem])


@lru_cache(REMEMBERED)
def choose(request: Request, prices: Book = CATALOG) -> Choice:
    """Rank the machines that fit a request by price, then name; unpriced ones come last.

    Where the request has a purpose, machines that a public image serves come before all others.

    Raises:
        InputError: an unknown GPU, machine type, region or cloud.
        NothingFits: no machine has all that is asked for.
    """
    problems = tuple(_unknown(request))
    if problems:
        raise InputError(problems)
    ranked: list[Candidate] = []
    lost: list[tuple[tuple[int, int], Loser]] = []
    for machine in room(request.cloud).machines():
        failed = failures(machine, request)
        if not failed:
            ranked += _candidates(machine, request, prices)
        else:
            constraint, reason = failed[0]
            loser = Loser(machine=machine.type, reason=reason, constraint=constraint)
            lost.append(((-ORDER.index(constraint), len(failed)), loser))
    lost.sort(key=lambda one: (one[0], one[1].machine))
    losers = tuple(loser for _, loser in lost)
    if not ranked:
        raise NothingFits(_nothing(request, losers), losers[:NEAREST])
    ranked.sort(key=partial(_rank, request.purpose))
    return Choice(winner=ranked[0], ranked=tuple(ranked), losers=losers)


def _candidates(machine: Machine, request: Request, prices: Book) -> Iterator[Candidate]:
    find = prices.spot if request.capacity == "spot" else prices.on_demand
    for region in request.regions:
        if not offered(machine, region):
            continue
        price = find(machine.cloud, machine.type, region)
        yield Candidate(
            machine=machine,
            region=region,
            per_hour=None if price is None else dearest(price),
            as_of="" if price is None else price.as_of,
            source="" if price is None else price.source,
        )


def _rank(purpose: Purpose | None, one: Candidate) -> tuple[bool, bool, Decimal, str, str]:
    bare = purpose is not None and not room(one.machine.cloud).has_image(one.machine, purpose)
    return (bare, one.per_hour is None, one.per_hour or Decimal(0), one.machine.type, one.region)


def _unknown(request: Request) -> Iterator[Problem]:
    """The words of a request that no table has."""
    machines = room(request.cloud).machines()
    if request.gpu is not None:
        keys = matching(request.gpu)
        offers = {one.gpu for one in machines if one.status == "current"}
        if not keys:
            here = tuple(word for word in words() if not offers.isdisjoint(matching(word)))
            yield Problem(
                message="unknown GPU",
                path=("gpu",),
                value=request.words,
                allowed=", ".join(sorted(offers)),
                suggestion=nearest(request.gpu, here),
            )
        elif not any(one.gpu in keys for one in machines):
            elsewhere = ", ".join(clouds_with(keys))
            yield Problem(
                message="no machine has this GPU",
                path=("gpu",),
                value=request.words,
                allowed=", ".join(sorted(offers)),
                fix=f"it is found on {elsewhere}" if elsewhere else "",
            )
    if request.instance is not None:
        wrong = unknown_type(request.cloud, request.instance, ("instance",))
        yield from () if wrong is None else (wrong,)
    for index, region in enumerate(request.regions):
        wrong = unknown_region(request.cloud, region, ("where", "regions", index))
        yield from () if wrong is None else (wrong,)


def _nothing(request: Request, losers: tuple[Loser, ...]) -> Problem:
    near = "; ".join(f"{one.machine} {one.reason}" for one in losers[:NEAREST])
    if request.instance is not None:
        own = [one for one in losers if one.machine == request.instance]
        near = "; ".join(f"{one.machine} {one.reason}" for one in own) or near
    return Problem(
        message=f"no machine fits: {_wish(request)}",
        path=("instance",) if request.instance is not None else ("gpu",),
        value=request.words,
        fix=f"ask for less, another region or another capacity; the closest: {near}",
    )


def _wish(request: Request) -> str:
    parts = [request.instance or request.gpu or "any GPU"]
    if request.count is not None:
        parts[0] = f"{parts[0]}:{request.count}"
    if request.memory is not None:
        low, high = request.memory.minimum, request.memory.maximum
        parts.append(
            f"of {format_size(low)}" + (f" to {format_size(high)}" if high else " or more")
        )
    if request.nvlink is not None:
        parts.append("with NVLink" if request.nvlink else "without NVLink")
    if request.fabric:
        parts.append("with a fabric")
    everywhere = request.regions == room(request.cloud).regions()
    where = "in any region" if everywhere else f"in {' or '.join(request.regions)}"
    return f"{' '.join(parts)}, {request.capacity}, {where}"
