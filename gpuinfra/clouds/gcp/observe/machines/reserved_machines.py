"""Machines that surely run in a reservation of their own stack."""

from collections.abc import Sequence
from typing import TypeAlias

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch import launch_options, locations
from gpuinfra.clouds.gcp.observe.launch.launch_settings import with_accelerators
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.reservation_use import Occupancy, used_range
from gpuinfra.clouds.observing.values import at, text
from gpuinfra.model import Resource, Unknown

_Range: TypeAlias = tuple[int | Unknown, int | Unknown]
"""The fewest and the most machines."""

_User: TypeAlias = tuple[Resource, list[_Range]]
"""A resource with machines, with its and its autoscalers' sizes."""


def machine_kept(reservation: Resource) -> str | Unknown | None:
    """Return the reserved machine type, with its GPUs."""
    machine = at(reservation.inputs.get("specificReservation"), "instanceProperties")
    accelerators = at(machine, "guestAccelerators")
    keys = ("acceleratorType", "acceleratorCount")
    return with_accelerators(at(machine, "machineType"), accelerators, keys)


def used_machines(reservation: Resource, index: Index) -> tuple[int, int]:
    """Return the least and the most machines that run in a reservation.

    Those are the machines that name it, of its type and place.
    """
    return used_range(
        machine_range for _, ranges in _users(reservation, index) for machine_range in ranges
    )


def occupancy(reservation: Resource, index: Index) -> Occupancy:
    """Return the machines that are certain to run in a reservation."""
    return Occupancy(
        {user.urn: used_range(ranges)[1] for user, ranges in _users(reservation, index)}
    )


def _users(reservation: Resource, index: Index) -> Sequence[_User]:
    """Return each resource with machines in it, with its and its autoscalers' sizes."""
    users = index.memo("users of reservations", lambda: _users_by_reservation(index))
    return users.get(reservation.urn, ())


def _users_by_reservation(index: Index) -> dict[str, list[_User]]:
    users: dict[str, list[_User]] = {}
    for user in (user for kind in sorted(resource_types.MACHINES) for user in index.of_kind(kind)):
        request = launch_options.group_request_of(user, index)
        reservation = _reservation_of(user, request, index)
        if reservation is not None:
            ranges = [
                (request.minimum, request.maximum),
                *_autoscaled_ranges(user, request, index),
            ]
            users.setdefault(reservation.urn, []).append((user, ranges))
    return users


def is_kept(machines: Resource, request: launch_options.GroupRequest, index: Index) -> bool:
    """Return whether machines surely run in a reservation of this stack, which is billed."""
    return _reservation_of(machines, request, index) is not None


def _autoscaled_ranges(
    group: Resource, request: launch_options.GroupRequest, index: Index
) -> list[_Range]:
    """Return the machines that the autoscalers of a group add, as each is counted."""
    return [
        launch_options.autoscaled_machines(autoscaler, group, request)
        for autoscaler in index.referrers(group, resource_types.AUTOSCALER, "target").certain
        if index.targets(autoscaler, "target", resource_types.GROUP).certain == (group,)
    ]


def _reservation_of(
    machines: Resource, request: launch_options.GroupRequest, index: Index
) -> Resource | None:
    """Return the reservation that machines start in: of their type and place, the only named."""
    if request.market.capacity == "spot":
        return None
    reservations = [_named_reservation(option.launch, index) for option in request.options]
    reservation = reservations[0] if reservations else None
    if reservation is None or any(
        other_reservation is not reservation for other_reservation in reservations
    ):
        return None
    is_same_machine = {option.machine for option in request.options} == {machine_kept(reservation)}
    are_same_zones = locations.zones_of(machines) == locations.zones_of(reservation)
    return reservation if is_same_machine and are_same_zones else None


def _named_reservation(launch: LaunchSources, index: Index) -> Resource | None:
    """Return the only reservation that machines may start from.

    https://docs.cloud.google.com/compute/docs/instances/reservations-consume
    """
    if text(at(launch.get("reservationAffinity"), "type")) != "SPECIFIC_RESERVATION":
        return None
    reservations = launch.targets(
        index, "reservationAffinity", resource_types.RESERVATION, "specificReservation", "values"
    )
    return (
        reservations.certain[0]
        if reservations is not None and len(reservations.certain) == 1
        else None
    )
