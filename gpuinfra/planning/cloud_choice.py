"""The choice of a cloud for each workload: by constraints, then by price."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from gpuinfra.catalog import PriceBook
from gpuinfra.clouds import CLOUDS
from gpuinfra.errors import Problem
from gpuinfra.planning.cloud_offers import (
    CloudOffer,
    ColocatedWorkloads,
    machines_price,
    unpriced_items,
)
from gpuinfra.planning.cloud_reasons import (
    no_common_cloud,
    problems_by_cloud,
    with_alternatives,
    with_reason,
)


def on_rung(offers: Sequence[CloudOffer], label: str | None) -> tuple[CloudOffer, ...]:
    """Return the offers with a rung of this label, which a user named; all if none has one."""
    having = (
        offer
        for offer in offers
        if offer.group_if_offered is not None
        and any(rung.label == label for rung in offer.group_if_offered.rungs)
    )
    return tuple(having) or tuple(offers)


def choose_clouds(
    offers: Mapping[str, Sequence[CloudOffer]],
    ties: Sequence[ColocatedWorkloads],
    prices: PriceBook,
    problems: list[Problem],
) -> dict[str, CloudOffer]:
    """Return the offer that each workload takes; add to `problems` where there is none.

    Of the clouds that hold all workloads of a tie: those whose parts all have a price first, then
    those that have a fabric where one is preferred, then by the price of all machines on their
    first rungs, then by the order of CLOUDS.
    """
    for each in offers.values():
        if not any(offer.group_if_offered is not None for offer in each):
            problems += problems_by_cloud(each)
    chosen_offers: dict[str, CloudOffer] = {}
    for tie in ties:
        can = {
            name: offers_by_cloud
            for name in tie.workloads
            if (
                offers_by_cloud := {
                    offer.cloud: offer
                    for offer in offers[name]
                    if offer.group_if_offered is not None
                }
            )
        }
        clouds = [
            cloud
            for cloud in CLOUDS
            if tie.required_cloud in {None, cloud}
            and all(cloud in offers_by_cloud for offers_by_cloud in can.values())
        ]
        if not clouds and can:
            problems.append(no_common_cloud(tie, can))
        elif can:
            best = clouds[0] if len(clouds) == 1 else _best_cloud(clouds, can, prices)
            names = tuple(can)
            for name in names:
                offer = with_reason(name, offers[name], best, tie, names, prices)
                chosen_offers[name] = with_alternatives(
                    offer, [can[name][cloud] for cloud in clouds], prices
                )
    return {name: chosen_offers[name] for name in offers if name in chosen_offers}


def _best_cloud(
    clouds: Sequence[str], can: Mapping[str, Mapping[str, CloudOffer]], prices: PriceBook
) -> str:
    return min(clouds, key=lambda cloud: _rank([held[cloud] for held in can.values()], prices))


def _rank(offers: Sequence[CloudOffer], prices: PriceBook) -> tuple[int, int, Decimal, int]:
    missing, bare, total = 0, 0, Decimal(0)
    for offer in offers:
        price = machines_price(offer, prices)
        missing += len(unpriced_items(offer, prices)) + (price is None)
        bare += offer.group is not None and offer.group.fabric is None
        total += price or Decimal(0)
    return (missing, bare, total, CLOUDS.index(offers[0].cloud))
