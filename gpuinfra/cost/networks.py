"""The networks that workloads share: one in each of their regions, paid for once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from functools import partial, reduce
from itertools import accumulate
from typing import Final

from gpuinfra.cost.metered import not_metered
from gpuinfra.cost.other_costs import item_line
from gpuinfra.cost.pricing_terms import PricingTerms
from gpuinfra.cost.quote import ZERO, CostSum, Line, add
from gpuinfra.model import Item, Plan, SharedNetwork
from gpuinfra.records import record

Place = tuple[str, str]
"""A cloud and a region."""

EXACT: Final = 8
"""Up to so many regions, each combination is looked at; beyond, a bound holds."""


@record
class Networks:
    """The shared networks of a plan, priced.

    Attributes:
        members: the workloads that share them.
        active_members: the workloads that are active in each place.
        active_lines: what costs money in each place with those.
        maximum_lines: the same with all that have a rung there.
    """

    members: frozenset[str]
    active_members: Mapping[Place, frozenset[str]]
    active_lines: Mapping[Place, tuple[Line, ...]]
    maximum_lines: Mapping[Place, tuple[Line, ...]]

    def network_place(self, group: str, cloud: str, region: str) -> Place | None:
        """Return the location of a workload's network on a rung; None where it shares none."""
        cloud_and_region = (cloud, region)
        return (
            cloud_and_region
            if group in self.members and cloud_and_region in self.maximum_lines
            else None
        )

    def lines(self, members: Mapping[Place, AbstractSet[str]]) -> dict[Place, tuple[Line, ...]]:
        """Return the lines of each location's network, for the workloads that may be there."""
        by_place: dict[Place, tuple[Line, ...]] = {}
        for place in sorted(place for place, names in members.items() if names):
            is_as_declared = members[place] == self.active_members.get(place, frozenset())
            by_place[place] = (self.active_lines if is_as_declared else self.maximum_lines)[place]
        return by_place

    def sums(self, members: Mapping[Place, AbstractSet[str]]) -> dict[Place, CostSum]:
        """Return the sum of the lines of each location."""
        return {network_place: add(lines) for network_place, lines in self.lines(members).items()}


def members_of(places_by_workload: Mapping[str, Iterable[Place]]) -> dict[Place, set[str]]:
    """Return the workloads that may be in each location, from the locations of each."""
    members: dict[Place, set[str]] = {}
    for name, workload_places in places_by_workload.items():
        for network_place in workload_places:
            members.setdefault(network_place, set()).add(name)
    return members


def after_move(
    members: Mapping[Place, AbstractSet[str]],
    name: str,
    place_before: Place | None,
    place_after: Place | None,
) -> Mapping[Place, AbstractSet[str]]:
    """Return the workloads in each location after one of them moved."""
    moved_members: dict[Place, AbstractSet[str]] = dict(members)
    if place_before is not None:
        moved_members[place_before] = moved_members.get(place_before, frozenset()) - {name}
    if place_after is not None:
        moved_members[place_after] = moved_members.get(place_after, frozenset()) | {name}
    return moved_members


def networks_of(plan: Plan, terms: PricingTerms) -> Networks:
    """Price the shared networks of a plan."""

    def price_items(items: Sequence[Item]) -> tuple[Line, ...]:
        return tuple(item_line(item, terms) for item in not_metered(items, plan.data))

    active_places = {group.name: (group.cloud, group.rung.region) for group in plan.groups}

    def workloads_at_place(network: SharedNetwork) -> frozenset[str]:
        place = (network.cloud, network.region)
        return frozenset(name for name in network.workloads if active_places.get(name) == place)

    each = {(network.cloud, network.region): network for network in plan.networks}
    return Networks(
        members=frozenset(name for network in plan.networks for name in network.workloads),
        active_members={place: workloads_at_place(network) for place, network in each.items()},
        active_lines={place: price_items(network.items) for place, network in each.items()},
        maximum_lines={
            place: price_items(network.maximum_items) for place, network in each.items()
        },
    )


Choice = tuple[Place | None, Decimal]
"""Where a workload's network is on a rung, and what the workload costs there."""


