"""The reservations of an update; machines that run in a reservation are counted once."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, Literal, Protocol, TypeVar

from gpuinfra.crossguard.existing_resources import ExistingResource
from gpuinfra.crossguard.running_costs import PricedResources
from gpuinfra.crossguard.update_cost import ZERO_COST, Cost
from gpuinfra.model import Resource

W = TypeVar("W", bound=PricedResources)

UpdateEffect = Literal["new", "stays", "replaced", "left out", "going"]
"""The effect of an update on a resource that starts machines, as far as it is known.

`going`: it waits for its delete, or an interrupted run may have begun it."""


class ResourceLookup(Protocol):
    """The information of a running total about resources that start machines."""

    def current_resource(self, urn: str) -> Resource:
        """Return the resource registered under a URN, or else the existing one."""
        ...

    def key(self, urn: str) -> str:
        """Return the key that a resource counts under: the URN under which it existed before."""
        ...

    def update_effect(self, key: str) -> UpdateEffect:
        """Return what this update does to a resource."""
        ...


class Reservations(Generic[W]):
    """The reservations of an update, and how many of their machines are surely in use.

    A reservation is paid whether machines run in it or not, so at any moment it and the machines
    in it cost as much as the larger number of both. The total counts each machine at the most
    that it ever has; what the reservation adds to them is then what they never fill. This holds
    for machines that are in it whenever they run. One that moves in or out runs beside it for a
    while.
    """

    def __init__(self, as_is: W, becoming: W, machines: ResourceLookup) -> None:
        """Initialize the reservations.

        Args:
            as_is: the existing reservations.
            becoming: what the update makes of it so far.
            machines: tells what happens to those that may use reservations.
        """
        self._as_is, self._becoming, self._machines = as_is, becoming, machines
        self.keepers: dict[str, str] = {}
        """By URN, what each reservation counts under; one that is used up fills the next."""
        self._existing_reservations: defaultdict[str, list[Resource]] = defaultdict(list)
        self._occupied: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._until_deleted: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._ahead: dict[str, int] = {}
        self._replaced: set[str] = set()

    def add_existing(self, key: str, resource: Resource) -> None:
        """Record a reservation of the state; a half-finished update of one has the same key."""
        self._existing_reservations[key].append(resource)

    def record_reservation(self, urn: str, key: str) -> None:
        """Record a reservation that the program registers."""
        self.keepers.pop(key, None)
        self.keepers[urn] = key

    def has_any(self, resources: Iterable[Resource]) -> bool:
        """Return whether any of the resources is a reservation."""
        return bool(self.keepers) and any(resource.urn in self.keepers for resource in resources)

    def record_occupancy(self, existing_resources: Mapping[str, ExistingResource]) -> None:
        """Record which machines use the existing reservations, once the whole state is known.

        Args:
            existing_resources: the state, by the URN under which each is told apart.
        """
        interrupted_update_urns = {
            existing_resource.resource.urn
            for existing_resource in existing_resources.values()
            if existing_resource.pending_operation == "updating"
        }
        for key, variants in self._existing_reservations.items():
            for resource in variants:
                occupancy = self._as_is.occupancy(resource)
                self._ahead[key] = max(self._ahead.get(key, 0), occupancy.ahead)
                # Of what was changed half-way it is not known where it runs.
                self._occupied[key] |= {
                    urn: count
                    for urn, count in occupancy.machines.items()
                    if existing_resources[urn].resource.urn not in interrupted_update_urns
                }
        self.keepers |= {
            key: key for key in self._existing_reservations if key in existing_resources
        }

    def record_replaced_machines(self, machines: str) -> None:
        """Record machines that are about to be replaced; old ones run until deleted."""
        for key, variants in self._existing_reservations.items():
            count_before = self._occupied[key].get(machines)
            if count_before is None:
                continue
            for resource in variants:
                current_count = self._now(resource).get(machines)
                if current_count is not None:
                    self._until_deleted[key][machines] = min(count_before, current_count)

    def replace(self, key: str) -> Cost | None:
        """Record a replacement; return its cost if it is a reservation, else None.

        Its machines may leave it for the new one before it is deleted, or run on without it.
        """
        if key not in self._existing_reservations:
            return None
        self._replaced.add(key)
        return self._larger(key, used_machines=0)

    def reservations_with_moves(self, urn: str) -> Iterator[str]:
        """Yield the reservations that machines use only before or only after the update."""
        machines = self._machines.key(urn)
        if self.keepers and self._machines.update_effect(machines) == "stays":
            for holder, key in self.keepers.items():
                current_machine = self._machines.current_resource(holder)
                if (machines in self._now(current_machine)) is not (
                    machines in self._occupied.get(key, {})
                ):
                    yield current_machine.name

    def _larger(self, key: str, *, used_machines: int) -> Cost:
        cost = ZERO_COST
        for resource in self._existing_reservations[key]:
            cost = cost.maximum(self._as_is.kept_cost(resource, used_machines))
        return cost

    def costs(self) -> Iterator[tuple[str, Cost | None, Cost | None]]:
        """Yield each reservation's key, and its unused cost before and after.

        None for what it did.
        """
        for urn, key in self.keepers.items():
            yield key, *self._costs(self._machines.current_resource(urn), key)

    def _costs(self, reservation: Resource, key: str) -> tuple[Cost | None, Cost | None]:
        occupancy = self._becoming.occupancy(reservation)
        ahead = max(occupancy.ahead, self._ahead.get(key, 0))
        used_machines = max(0, self._machines_in_use(reservation, key) - ahead)
        stays = key in self._existing_reservations and key not in self._replaced
        cost_before = self._larger(key, used_machines=used_machines) if stays else None
        is_leaving = self._machines.update_effect(key) == "going"
        return cost_before, None if is_leaving else self._becoming.kept_cost(
            reservation, used_machines
        )

    def _now(self, reservation: Resource) -> dict[str, int]:
        machines = self._becoming.occupancy(reservation).machines
        return {self._machines.key(urn): count for urn, count in machines.items()}

    def _machines_in_use(self, reservation: Resource, key: str) -> int:
        """Return how many machines surely run in the reservation, as the total counts them."""
        earlier_counts, current_counts = self._occupied.get(key, {}), self._now(reservation)
        stay = added = 0
        for machines in dict.fromkeys((*earlier_counts, *current_counts)):
            count_before, count_after = earlier_counts.get(machines), current_counts.get(machines)
            effect = self._machines.update_effect(machines)
            if effect == "stays" and count_before is not None and count_after is not None:
                stay += max(count_before, count_after)
            elif effect in {"new", "replaced"}:
                added += count_after or 0
            if key in self._replaced:
                continue
            if effect in {"left out", "going"}:
                added += count_before or 0
            elif effect == "replaced" and count_after is not None:
                # Changed in place after all, it would leave what the new one is not in.
                added += self._until_deleted[key].get(machines, 0)
        if key in self._replaced:
            # They leave the old one, which counts in full, as far as it had room for them.
            stay = min(stay, self._larger(key, used_machines=0).machines)
        return stay + added
