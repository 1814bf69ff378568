"""The choice of a machine: ranked by a figure in money, and why each of the others lost."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache, partial
from typing import Final

from gpuinfra.catalog.book import CATALOG, CURRENCY, Book
from gpuinfra.catalog.constraints import ORDER, affordable, failures, rates
from gpuinfra.catalog.demands import Miss
from gpuinfra.catalog.known import unknown
from gpuinfra.catalog.market import Market, Rate
from gpuinfra.catalog.ranking import figure, run_cost
from gpuinfra.catalog.request import Request
from gpuinfra.catalog.stock import STOCK, Stock
from gpuinfra.catalog.wording import wish
from gpuinfra.catalog.words import contradictions, wrong_words
from gpuinfra.clouds import CLOUDS, room
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Machine, Purpose

NEAREST: Final = 5
REMEMBERED: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A machine that fits, in a region.

    `per_hour` is of one machine, None when nobody knows it: on demand the list price; on spot the
    dearest of the newest prices over the zones. It is in US dollars unless `currency` names
    another, for which nobody gave an exchange rate. `machines` is how many are needed,
    `per_run` what all of them cost for the hours asked for, `figure` what is ranked by, `said`
    what has to be said beside the price; `built` tells whether gpuinfra builds on its cloud.
    """

    machine: Machine
    region: str
    per_hour: Decimal | None
    as_of: str
    source: str = ""
    currency: str = CURRENCY
    mode: str = ""
    machines: int = 1
    per_run: Decimal | None = None
    figure: Decimal | None = None
    origin: str = "catalog"
    said: str = ""
    built: bool = True

    @property
    def together(self) -> Decimal | None:
        """What all machines cost an hour; None when nobody knows."""
        return None if self.per_hour is None else self.per_hour * self.machines


@dataclass(frozen=True, slots=True, kw_only=True)
class Loser:
    """A machine that does not fit: the first constraint that excludes it, and why."""

    machine: str
    cloud: str
    constraint: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Who won, who else fits in the order of the figure, and why each other machine does not.

    The losers that come closest stand first: those that fail late in the order of constraints,
    then those that fail few, then those that are least off.
    """

    winner: Candidate
    ranked: tuple[Candidate, ...]
    losers: tuple[Loser, ...]


class NothingFits(InputError):  # noqa: N818 - reads as what happened
    """No machine fits; `nearest` are those that miss the least, `losers` all."""

    def __init__(self, problem: Problem, losers: tuple[Loser, ...]) -> None:
        self.losers = losers
        self.nearest = losers[:NEAREST]
        super().__init__([problem])


@lru_cache(REMEMBERED)
def choose(request: Request, prices: Book = CATALOG, stock: Stock = STOCK) -> Choice:
    """Rank the machines that fit a request, and say why each other one does not.

    Less of the figure is better. Figures in US dollars come first, then those in other currencies,
    by its code; then machines whose figure is not known; then those without any price. Of equal
    ones, the one that costs less an hour is first, then names decide: type, cloud, region.
    Where the request has a purpose, machines that a public image serves come before all others.

    Args:
        request: what is asked for.
        prices: what the rates are taken from, the user's own machines with them.
        stock: which machines there are; by default those of the clouds' tables.

    Raises:
        InputError: a word that no table has, or wishes that can't be had together; all at once.
        NothingFits: no machine has all that is asked for.
    """
    market = Market(request, prices, stock)
    problems = (*unknown(market), *wrong_words(market), *contradictions(market))
    if problems:
        raise InputError(problems)
    ranked: list[Candidate] = []
    lost: list[tuple[tuple[int, int, Decimal], Loser]] = []
    for machine in market.machines:
        failed = failures(machine, market)
        if failed:
            constraint, miss = failed[0]
            near = (-ORDER.index(constraint), len(failed), miss.off)
            lost.append((near, _loser(machine, constraint, miss)))
        else:
            ranked += _candidates(machine, market)
    lost.sort(key=lambda one: (one[0], one[1].machine, one[1].cloud))
    losers = tuple(loser for _, loser in lost)
    if not ranked:
        raise NothingFits(_nothing(market, losers), losers)
    ranked.sort(key=partial(rank, request.purpose))
    return Choice(winner=ranked[0], ranked=tuple(ranked), losers=losers)


def candidate(machine: Machine, region: str, rate: Rate | None, market: Market) -> Candidate:
    """A machine in a region at a rate, with what it is ranked by."""
    machines = market.count(machine)
    if rate is None:
        return Candidate(
            machine=machine,
            region=region,
            per_hour=None,
            as_of="",
            machines=machines,
            built=machine.cloud in CLOUDS,
        )
    return Candidate(
        machine=machine,
        region=region,
        per_hour=rate.amount,
        as_of=rate.row.as_of,
        source=rate.row.source,
        currency=rate.currency,
        mode=rate.mode,
        machines=machines,
        per_run=run_cost(machine, rate, market),
        figure=figure(machine, rate, market),
        origin=rate.row.origin,
        said=rate.row.said,
        built=machine.cloud in CLOUDS,
    )


def _candidates(machine: Machine, market: Market) -> Iterator[Candidate]:
    for region, rate in rates(machine, market, market.regions(machine)):
        if affordable(rate, market):
            yield candidate(machine, region, rate, market)


def _loser(machine: Machine, constraint: str, miss: Miss) -> Loser:
    return Loser(
        machine=machine.type, cloud=machine.cloud, constraint=constraint, reason=miss.reason
    )


def rank(
    purpose: Purpose | None, one: Candidate
) -> tuple[bool, bool, bool, bool, str, Decimal, Decimal, str, str, str]:
    """Where a candidate stands among others: the less, the better."""
    nothing = Decimal(0)
    return (
        purpose is not None and not _has_image(one.machine, purpose),
        one.per_hour is None,
        one.figure is None,
        one.currency != CURRENCY,
        one.currency,
        one.figure or nothing,
        one.together or nothing,
        one.machine.type,
        one.machine.cloud,
        one.region,
    )


def _has_image(machine: Machine, purpose: Purpose) -> bool:
    return machine.cloud in CLOUDS and room(machine.cloud).has_image(machine, purpose)


def _nothing(market: Market, losers: tuple[Loser, ...]) -> Problem:
    asked = market.request
    close = [one for one in losers if one.machine == asked.instance] or losers[:NEAREST]
    near = "; ".join(f"{one.machine} {one.reason} ({one.constraint})" for one in close)
    return Problem(
        message=f"no machine fits: {wish(market)}",
        path=("instance",) if asked.instance is not None else ("gpu",),
        value=asked.words,
        fix=f"ask for less, another region or another capacity; the closest: {near}",
    )
