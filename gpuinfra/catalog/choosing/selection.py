"""The choice of a machine: the ranking by a cost figure, and why each of the others lost."""

from collections.abc import Callable, Iterator
from dataclasses import field
from decimal import Decimal
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Final

from gpuinfra.catalog.choosing.candidate_machines import STOCK, OfferedMachines
from gpuinfra.catalog.choosing.constraints import fits, is_affordable, rates
from gpuinfra.catalog.choosing.known_names import starts, unknown
from gpuinfra.catalog.choosing.ranking import (
    figure,
    has_fabric_software,
    has_linked_gpus,
    is_connected_as_advised,
    run_cost,
)
from gpuinfra.catalog.choosing.regional_offers import Market
from gpuinfra.catalog.choosing.request import Request
from gpuinfra.catalog.choosing.request_problems import contradictions, wrong_words
from gpuinfra.catalog.price_book import CATALOG, CURRENCY, OWN_CLOUD, PriceBook
from gpuinfra.catalog.rates import ON_DEMAND, HourlyRate
from gpuinfra.clouds import CLOUDS
from gpuinfra.errors import InputError
from gpuinfra.model import Machine, Purpose
from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.catalog.choosing.rejections import RejectedMachine

CACHE_SIZE: Final = 4096

OrderBeforeMoney = tuple[bool, bool, bool, bool, int, bool, bool]
"""The part of the sort key of a candidate that comes before its cost."""


@record
class Candidate:
    """A machine that fits, in a region.

    `per_hour` is of one machine, None when it is not known: on demand the list price; on spot the
    dearest of the newest prices over the zones. It is in US dollars unless `currency` names
    another, for which there is no exchange rate. Where `bounded_by` names something, it is the
    most it may cost, by the price on demand or the maximum of the spot request, as the spot price
    is too old to count; `default_maximum` is what it may cost without such a maximum. `machines`
    is how many are needed, `per_run` what all of them cost for the hours asked for, `figure` what
    is ranked by, `note` what has to be said beside the price; `buildable` tells whether gpuinfra
    builds on its cloud. `connected` tells of several machines that train together whether they
    have a fabric, or as fast a network as the guides advise; None when it is not known. `linked`
    is False of those whose GPUs no NVLink joins, `fabric_software` of those whose default
    image lacks the software of the requested fabric. `is_bounded` tells whether it is known what
    a machine may cost at most: a cap counts that.
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
    linked: bool = True
    fabric_software: bool = True
    bounded_by: str = ""
    default_maximum: Decimal | None = None
    is_bounded: bool = True

    @property
    def all_machines_per_hour(self) -> Decimal | None:
        """The hourly cost of all machines; None when it is unknown."""
        return None if self.per_hour is None else self.per_hour * self.machines


@record
class Choice:
    """The winner, the other machines that fit by rank, and why the rest do not fit.

    Why the rest do not fit is looked for when it is asked, as a plan needs the winner alone.
    """

    winner: Candidate
    ranked: tuple[Candidate, ...]
    find_losers: "Callable[[], tuple[RejectedMachine, ...]]" = field(repr=False)

    @property
    def losers(self) -> "tuple[RejectedMachine, ...]":
        """The machines that do not fit, those that come closest first.

        These fail late in the order of constraints, then fail few, then miss by the least.
        """
        return self.find_losers()


@lru_cache(CACHE_SIZE)
def choose(
    request: Request, prices: PriceBook = CATALOG, stock: OfferedMachines = STOCK
) -> Choice:
    """Rank the machines that fit a request, and explain why each other one does not fit.

    Less of the figure is better. Figures in US dollars come first, then those in other currencies,
    by its code; then machines whose figure is not known; then those without any price. Of equal
    ones, the one that costs less an hour is first, then the one of fewer machines, then names
    decide: type, cloud, region.
    Where the request has a purpose, machines that a public image serves come before all others;
    where it asks for the software of a fabric, machines whose default image lacks it come last.

    Where a model is trained on several machines, those that the guides' network joins come
    before those for which it is not known, and those that it does not join come after both,
    whatever they cost; of those with an equal network, the ones whose GPUs have NVLink come
    first. A single machine ranks with the first. Of those with equal rank, the clouds that
    gpuinfra builds on and the user's own machines come before those only priced.

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
    fitting = [machine for machine in market.machines if fits(machine, market)]
    ranked = [
        fitting_candidate
        for machine in fitting
        for fitting_candidate in _candidates(machine, market)
    ]
    if not ranked:
        from gpuinfra.catalog.choosing.rejections import no_fit_error  # noqa: PLC0415  (an error)

        raise no_fit_error(market)
    ranked.sort(key=partial(rank, request.purpose))
    find_losers = cache(partial(_losers, request, prices, stock))
    return Choice(winner=ranked[0], ranked=tuple(ranked), find_losers=find_losers)


