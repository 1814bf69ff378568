"""Capacity reservations, which are billed from their creation, used or not."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.launch.group_requests import group_request_of
from gpuinfra.clouds.aws.observe.launch.launch_options import GroupRequest
from gpuinfra.clouds.aws.observe.launch.weighted_capacity import maximum_machines, minimum_machines
from gpuinfra.clouds.aws.observe.machines import surcharges
from gpuinfra.clouds.aws.observe.machines.group_schedules import scheduled
from gpuinfra.clouds.aws.observe.tag_keys import resource_tag_keys
from gpuinfra.clouds.observing.reservation_use import Occupancy, machines_left, reserved_group
from gpuinfra.clouds.observing.rows import unjudged_rows
from gpuinfra.clouds.observing.values import text, whole_number
from gpuinfra.model import Resource, Rows, Rung, Usage

_USERS: Final = (
    resource_types.GROUP,
    resource_types.INSTANCE,
    resource_types.FLEET,
    resource_types.NODE_GROUP,
)


def reservation_rows(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return the reserved machines that no other resource of this stack uses.

    A machine that runs in a reservation is paid once, so those that name it are counted as
    machines and taken off here. A reservation that no machine names may be used from elsewhere,
    and is paid here all the same:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-pricing-billing.html
    """
    users = tuple(request for _, request in _users(resource, index))
    used_range = sum(map(minimum_machines, users)), sum(map(maximum_machines, users))
    return detached_reservation_rows(resource, index, usage, used_range)


def detached_reservation_rows(
    resource: Resource, index: Index, usage: Usage, used_range: tuple[int, int]
) -> Rows:
    """Return the reserved machines beyond `used_range`, the least and the most machines in use."""
    machine = text(resource.inputs.get("instanceType"))
    if not isinstance(machine, str):
        return unjudged_rows(resource, "its machine type is not known yet")
    instance_count = whole_number(resource.inputs.get("instanceCount"))
    least, most_left = machines_left(instance_count, used_range)
    if least == 0:
        return Rows()
    rung = Rung(
        capacity="reserved",
        machine=machine,
        region=locations.region_of(resource, index),
        zones=locations.zones_of(resource, index),
    )
    group = reserved_group(resource, "aws", rung, most_left, resource_tag_keys(resource), usage)
    group = replace(group, minimum=least)
    return Rows(groups=(group,), not_judged=surcharges.reservation_surcharge_reasons(resource))


def occupancy(resource: Resource, index: Index) -> Occupancy:
    """Return the machines that are certain to run in a reservation."""
    return Occupancy(
        {user.urn: maximum_machines(count) for user, count in _users(resource, index)}
    )


def _users(resource: Resource, index: Index) -> Iterator[tuple[Resource, GroupRequest]]:
    """Yield each resource whose machines surely run in the reservation, with its request."""
    requests = index.memo("requests of reservations", lambda: _requests_by_reservation(index))
    for user, request in requests.get(resource.urn, ()):
        if _starts_in_reservation(user, request, resource, index):
            yield user, scheduled(user, request, index)


def _requests_by_reservation(index: Index) -> dict[str, list[tuple[Resource, GroupRequest]]]:
    """Return the resources that name a reservation of this stack, by its URN."""
    requests: dict[str, list[tuple[Resource, GroupRequest]]] = {}
    for user in (resource for kind in _USERS for resource in index.of_kind(kind)):
        request = group_request_of(user, index)
        if request.market.kept_by is not None:
            requests.setdefault(request.market.kept_by, []).append((user, request))
    return requests


def _starts_in_reservation(
    machines: Resource, request: GroupRequest, reservation: Resource, index: Index
) -> bool:
    """Return whether machines have the reservation's type, region and zone, and start in it.

    Any others do not start from it, regardless of what they name:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-launch.html
    Machines that start only in it are in its zone, or do not start. A group that prefers it may
    start machines beside it in every other zone that it has.
    """
    if surcharges.reservation_surcharge_reasons(reservation):
        return False  # machines of another system or tenancy are not in it, and no other is priced
    machine = text(reservation.inputs.get("instanceType"))
    if any(option.machine != machine for option in request.options):
        return False
    if locations.region_of(machines, index) != locations.region_of(reservation, index):
        return False
    zones = locations.zones_of(machines, index, request.launches)
    reservation_zones = locations.zones_of(reservation, index)
    if not request.market.kept_only:
        return len(reservation_zones) == 1 and locations.every_zone(machines, index) == frozenset(
            reservation_zones
        )
    return not zones or not reservation_zones or not set(reservation_zones).isdisjoint(zones)