def highest_sum(groups: Sequence[Sequence[Choice]], networks: Mapping[Place, Decimal]) -> Decimal:
    """Return the highest cost of a combination of rungs, including the networks it needs.

    With many regions, a bound from above: as many networks as workloads, the dearest of all.
    """
    places = _network_places(groups)
    if len(places) <= EXACT:
        return _best_sum(groups, networks, max)
    sharing = sum(any(network_place is not None for network_place, _ in group) for group in groups)
    most = sorted((networks[network_place] for network_place in places), reverse=True)[:sharing]
    return sum((max(cost for _, cost in group) for group in groups), sum(most, ZERO))


def cheapest(groups: Sequence[Sequence[Choice]], networks: Mapping[Place, Decimal]) -> Decimal:
    """Return the lowest cost of a combination of rungs; with many regions, a lower bound."""
    network_places = _network_places(groups)
    if len(network_places) <= EXACT:
        return _best_sum(groups, networks, min)
    least = min(networks[network_place] for network_place in network_places)
    return sum((min(cost for _, cost in group) for group in groups), least)


def _network_places(groups: Sequence[Sequence[Choice]]) -> set[Place]:
    return {place for group in groups for place, _ in group if place is not None}


class CheapestRest:
    """The lowest cost of all groups but one, for each of them, in time that grows with them."""

    def __init__(
        self, groups: Mapping[str, Sequence[Choice]], networks: Mapping[Place, Decimal]
    ) -> None:
        self._networks = networks
        self._groups = groups
        self._number = {name: number for number, name in enumerate(groups)}
        choices = list(groups.values())
        self._exact = len(_network_places(choices)) <= EXACT
        step = partial(_best_with_group, better=min)
        listed = choices if self._exact else []
        self._before = list(accumulate(listed, step, initial=_NOWHERE))
        self._after = list(accumulate(reversed(listed), step, initial=_NOWHERE))

    def cost_of_others(self, name: str, place: Place | None) -> Decimal:
        """Return the cost of all groups except the named one, with its network in a location."""
        if not self._exact:
            other_networks = [
                networks for other, networks in self._groups.items() if other != name
            ]
            return cheapest([[(place, ZERO)], *other_networks], self._networks)
        own_places = frozenset[Place]() if place is None else frozenset({place})
        number = self._number.get(name, len(self._groups))
        costs_after = self._after[max(len(self._groups) - number - 1, 0)]
        return min(
            first + last + _networks_total(own_places | here | workloads_at_place, self._networks)
            for here, first in self._before[number].items()
            for workloads_at_place, last in costs_after.items()
        )


_Sums = dict[frozenset[Place], Decimal]
"""The best cost of some groups for each set of locations that they may be in."""

_NOWHERE: Final[_Sums] = {frozenset(): ZERO}


def _best_sum(
    groups: Sequence[Sequence[Choice]],
    networks: Mapping[Place, Decimal],
    better: Callable[[Decimal, Decimal], Decimal],
) -> Decimal:
    """Return the best sum over the groups, by dynamic programming over sets of locations."""
    sums = reduce(partial(_best_with_group, better=better), groups, _NOWHERE)
    return reduce(
        better,
        (amount + _networks_total(network_set, networks) for network_set, amount in sums.items()),
    )


def _best_with_group(
    sums: _Sums, group: Sequence[Choice], better: Callable[[Decimal, Decimal], Decimal]
) -> _Sums:
    """Return the best costs with one more group."""
    costs: dict[Place | None, Decimal] = {}
    for network_place, cost in group:
        costs[network_place] = better(costs.get(network_place, cost), cost)
    best_costs: _Sums = {}
    for network_set, cost_before in sums.items():
        for network_place, cost in costs.items():
            places_after = network_set if network_place is None else network_set | {network_place}
            best_costs[places_after] = better(
                best_costs.get(places_after, cost_before + cost), cost_before + cost
            )
    return best_costs


def _networks_total(network_set: Iterable[Place], networks: Mapping[Place, Decimal]) -> Decimal:
    return sum((networks[network_place] for network_place in sorted(network_set)), ZERO)
