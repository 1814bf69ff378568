"""Machines that surely run in a reservation of their own stack."""

from collections.abc import Iterator
from typing import Any, TypeAlias

from gpuinfra.clouds.gcp.observe import launch_options, locations, resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch_settings import with_accelerators
from gpuinfra.clouds.observing.reservation_use import Occupancy, used_range
from gpuinfra.clouds.observing.values import at, text
from gpuinfra.model import Resource, Unknown

_Range: TypeAlias = tuple[int | Unknown, int | Unknown]
"""The fewest and the most machines."""


def machine_kept(reservation: Resource) -> str | Unknown | None:
    """Return the reserved machine type, with its GPUs."""
    kept = at(reservation.inputs.get("specificReservation"), "instanceProperties")
    accelerators = at(kept, "guestAccelerators")
    keys = ("acceleratorType", "acceleratorCount")
    return with_accelerators(at(kept, "machineType"), accelerators, keys)


def used_machines(reservation: Resource, index: Index) -> tuple[int, int]:
    """Return the least and the most machines that run in a reservation.

    Those are the machines that name it, of its type and place.
    """
    return used_range(bounds for _, ranges in _users(reservation, index) for bounds in ranges)


def occupancy(reservation: Resource, index: Index) -> Occupancy:
    """Return the machines that are certain to run in a reservation."""
    return Occupancy(
        {user.urn: used_range(ranges)[1] for user, ranges in _users(reservation, index)}
    )


def _users(reservation: Resource, index: Index) -> Iterator[tuple[Resource, list[_Range]]]:
    """Yield each resource with machines in it, with its and its autoscalers' sizes."""
    for user in (user for kind in sorted(resource_types.MACHINES) for user in index.of_kind(kind)):
        request = launch_options.group_request_of(user, index)
        if _starts_in_reservation(user, request, reservation, index):
            own = request.minimum, request.maximum
            yield user, [own, *_autoscaled_ranges(user, request, index)]


def is_kept(machines: Resource, request: launch_options.GroupRequest, index: Index) -> bool:
    """Return whether machines surely run in a reservation of this stack, which is billed."""
    reservations = index.of_kind(resource_types.RESERVATION)
    return any(
        _starts_in_reservation(machines, request, reservation, index)
        for reservation in reservations
    )


def _autoscaled_ranges(
    group: Resource, request: launch_options.GroupRequest, index: Index
) -> list[_Range]:
    """Return the machines that the autoscalers of a group add, as each is counted."""
    return [
        launch_options.autoscaled_machines(autoscaler, group, request)
        for autoscaler in index.referrers(group, resource_types.AUTOSCALER, "target").certain
        if index.targets(autoscaler, "target", resource_types.GROUP).certain == (group,)
    ]


def _starts_in_reservation(
    machines: Resource, request: launch_options.GroupRequest, reservation: Resource, index: Index
) -> bool:
    """Return whether machines have the reservation's type and place, and name only it."""
    return (
        bool(request.options)
        and request.market.capacity != "spot"
        and all(_names(option.launch, reservation, index) for option in request.options)
        and {option.machine for option in request.options} == {machine_kept(reservation)}
        and locations.zones_of(machines) == locations.zones_of(reservation)
    )


def _names(launch: Any, resource: Resource, index: Index) -> bool:
    """Return whether machines start from this reservation only.

    https://docs.cloud.google.com/compute/docs/instances/reservations-consume
    """
    if text(at(launch.get("reservationAffinity"), "type")) != "SPECIFIC_RESERVATION":
        return False
    goals = launch.targets(
        index, "reservationAffinity", resource_types.RESERVATION, "specificReservation", "values"
    )
    return goals is not None and [goal.urn for goal in goals.certain] == [resource.urn]
