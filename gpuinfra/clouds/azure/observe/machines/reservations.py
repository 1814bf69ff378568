"""Capacity reservations, which are billed from their creation, used or not."""

from dataclasses import replace

from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.machine_requests import priority_request
from gpuinfra.clouds.azure.observe.machines import reserved_machines
from gpuinfra.clouds.azure.observe.machines.groups import group_of
from gpuinfra.clouds.observing.reservation_use import SAFETY_OF_NO_MACHINE, machines_left
from gpuinfra.clouds.observing.rows import unjudged_rows
from gpuinfra.model import Resource, Rows, Usage


def reservation_rows(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return the reserved machines that no other resource of this stack uses.

    A machine that runs in a reservation is paid once, so those that use it are counted as machines
    and taken off here:
    https://learn.microsoft.com/azure/virtual-machines/capacity-reservation-overview
    """
    return detached_reservation_rows(
        resource, index, usage, reserved_machines.machines_in_reservation(resource, index)
    )


def detached_reservation_rows(
    resource: Resource, index: Index, usage: Usage, used_range: tuple[int, int]
) -> Rows:
    """Return the reserved machines beyond `used_range`, the least and the most machines in use."""
    size, machine_count = reserved_machines.kept_in(resource)
    request = priority_request((size,), None, None, machine_count, machine_count)
    if request.trouble:
        return unjudged_rows(resource, request.trouble)
    least, most_left = machines_left(machine_count, used_range)
    if least == 0:
        return Rows()
    request = replace(request, minimum=least, maximum=most_left)
    return Rows(
        groups=(replace(group_of(resource, request, index, usage), safety=SAFETY_OF_NO_MACHINE),)
    )
