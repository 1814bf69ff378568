"""The choice of a machine: the ranking by a cost figure, and why each of the others lost."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from typing import Final

from gpuinfra.catalog.choosing.candidate_machines import STOCK, OfferedMachines
from gpuinfra.catalog.choosing.constraints import ORDER, failures, gpu_counts, is_affordable, rates
from gpuinfra.catalog.choosing.known_names import starts, unknown
from gpuinfra.catalog.choosing.machine_constraints import ConstraintMiss
from gpuinfra.catalog.choosing.no_match_text import (
    is_buildable,
    relaxed_request_text,
    request_in_words,
    workload_key,
)
from gpuinfra.catalog.choosing.ranking import figure, is_connected_as_advised, run_cost
from gpuinfra.catalog.choosing.regional_offers import Market
from gpuinfra.catalog.choosing.request import Request
from gpuinfra.catalog.choosing.request_problems import contradictions, wrong_words
from gpuinfra.catalog.price_book import CATALOG, CURRENCY, OWN_CLOUD, PriceBook
from gpuinfra.catalog.rates import HourlyRate
from gpuinfra.clouds import CLOUDS
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Machine, Purpose
from gpuinfra.records import record
from gpuinfra.units import plain

MAX_NEAREST: Final = 5
CACHE_SIZE: Final = 4096


@record
class Candidate:
    """A machine that fits, in a region.

    `per_hour` is of one machine, None when it is not known: on demand the list price; on spot the
    dearest of the newest prices over the zones. It is in US dollars unless `currency` names
    another, for which there is no exchange rate. Where `bounded_by` names something, it is the
    most it may cost, by the price on demand, as the spot price is too old to count. `machines` is
    how many are needed, `per_run` what all of them cost for the hours asked for, `figure` what is
    ranked by, `note` what has to be said beside the price; `buildable` tells whether gpuinfra
    builds on its cloud. `connected` tells of several machines that train together whether they
    have a fabric, or as fast a network as the guides advise; None when it is not known.
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
    note: str = ""
    buildable: bool = True
    connected: bool | None = True
    bounded_by: str = ""

    @property
    def all_machines_per_hour(self) -> Decimal | None:
        """The hourly cost of all machines; None when it is unknown."""
        return None if self.per_hour is None else self.per_hour * self.machines


@record
class RejectedMachine:
    """A machine that does not fit: the first constraint that excludes it, and the reason."""

    machine: str
    cloud: str
    constraint: str
    reason: str


@record
class Choice:
    """The winner, the other machines that fit by rank, and why the rest do not fit.

    The losers that come closest are first: those that fail late in the order of constraints,
    then those that fail few, then those that miss by the least.
    """

    winner: Candidate
    ranked: tuple[Candidate, ...]
    losers: tuple[RejectedMachine, ...]


class NothingFits(InputError):  # noqa: N818 - reads as what happened
    """The error that no machine fits; `nearest` are those that miss by the least, `losers` all.

    `way_out` is what to ask for instead, so that the nearest one is no longer excluded; where
    only its price excludes it, `price` is the maximum per hour that lets it in.
    """

    def __init__(
        self,
        problem: Problem,
        losers: tuple[RejectedMachine, ...],
        nearest: tuple[RejectedMachine, ...],
        way_out: str,
        price: Decimal | None = None,
    ) -> None:
        self.losers = losers
        self.nearest = nearest
        self.way_out = way_out
        self.price = price
        super().__init__([problem])


@lru_cache(CACHE_SIZE)
def choose(
    request: Request, prices: PriceBook = CATALOG, stock: OfferedMachines = STOCK
) -> Choice:
    """Rank the machines that fit a request, and explain why each other one does not fit.

    Less of the figure is better. Figures in US dollars come first, then those in other currencies,
    by its code; then machines whose figure is not known; then those without any price. Of equal
    ones, the one that costs less an hour is first, then names decide: type, cloud, region.
    Where the request has a purpose, machines that a public image serves come before all others.

    Where a model is trained on several machines, those that the guides' network joins come
    before those for which it is not known, and those that it does not join come after both,
    whatever they cost; a single machine ranks with the first. Of those with equal rank, the
    clouds that gpuinfra builds on and the user's own machines come before those only priced.

    Args:
        request: the request.
        prices: the price book, with the user's own machines.
        stock: which machines there are; by default those of the clouds' tables.

    Raises:
        InputError: a word that no table has, or wishes that contradict each other; all at once.
        NothingFits: no machine meets the request.
    """
    market = Market(request, prices, stock)
    problems = (*unknown(market), *wrong_words(market), *contradictions(market))
    if problems:
        raise InputError(problems)
    ranked: list[Candidate] = []
    lost: list[_Rejection] = []
    for machine in market.machines:
        failed = failures(machine, market)
        if failed:
            constraint, miss = failed[0]
            near = (-ORDER.index(constraint), len(failed), miss.shortfall)
            lost.append(_Rejection(near, machine, constraint, miss))
        else:
            ranked += _candidates(machine, market)
    lost.sort(key=lambda entry: (entry.distance, entry.machine.type, entry.machine.cloud))
    if not ranked:
        raise _no_fit_error(market, lost)
    ranked.sort(key=partial(rank, request.purpose))
    losers = tuple(entry.rejection for entry in lost)
    return Choice(winner=ranked[0], ranked=tuple(ranked), losers=losers)


