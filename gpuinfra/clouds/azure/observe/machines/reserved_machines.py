"""Machines that surely run in a capacity reservation of their own stack."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from gpuinfra.clouds.azure.machines import size_name
from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch import scaling
from gpuinfra.clouds.azure.observe.launch.launch_settings import Reference, profile_of
from gpuinfra.clouds.azure.observe.launch.machine_requests import GroupRequest, group_request_of
from gpuinfra.clouds.azure.observe.launch.node_pools import pools_with_reservations, request_of
from gpuinfra.clouds.observing.reservation_use import Occupancy, used_range
from gpuinfra.clouds.observing.values import as_list, at, text, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown

_Range: TypeAlias = tuple[int | Unknown, int | Unknown]
"""The fewest and the most machines."""

_User: TypeAlias = tuple[Resource, _Range]
"""A resource with machines, with their least and most number."""

_POOL_ZONES: Final = "availabilityZones"

_Place: TypeAlias = tuple[str, str | Unknown | None, frozenset[str]]
"""Where machines are kept: the group of the reservation, their size, and their zones."""


def kept_in(resource: Resource) -> tuple[str | Unknown | None, int | Unknown]:
    """Return the machine size and the number of machines of a reservation."""
    sku = resource.inputs.get("sku")
    count = whole_number(at(sku, "capacity"))
    size = text(at(sku, "name"))
    reserved_size = size_name(size) if isinstance(size, str) else size
    return reserved_size, UNKNOWN if count is None else count


def machines_in_reservation(reservation: Resource, index: Index) -> tuple[int, int]:
    """Return the least and the most machines that run in a reservation.

    They are of its size, in its zone, and no spot machines, and not in the reservations of its
    group before it:
    https://learn.microsoft.com/azure/virtual-machines/capacity-reservation-overview
    """
    kept_before = _kept_before(reservation, index)
    if isinstance(kept_before, Unknown):
        return 0, 0
    least, most = used_range(machine_range for _, machine_range in _users(reservation, index))
    return max(0, least - kept_before), max(0, most - kept_before)


def occupancy(reservation: Resource, index: Index) -> Occupancy:
    """Return the machines that surely run in the reservations of its place, up to this one."""
    kept_before = _kept_before(reservation, index)
    if isinstance(kept_before, Unknown):
        return Occupancy({})
    users: dict[str, int] = {}
    for user, machine_range in _users(reservation, index):
        users[user.urn] = users.get(user.urn, 0) + used_range([machine_range])[1]
    return Occupancy(users, kept_before)


def _users(reservation: Resource, index: Index) -> Sequence[_User]:
    """Return each resource with machines in its place, with their least and most number."""
    reservation_place = _reservation_place(reservation, index)
    users = index.memo("users of reservations", lambda: _users_by_place(index))
    return () if reservation_place is None else users.get(reservation_place, ())


def _users_by_place(index: Index) -> dict[_Place, list[_User]]:
    users: dict[_Place, list[_User]] = {}
    for user in (*index.of_kind(resource_types.MACHINE), *index.of_kind(resource_types.SCALE_SET)):
        request = group_request_of(user)
        place = _place_of(user, request, index)
        if place is not None:
            request = scaling.with_autoscaled_machines(request, user, index)
            users.setdefault(place, []).append((user, (request.minimum, request.maximum)))
    for holder, spec, reference in pools_with_reservations(index):
        request = request_of(spec)
        place = _machine_place(reference, at(spec, _POOL_ZONES), request, index)
        if place is not None:
            users.setdefault(place, []).append((holder, (request.minimum, request.maximum)))
    return users


def is_kept(machines: Resource, request: GroupRequest, index: Index) -> bool:
    """Return whether machines surely run in a reservation of this stack, which is billed."""
    return _has_any(_place_of(machines, request, index), index)


def is_pool_kept(holder: Resource, spec: Any, index: Index) -> bool:
    """Return whether the nodes of an AKS pool surely run in a reservation of this stack."""
    return any(
        _has_any(_machine_place(reference, at(spec, _POOL_ZONES), request_of(spec), index), index)
        for pool, own_reservation, reference in pools_with_reservations(index)
        if pool.urn == holder.urn and own_reservation == spec
    )


def _has_any(reserved_place: _Place | None, index: Index) -> bool:
    return reserved_place is not None and reserved_place in _reservations_by_place(index)


def _reservations_by_place(index: Index) -> dict[_Place | None, list[Resource]]:
    def by_place() -> dict[_Place | None, list[Resource]]:
        reservations: dict[_Place | None, list[Resource]] = {}
        for reservation in index.of_kind(resource_types.RESERVATION):
            reservations.setdefault(_reservation_place(reservation, index), []).append(reservation)
        return reservations

    return index.memo("reservations by place", by_place)


def _kept_before(reservation: Resource, index: Index) -> int | Unknown:
    """Return how many machines earlier reservations of the same place have."""
    counts = list(_kept_by_earlier_reservations(reservation, index))
    known_counts = [count for count in counts if isinstance(count, int)]
    return sum(known_counts) if len(known_counts) == len(counts) else UNKNOWN


def _kept_by_earlier_reservations(reservation: Resource, index: Index) -> Iterator[int | Unknown]:
    reservation_place = _reservation_place(reservation, index)
    for other in _reservations_by_place(index).get(reservation_place, ()):
        if other.urn == reservation.urn:
            return
        yield kept_in(other)[1]


def _reservation_place(reservation: Resource, index: Index) -> _Place | None:
    """Return the place of a reservation's machines; None where it is not known yet."""
    prop = "capacityReservationGroupName"
    group = index.targets(reservation, prop, resource_types.RESERVATION_GROUP).only
    zones = _zones(reservation.inputs.get("zones"))
    if group is None or zones is None:
        return None
    return group.urn, kept_in(reservation)[0], zones


def _place_of(machines: Resource, request: GroupRequest, index: Index) -> _Place | None:
    """Return the place of machines that start from a group's reservations; None for others."""
    reference = profile_of(machines).reference(
        "capacityReservation", "capacityReservationGroup", "id"
    )
    return _machine_place(reference, machines.inputs.get("zones"), request, index)


def _machine_place(
    reference: Reference, value: Any, request: GroupRequest, index: Index
) -> _Place | None:
    """Return the place of machines, by their reference to a reservation group and zones."""
    zones = _zones(value)
    if reference.value is None or zones is None:
        return None
    groups = reference.targets(index, resource_types.RESERVATION_GROUP).certain
    if len(groups) != 1 or len(request.machines) != 1 or request.capacity == "spot":
        return None
    return groups[0].urn, request.machines[0], zones


def _zones(value: Any) -> frozenset[str] | None:
    """Return the zones as a set; None if any is unknown."""
    zones = [text(zone) for zone in as_list(value)]
    zone_names = frozenset(zone for zone in zones if isinstance(zone, str))
    return zone_names if len(zone_names) == len(zones) else None
