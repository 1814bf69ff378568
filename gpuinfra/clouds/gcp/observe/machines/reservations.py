"""Reservations, which are billed from their creation, used or not."""

from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.gcp.machines import machine
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch import locations
from gpuinfra.clouds.gcp.observe.machines import reserved_machines
from gpuinfra.clouds.observing.reservation_use import machines_left, reserved_group
from gpuinfra.clouds.observing.rows import unjudged_rows
from gpuinfra.clouds.observing.values import as_list, at, whole_number
from gpuinfra.model import Resource, Rows, Rung, Usage

_LOCAL_DISK_REASON: Final = "local disks are kept with its machines, and their price is unknown"
_TYPE_UNKNOWN: Final = "its machine type is not known yet"
_TEMPLATE_REASON: Final = "gpuinfra does not read the instance template that sets its machines"


def reservation_rows(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return the reserved machines that no other resource of this stack uses.

    A machine that runs in a reservation is paid once, so those that surely run in it are counted
    as machines and taken off here. What is kept costs as much as what runs:
    https://docs.cloud.google.com/compute/docs/instances/reservations-overview
    """
    return detached_reservation_rows(
        resource, index, usage, reserved_machines.used_machines(resource, index)
    )


def detached_reservation_rows(
    resource: Resource, index: Index, usage: Usage, used_range: tuple[int, int]
) -> Rows:
    """Return the reserved machines beyond `used_range`, the least and the most machines in use."""
    reserved = resource.inputs.get("specificReservation")
    properties = at(reserved, "instanceProperties")
    if properties is None:
        return unjudged_rows(resource, _TEMPLATE_REASON)
    kept_type = reserved_machines.machine_kept(resource)
    if as_list(at(properties, "localSsds")) and not _has_local_disks(kept_type):
        return unjudged_rows(resource, _LOCAL_DISK_REASON)
    if not isinstance(kept_type, str):
        return unjudged_rows(resource, _TYPE_UNKNOWN)
    least, most_left = machines_left(whole_number(at(reserved, "count")), used_range)
    if least == 0:
        return Rows()
    rung = Rung(
        capacity="reserved",
        machine=kept_type,
        region=locations.region_of(resource, index),
        zones=locations.zones_of(resource),
    )
    group = reserved_group(resource, "gcp", rung, most_left, None, usage)
    return Rows(groups=(replace(group, minimum=least),))


def _has_local_disks(kept_type: Any) -> bool:
    """Return whether a machine type comes with its local disks, whose price is part of its own.

    https://docs.cloud.google.com/compute/docs/disks/add-local-ssd
    """
    machine_type = machine(kept_type) if isinstance(kept_type, str) else None
    return machine_type is not None and bool(machine_type.local_storage_gb)