def candidate(machine: Machine, region: str, rate: HourlyRate | None, market: Market) -> Candidate:
    """Return a machine in a region at a rate, with its figure for the ranking."""
    machines = market.count(machine)
    if rate is None:
        return Candidate(
            machine=machine,
            region=region,
            per_hour=None,
            as_of="",
            machines=machines,
            buildable=machine.cloud in CLOUDS,
            connected=is_connected_as_advised(machine, market),
        )
    row = rate.row
    return Candidate(
        machine=machine,
        region=region,
        per_hour=rate.amount,
        as_of=row.as_of if row else rate.as_of,
        source=row.source if row else rate.source,
        currency=rate.currency,
        mode=rate.mode,
        machines=machines,
        per_run=run_cost(machine, rate, market),
        figure=figure(machine, rate, market),
        origin=row.origin if row else "catalog",
        bounded_by=rate.bounding_price,
        note="; ".join(dict.fromkeys(filter(None, (row.remark if row else "", rate.note)))),
        buildable=machine.cloud in CLOUDS,
        connected=is_connected_as_advised(machine, market),
    )


def _candidates(machine: Machine, market: Market) -> Iterator[Candidate]:
    for region, rate in rates(machine, market, market.regions(machine)):
        if is_affordable(machine, region, rate, market):
            yield candidate(machine, region, rate, market)


@record(kw_only=False)
class _Rejection:
    """A machine that lost, with its distance from fitting; smaller is nearer."""

    distance: tuple[int, int, Decimal]
    machine: Machine
    constraint: str
    miss: ConstraintMiss

    @property
    def rejection(self) -> RejectedMachine:
        return RejectedMachine(
            machine=self.machine.type,
            cloud=self.machine.cloud,
            constraint=self.constraint,
            reason=self.miss.reason,
        )


def order_before_money(
    purpose: Purpose | None, candidate: Candidate
) -> tuple[bool, bool, bool, int, bool]:
    """Return the criteria that rank before cost: image, price, figure, network, cloud support."""
    return (
        not starts(candidate.machine, purpose),
        candidate.per_hour is None,
        candidate.figure is None,
        _NETWORK[candidate.connected],
        not candidate.buildable and candidate.machine.cloud != OWN_CLOUD,
    )


def rank(
    purpose: Purpose | None, candidate: Candidate
) -> tuple[tuple[bool, bool, bool, int, bool], bool, str, Decimal, Decimal, str, str, str]:
    """Return the sort key of a candidate; lower is better."""
    nothing = Decimal(0)
    return (
        order_before_money(purpose, candidate),
        candidate.currency != CURRENCY,
        candidate.currency,
        candidate.figure or nothing,
        candidate.all_machines_per_hour or nothing,
        candidate.machine.type,
        candidate.machine.cloud,
        candidate.region,
    )


_NETWORK: Final = {True: 0, None: 1, False: 2}
"""The rank of training machines by their network: known as suitable, unknown, known as slow."""


def _suggestion(close: Sequence[_Rejection]) -> _Rejection:
    """Return the nearest machine, if possible a buildable one, for which to relax the request."""
    alike = [entry for entry in close if entry.constraint == close[0].constraint]
    return next((entry for entry in alike if is_buildable(entry.machine)), alike[0])


def _rejection_reasons(close: Sequence[_Rejection]) -> Iterator[str]:
    """Yield why machines don't fit, each reason once, with the first machine and how many more."""
    alike: dict[str, list[str]] = {}
    for entry in close:
        alike.setdefault(entry.miss.reason, []).append(entry.machine.type)
    for reason, types in alike.items():
        more = f" and {len(types) - 1} more" if len(types) > 1 else ""
        yield f"{types[0]}{more}: {reason}"


def _fix_states_reason(entry: _Rejection, way: str) -> bool:
    """Return whether the fix already states the reason: the same regions offer it."""
    return entry.constraint == "region" and bool(entry.miss.actual) and entry.miss.actual in way


def _no_fit_error(market: Market, rejections: Sequence[_Rejection]) -> NothingFits:
    """Return the refusal, at the key that excludes the nearest machine, with the fix."""
    request = market.request
    named = [entry for entry in rejections if entry.machine.type == request.instance]
    nearest = rejections[:MAX_NEAREST]
    close = named or [entry for entry in nearest if entry.constraint != "gpu"] or nearest
    is_count = bool(close) and close[0].constraint == "count"
    entry = _suggestion(close) if close else None
    way = (
        relaxed_request_text(market, entry.machine, entry.constraint, entry.miss) if entry else ""
    )
    others = [entry for entry in close if not _fix_states_reason(entry, way)]
    reasons_text = "; ".join(_rejection_reasons(others))
    label = "the closest" if others[:1] == list(close[:1]) else "also close"
    problem = Problem(
        message=f"no machine type fits: {request_in_words(market)}",
        path=workload_key(request, close[0].constraint) if close else ("gpu",),
        value=request.machine_text,
        allowed=", ".join(map(plain, gpu_counts(market))) if is_count else "",
        fix="; ".join(filter(None, (way, reasons_text and f"{label}: {reasons_text}"))),
    )
    losers = tuple(entry.rejection for entry in rejections)
    price = entry.miss.least_maximum if entry else None
    return NothingFits(problem, losers, tuple(entry.rejection for entry in close), way, price)
