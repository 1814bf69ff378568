"""The cost of committing to a machine, compared with on demand, and the break-even."""

from decimal import Decimal
from typing import Final

from gpuinfra.catalog.commitment_terms import COMMITMENTS, term
from gpuinfra.catalog.continuous_use_cost import tiered_cost
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.cost.pricing_terms import PricingTerms
from gpuinfra.model import Group, Origin, Price
from gpuinfra.records import record

RULE_OF_THUMB: Final = Decimal("0.42")
"""The buying guides' estimate of a three-year price, as a share of the on-demand one. Shown beside
real prices and never taken for one."""


@record
class Commitment:
    """A commitment to a machine; money is USD for the machine.

    `hours` are those of its term, each of which is paid, and `total` is what they cost.
    `saved_share` is the share of the same hours on demand that it costs less, `break_even_share`
    the share of the term, and `break_even` the hours of it in a row, that the machine has to be in
    use for the commitment to cost less than those hours on demand: above 1 it never pays.
    """

    mode: str
    hours: Decimal
    per_hour: Decimal
    total: Decimal
    saved_share: Decimal
    break_even_share: Decimal
    break_even: Decimal
    as_of: str
    outdated: bool
    source: str
    origin: Origin
    note: str


@record
class CommitmentFacts:
    """The commitments for the machines of a workload, with their prices.

    `unpriced` are the modes that the cloud's tables know and have no price of for this machine;
    `outdated` says whether the on-demand price is.
    """

    workload: str
    machine: str
    region: str
    on_demand: Price | None
    outdated: bool
    commitments: tuple[Commitment, ...]
    unpriced: tuple[str, ...]


def commitment_facts(group: Group, terms: PricingTerms) -> CommitmentFacts:
    """Return the on-demand price of a workload's machine, and every commitment, cheapest first.

    Without an on-demand price nothing can be compared, so there is none.
    """
    rung = group.rung
    list_price = terms.prices.on_demand(group.cloud, rung.machine, rung.region)
    modes = dict.fromkeys((*priced_cloud_of(group.cloud).prices.modes(), *COMMITMENTS))
    rows = {
        mode: terms.prices.list_price(group.cloud, rung.machine, rung.region, mode)
        for mode in modes
        if term(mode) is not None
    }
    commitments = [
        _commitment(price, list_price, terms)
        for price in rows.values()
        if price is not None and list_price is not None
    ]
    return CommitmentFacts(
        workload=group.name,
        machine=rung.machine,
        region=rung.region,
        on_demand=list_price,
        outdated=list_price is not None and _is_outdated(list_price, terms),
        commitments=tuple(
            sorted(commitments, key=lambda commitment: (commitment.per_hour, commitment.mode))
        ),
        unpriced=tuple(
            mode
            for mode in priced_cloud_of(group.cloud).prices.modes()
            if mode in rows and not rows[mode]
        ),
    )


def hours_cost(price: Price, hours: Decimal) -> Decimal:
    """Return the cost of consecutive hours on demand, each at the price of its tier."""
    return tiered_cost(hours, price.per_unit, price.tiers)


def _commitment(price: Price, list_price: Price, terms: PricingTerms) -> Commitment:
    hours = term(price.mode)
    if hours is None:
        raise ValueError(f"{price.mode} is not a commitment")
    total = price.per_unit * hours
    enough = _hours_for(total, list_price)
    return Commitment(
        mode=price.mode,
        hours=hours,
        per_hour=price.per_unit,
        total=total,
        saved_share=1 - total / hours_cost(list_price, hours),
        break_even_share=enough / hours,
        break_even=enough,
        as_of=price.as_of,
        outdated=_is_outdated(price, terms),
        source=price.source,
        origin=price.origin,
        note=price.remark or price.notes,
    )


def _hours_for(total: Decimal, price: Price) -> Decimal:
    """Return the consecutive hours on demand that cost the amount: the inverse of `hours_cost`."""
    since, rate, paid = Decimal(0), price.per_unit, Decimal(0)
    for from_hours, later_tier in price.tiers:
        up_to = paid + (from_hours - since) * rate
        if total <= up_to:
            break
        since, rate, paid = from_hours, later_tier, up_to
    return since + (total - paid) / rate


def _is_outdated(price: Price, terms: PricingTerms) -> bool:
    """Return whether a price is too old; the user's own prices have no age."""
    return price.origin != "user" and terms.is_outdated(price.as_of)
