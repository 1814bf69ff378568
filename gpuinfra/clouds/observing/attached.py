"""Disks of their own that are attached to a machine of another zone, which every cloud refuses."""

from collections.abc import Iterable, Sequence

from gpuinfra.model import Unknown

Faults = tuple[str, ...] | Unknown


def with_elsewhere(
    faults: Faults, disks: Iterable[tuple[str, str]], zones: Sequence[str]
) -> Faults:
    """Add a fault for each disk, by its name and zone, that stands away from its machine.

    Nothing is added where nobody knows the machine's zone.
    """
    found = tuple(
        f"the disk {name} stands in {zone}, its machine in {', '.join(zones)}: a disk is attached"
        " only in its own zone"
        for name, zone in disks
        if zones and zone not in zones
    )
    if not found:
        return faults
    known = () if isinstance(faults, Unknown) else faults
    return tuple(dict.fromkeys((*known, *found)))
