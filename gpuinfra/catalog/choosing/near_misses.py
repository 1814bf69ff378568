"""Constraints to relax: machines that fail a single one, and the savings of each."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.choosing.candidate_machines import STOCK, OfferedMachines
from gpuinfra.catalog.choosing.constraints import ORDER, failures, is_affordable, rates
from gpuinfra.catalog.choosing.machine_constraints import ConstraintMiss, runs_the_same, tflops
from gpuinfra.catalog.choosing.regional_offers import Market
from gpuinfra.catalog.choosing.request import FIGURE_TITLES, PRECISIONS, Request
from gpuinfra.catalog.choosing.selection import (
    Candidate,
    Choice,
    candidate,
    order_before_money,
    rank,
)
from gpuinfra.catalog.gpus import family_of
from gpuinfra.catalog.price_book import CATALOG, PriceBook
from gpuinfra.catalog.rates import HourlyRate
from gpuinfra.model import Machine
from gpuinfra.records import record

NEVER_RELAXED: Final = frozenset(
    {"instance", "status", "fabric", "fabric_speed", "vcpu_per_gpu", "ram_per_gpu"}
)
"""Constraints that can't be relaxed: a named type is the request, a retired one is not sold, and a
machine with less around its GPUs does not do what was asked for."""

SIZE_CONSTRAINTS: Final = frozenset({"gpu", "count", "memory"})
"""Constraints without which a machine may be too small for the same work."""

PER_GPU: Final = {"hour": "$ per GPU-hour", "run": "$ per GPU for the run"}
"""The figures that are of whole machines, and what each is called for one of their GPUs."""


@record
class NearMiss:
    """The best machine that fails one constraint, does the same work and beats the winner.

    `saved_share` is the share (0 to 1) of the winner's figure that it saves, both taken in `unit`;
    None where the two do not compare, as an hour of another GPU does other work, or the winner's
    price is a bound only: then its price has to tell. `required` and `actual` are of the
    constraint.
    """

    constraint: str
    required: str
    actual: str
    candidate: Candidate
    saved_share: Decimal | None
    unit: str


def near_misses(
    request: Request, choice: Choice, prices: PriceBook = CATALOG, stock: OfferedMachines = STOCK
) -> tuple[NearMiss, ...]:
    """Return, for each constraint in order, the savings of relaxing only that one.

    Like is compared with like: in the winner's currency only, per GPU where the number of GPUs in
    a machine is relaxed, and with no machine that stands behind the winner at any cost or is not
    known to hold and to compute as much. Empty where the winner has no figure.
    """
    winner = choice.winner
    if not winner.figure:
        return ()
    market = Market(request, prices, stock)
    best: dict[str, tuple[Candidate, NearMiss]] = {}
    for machine in market.machines:
        failed = failures(machine, market)
        if len(failed) != 1:
            continue
        [(constraint, miss)] = failed
        if not _may_be_relaxed(constraint, machine, market):
            continue
        for offer in _machines_with_figure(machine, market, winner.currency, constraint):
            near_miss = _near_miss(request, constraint, miss, offer, winner)
            # the order of all offers, by the figure that is compared
            comparable = replace(offer, figure=_comparison_figure(request, constraint, offer))
            if near_miss is not None and (
                constraint not in best
                or rank(request.purpose, comparable) < rank(request.purpose, best[constraint][0])
            ):
                best[constraint] = (comparable, near_miss)
    return tuple(best[constraint][1] for constraint in ORDER if constraint in best)


def _may_be_relaxed(constraint: str, machine: Machine, market: Market) -> bool:
    """Return whether a machine that fails a constraint may still do what was asked for."""
    if constraint == "model":
        return market.fewest_machines(machine) is not None
    if constraint == "fabric_kind":
        return bool(machine.fabric)
    if constraint == "vendor" and _trains(market.request):
        family = family_of(machine)
        return family is None or not family.for_inference
    return constraint not in NEVER_RELAXED


def _trains(request: Request) -> bool:
    """Return whether the machines train, as far as the request says."""
    serves = request.model is not None and request.model.task == "serve"
    return request.purpose == "training" or (request.model is not None and not serves)


def _near_miss(
    request: Request,
    constraint: str,
    miss: ConstraintMiss,
    candidate: Candidate,
    winner: Candidate,
) -> NearMiss | None:
    """Return a candidate that fails a constraint if it then beats the winner; else None."""
    saves = 1 - _comparison_figure(request, constraint, candidate) / _comparison_figure(
        request, constraint, winner
    )
    if saves <= 0 or order_before_money(request.purpose, candidate) > order_before_money(
        request.purpose, winner
    ):
        return None
    if constraint in SIZE_CONSTRAINTS and not _matches_winner_size(request, candidate, winner):
        return None
    if constraint == "gpu" and not runs_the_same(candidate.machine, winner.machine):
        return None
    compares_per_gpu = request.by in PER_GPU
    return NearMiss(
        constraint=constraint,
        required=_required_text(request, constraint, miss, winner),
        actual=_replacement_text(constraint, candidate) or miss.actual,
        candidate=candidate,
        saved_share=None
        if winner.bounded_by or (constraint == "gpu" and compares_per_gpu)
        else saves,
        unit=PER_GPU[request.by]
        if constraint == "count" and compares_per_gpu
        else FIGURE_TITLES[request.by],
    )


def _required_text(
    request: Request, constraint: str, miss: ConstraintMiss, winner: Candidate
) -> str:
    """Return what a relaxed constraint requires; of regions, the one that the winner is in."""
    if constraint == "capacity" and request.commitment:
        return f"the commitment {request.commitment}"
    return winner.region if constraint == "region" else miss.required


def _matches_winner_size(request: Request, candidate: Candidate, winner: Candidate) -> bool:
    """Return whether a candidate is known to have the winner's memory and compute rate."""
    precision = request.precision or PRECISIONS[0]

    def sizes(each: Candidate) -> tuple[Decimal | None, Decimal | None]:
        gpus = each.machine.gpu_count * each.machines
        memory = each.machine.gpu_memory_nominal_gb
        rate = tflops(each.machine, precision)
        return memory and memory * gpus, rate and rate * gpus

    pairs = zip(sizes(candidate), sizes(winner), strict=True)
    return all(value is not None and (least is None or value >= least) for value, least in pairs)


def _comparison_figure(request: Request, constraint: str, candidate: Candidate) -> Decimal:
    """Return the figure of a candidate, per GPU where the GPU count is relaxed."""
    figure = candidate.figure or Decimal(0)
    if constraint != "count" or request.by not in PER_GPU:
        return figure
    return figure / (candidate.machine.gpu_count * candidate.machines)


def _replacement_text(constraint: str, candidate: Candidate) -> str:
    """Return the region or purchase mode that a candidate uses instead; else empty."""
    return {"region": candidate.region, "capacity": candidate.mode}.get(constraint, "")


def _machines_with_figure(
    machine: Machine, market: Market, currency: str, constraint: str
) -> Iterator[Candidate]:
    """Yield a machine in each region that offers it, where its figure is in the currency."""
    for region, rate in rates(machine, market, market.offering_regions(machine)):
        if rate is None or rate.currency != currency:
            continue
        if (
            _is_below_limit_today(rate, market.request)
            if constraint == "price"
            else is_affordable(machine, region, rate, market)
        ):
            offer = candidate(machine, region, rate, market)
            if offer.figure is not None:
                yield offer


def _is_below_limit_today(rate: HourlyRate, request: Request) -> bool:
    """Return whether a price that may rise above the maximum price, as on spot, is below it."""
    return request.max_per_hour is not None and rate.amount <= request.max_per_hour
