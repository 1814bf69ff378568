"""Reserved capacity of a stack: machines that are billed while nothing runs on them."""

from collections.abc import Iterable, Mapping
from typing import Final

from gpuinfra.clouds.observing.label_keys import Keys
from gpuinfra.model import (
    UNKNOWN,
    Group,
    GroupLifecycle,
    Resource,
    Rung,
    Safety,
    Unknown,
    Usage,
    WorkloadNeeds,
)
from gpuinfra.records import record

SAFETY_OF_NO_MACHINE: Final = Safety(
    metadata_v2=True,
    disks_encrypted=True,
    public_ip=False,
    open_login=False,
    administrator=False,
    long_lived_key=False,
    hop_limit=None,
    secrets=(),
    secure_boot=None,
)
"""Kept capacity runs nothing: what uses it is judged as the machine that it is."""


@record(kw_only=False)
class Occupancy:
    """The machines that run in a reservation whenever they run.

    Attributes:
        machines: how many at their maximum, by the URN of what starts them.
        ahead: how many of them run in other reservations before any runs in this one.
    """

    machines: Mapping[str, int]
    ahead: int = 0


def used_range(ranges: Iterable[tuple[int | Unknown, int | Unknown]]) -> tuple[int, int]:
    """Return the least and the most machines of these ranges.

    A minimum that is not known counts as none, and such a maximum as the minimum.
    """
    least = most = 0
    for machine_range in ranges:
        fewest, largest = (0 if isinstance(end, Unknown) else end for end in machine_range)
        least += fewest
        most += max(fewest, largest)
    return least, most


def machines_left(
    count: int | Unknown | None, used_range: tuple[int, int]
) -> tuple[int | Unknown, int | Unknown]:
    """Return the reserved machines that are left at the least and at the most use.

    A group grows within what is kept, and is paid all month at its maximum.
    """
    if not isinstance(count, int):
        return UNKNOWN, UNKNOWN
    least_used, most_used = used_range
    return max(0, count - least_used), max(0, count - most_used)


def reserved_group(
    resource: Resource,
    cloud: str,
    rung: Rung,
    count: int | Unknown,
    labels: Keys | None,
    usage: Usage,
) -> Group:
    """Return the reserved machines that no other machines of the stack use, as a group."""
    return Group(
        name=resource.name,
        subject=resource.urn,
        purpose="unknown",
        cloud=cloud,
        rungs=(rung,),
        machines=(rung.machine,),
        minimum=count,
        maximum=count,
        needs=WorkloadNeeds(hours=usage.hours.get(resource.name)),
        safety=SAFETY_OF_NO_MACHINE,
        lifecycle=GroupLifecycle(image_pinned=True),
        labels=labels,
    )