def choose_bounded(request: Request, prices: PriceBook = CATALOG) -> Candidate:
    """Return the first machine whose maximum price is known; the first of all if none is.

    One that a public image starts is not passed over for one that none does, nor one whose image
    has the software of the requested fabric for one without it.

    Raises:
        InputError: as `choose` does.
    """
    choice = choose(request, prices)

    def usable(candidate: Candidate) -> tuple[bool, bool]:
        return starts(candidate.machine, request.purpose), candidate.fabric_software

    bounded = (candidate for candidate in choice.ranked if candidate.is_bounded)
    least = usable(choice.winner)
    return next((each for each in bounded if usable(each) >= least), choice.winner)


def _losers(
    request: Request, prices: PriceBook, stock: OfferedMachines
) -> "tuple[RejectedMachine, ...]":
    from gpuinfra.catalog.choosing.rejections import losers  # noqa: PLC0415  (few ask why)

    return losers(Market(request, prices, stock))


def candidate(machine: Machine, region: str, rate: HourlyRate | None, market: Market) -> Candidate:
    """Return a machine in a region at a rate, with its figure for the ranking."""
    if rate is None:
        return Candidate(
            machine=machine,
            region=region,
            per_hour=None,
            as_of="",
            machines=market.count(machine),
            buildable=machine.cloud in CLOUDS,
            connected=is_connected_as_advised(machine, market),
            linked=has_linked_gpus(machine, market),
            fabric_software=has_fabric_software(machine, market),
            is_bounded=False,
        )
    bounded_rate = rate.at_most(market.spot_maximum(machine.cloud))
    return _priced_candidate(machine, region, bounded_rate, market)


def _priced_candidate(
    machine: Machine, region: str, rate: HourlyRate, market: Market
) -> Candidate:
    row = rate.row
    return Candidate(
        machine=machine,
        region=region,
        per_hour=rate.amount,
        as_of=row.as_of if row else rate.as_of,
        source=row.source if row else rate.source,
        currency=rate.currency,
        mode=rate.mode,
        machines=market.count(machine),
        per_run=run_cost(machine, rate, market),
        figure=figure(machine, rate, market),
        origin=row.origin if row else "catalog",
        bounded_by=rate.bounding_price,
        default_maximum=rate.default_maximum if rate.bounding_price else None,
        note="; ".join(dict.fromkeys(filter(None, (row.remark if row else "", rate.note)))),
        buildable=machine.cloud in CLOUDS,
        connected=is_connected_as_advised(machine, market),
        linked=has_linked_gpus(machine, market),
        fabric_software=has_fabric_software(machine, market),
        is_bounded=rate.ceiling is not None and _has_priced_base(machine, region, market),
    )


def _has_priced_base(machine: Machine, region: str, market: Market) -> bool:
    """Return whether the machines that are on demand beside those on spot have a price."""
    return not market.request.base or market.rate(machine, region, (ON_DEMAND,)) is not None


def _candidates(machine: Machine, market: Market) -> Iterator[Candidate]:
    for region, rate in rates(machine, market, market.regions(machine)):
        if is_affordable(machine, region, rate, market):
            yield candidate(machine, region, rate, market)


def order_before_money(purpose: Purpose | None, candidate: Candidate) -> OrderBeforeMoney:
    """Return what ranks before cost: image, price, figure, fabric, network, NVLink, cloud."""
    return (
        not starts(candidate.machine, purpose),
        candidate.per_hour is None,
        candidate.figure is None,
        not candidate.fabric_software,
        _NETWORK[candidate.connected],
        not candidate.linked,
        not candidate.buildable and candidate.machine.cloud != OWN_CLOUD,
    )


def rank(
    purpose: Purpose | None, candidate: Candidate
) -> tuple[
    OrderBeforeMoney,
    bool,
    str,
    Decimal,
    Decimal,
    Decimal,
    int,
    str,
    str,
    str,
]:
    """Return the sort key of a candidate; lower is better.

    Among those that a maximum of the request bounds alike, the price on demand decides: the lower
    it is, the likelier spot is sold at that maximum.
    """
    nothing = Decimal(0)
    return (
        order_before_money(purpose, candidate),
        candidate.currency != CURRENCY,
        candidate.currency,
        candidate.figure or nothing,
        candidate.all_machines_per_hour or nothing,
        candidate.default_maximum or nothing,
        candidate.machines,
        candidate.machine.type,
        candidate.machine.cloud,
        candidate.region,
    )


_NETWORK: Final = {True: 0, None: 1, False: 2}
"""The rank of training machines by their network: known as suitable, unknown, known as slow."""
