"""What to relax: the machines that fail one constraint alone, and what each would save."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Final

from gpuinfra.catalog.book import CATALOG, Book
from gpuinfra.catalog.constraints import ORDER, affordable, failures, rates
from gpuinfra.catalog.demands import Miss
from gpuinfra.catalog.market import Market
from gpuinfra.catalog.query import Candidate, Choice, candidate, rank
from gpuinfra.catalog.request import Request
from gpuinfra.catalog.stock import STOCK, Stock
from gpuinfra.model import Machine

FIXED: Final = frozenset({"instance", "status"})
"""What nobody can relax: a type that was named is the request, a retired one can't be had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """The best of the machines that fail one constraint and no other, if it beats the winner.

    `saves` is the share (0 to 1) of the winner's figure that it saves; `asked` and `has` are of
    the constraint.
    """

    constraint: str
    asked: str
    has: str
    candidate: Candidate
    saves: Decimal


def near_misses(
    request: Request, choice: Choice, prices: Book = CATALOG, stock: Stock = STOCK
) -> tuple[NearMiss, ...]:
    """For each constraint, in its order, what relaxing it alone would save against the winner.

    Figures are compared in the winner's currency only. Empty where the winner has none.
    """
    won = choice.winner
    if not won.figure:
        return ()
    market = Market(request, prices, stock)
    best: dict[str, tuple[Candidate, Miss]] = {}
    order = partial(rank, request.purpose)
    for machine in market.machines:
        failed = failures(machine, market)
        if len(failed) != 1 or failed[0][0] in FIXED:
            continue
        [(constraint, miss)] = failed
        if constraint == "model" and market.least(machine) is None:
            continue
        for one in _known(machine, market, won.currency, constraint):
            if constraint not in best or order(one) < order(best[constraint][0]):
                best[constraint] = (one, miss)
    found = (
        NearMiss(
            constraint=constraint,
            asked=miss.asked,
            has=_instead(constraint, one) or miss.has,
            candidate=one,
            saves=1 - one.figure / won.figure,
        )
        for constraint, (one, miss) in best.items()
        if one.figure is not None and one.figure < won.figure
    )
    return tuple(sorted(found, key=lambda one: ORDER.index(one.constraint)))


def _instead(constraint: str, one: Candidate) -> str:
    """The region or the way to buy that a candidate takes instead; else empty."""
    return {"region": one.region, "capacity": one.mode}.get(constraint, "")


def _known(
    machine: Machine, market: Market, currency: str, constraint: str
) -> Iterator[Candidate]:
    """A machine in each region that offers it, where its figure is known in a currency."""
    for region, rate in rates(machine, market, market.elsewhere(machine)):
        if rate is None or rate.currency != currency:
            continue
        if constraint == "price" or affordable(rate, market):
            one = candidate(machine, region, rate, market)
            if one.figure is not None:
                yield one
