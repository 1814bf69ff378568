"""The choice of a cloud for each workload: by constraints, then by price."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from gpuinfra.catalog import PriceBook
from gpuinfra.clouds import CLOUDS
from gpuinfra.errors import Problem
from gpuinfra.planning.cloud_offers import (
    CloudOffer,
    ColocatedWorkloads,
    has_usable_fabric,
    machines_price,
    unpriced_items,
)
from gpuinfra.planning.cloud_reasons import (
    no_common_cloud,
    problems_by_cloud,
    with_alternatives,
    with_reason,
)

_Rank = tuple[int, int, Decimal, int]


def on_rung(offers: Sequence[CloudOffer], label: str | None) -> tuple[CloudOffer, ...]:
    """Return the offers with a rung of this label, which a user named; all if none has one."""
    offers_with_rung = (
        offer
        for offer in offers
        if offer.group_if_offered is not None
        and any(rung.label == label for rung in offer.group_if_offered.rungs)
    )
    return tuple(offers_with_rung) or tuple(offers)


def choose_clouds(
    offers: Mapping[str, Sequence[CloudOffer]],
    ties: Sequence[ColocatedWorkloads],
    prices: PriceBook,
    problems: list[Problem],
) -> dict[str, CloudOffer]:
    """Return the offer that each workload takes; add to `problems` where there is none.

    Of the clouds that hold all workloads of a tie: those whose parts all have a price first, then
    those with a fabric that their image can use, where one is requested, then by the price of all
    machines on their first rungs, then by the order of CLOUDS.
    """
    for cloud_offers in offers.values():
        if not any(offer.group_if_offered is not None for offer in cloud_offers):
            problems += problems_by_cloud(cloud_offers)
    chosen_offers: dict[str, CloudOffer] = {}
    for tie in ties:
        offers_by_workload = {
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
            and all(cloud in offers_by_cloud for offers_by_cloud in offers_by_workload.values())
        ]
        if not clouds and offers_by_workload:
            problems.append(no_common_cloud(tie, offers_by_workload))
        elif offers_by_workload:
            best, compared = _best_cloud(clouds, offers_by_workload, prices)
            names = tuple(offers_by_workload)
            for name in names:
                offers_by_cloud_name = {
                    offer.cloud: _offer_as_compared(offer, compared) for offer in offers[name]
                }
                offer = with_reason(
                    name, tuple(offers_by_cloud_name.values()), best, tie, names, prices
                )
                chosen_offers[name] = with_alternatives(
                    offer, [offers_by_cloud_name[cloud] for cloud in clouds], prices
                )
    return {name: chosen_offers[name] for name in offers if name in chosen_offers}


def _best_cloud(
    clouds: Sequence[str],
    offers_by_workload: Mapping[str, Mapping[str, CloudOffer]],
    prices: PriceBook,
) -> tuple[str, frozenset[str]]:
    """Return the cloud that ranks first, and those whose costs besides machines were compared.

    Parts without a price only worsen a rank, and to find them takes a graph of all resources: a
    cloud that its machines alone put behind is not asked.
    """
    if len(clouds) == 1:
        return clouds[0], frozenset(clouds)
    ranks: list[_Rank] = []
    for rank in sorted(
        _machines_rank(
            [offers_by_cloud[cloud] for offers_by_cloud in offers_by_workload.values()], prices
        )
        for cloud in clouds
    ):
        if ranks and min(ranks) < rank:
            break
        missing, bare, total, cloud_index = rank
        parts = (
            unpriced_items(offers_by_cloud[CLOUDS[cloud_index]], prices)
            for offers_by_cloud in offers_by_workload.values()
        )
        ranks.append((missing + sum(map(len, parts)), bare, total, cloud_index))
    return CLOUDS[min(ranks)[-1]], frozenset(CLOUDS[cloud_index] for *_, cloud_index in ranks)


def _machines_rank(offers: Sequence[CloudOffer], prices: PriceBook) -> _Rank:
    """Return the rank of a cloud by its machines alone, as if all other parts had a price."""
    amounts = [machines_price(offer, prices) for offer in offers]
    return (
        amounts.count(None),
        sum(offer.group is not None and not has_usable_fabric(offer.group) for offer in offers),
        sum((amount for amount in amounts if amount is not None), Decimal(0)),
        CLOUDS.index(offers[0].cloud),
    )


def _offer_as_compared(offer: CloudOffer, compared: Collection[str]) -> CloudOffer:
    """Return an offer without the costs that were not compared."""
    return offer if offer.cloud in compared else replace(offer, costs=tuple)
