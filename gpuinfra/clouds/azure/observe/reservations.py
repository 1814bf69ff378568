"""Capacity reservations: machines that are paid from the day they are kept, used or not."""

from dataclasses import replace

from gpuinfra.clouds.azure.machines import size_name
from gpuinfra.clouds.azure.observe import kinds
from gpuinfra.clouds.azure.observe.groups import group_of
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.market import asked_of, bought
from gpuinfra.clouds.azure.observe.profile import profile_of
from gpuinfra.clouds.observing.kept_capacity import NOTHING_RUNS
from gpuinfra.clouds.observing.rows import unjudged
from gpuinfra.clouds.observing.values import at, listed, text, whole
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown, Usage


def reservation_rows(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return the machines that are kept and not used by others of this stack.

    A machine that runs in a reservation is paid once, so those that use it are counted as machines
    and taken off here:
    https://learn.microsoft.com/azure/virtual-machines/capacity-reservation-overview
    """
    size, kept = _kept(resource)
    request = bought((size,), None, None, kept, kept)
    if request.trouble:
        return unjudged(resource, request.trouble)
    if isinstance(kept, int):
        kept = max(0, kept - _used(resource, index))
    if kept == 0:
        return Rows()
    request = replace(request, minimum=kept, maximum=kept)
    return Rows(groups=(replace(group_of(resource, request, index, usage), safety=NOTHING_RUNS),))


def _kept(resource: Resource) -> tuple[object, int | Unknown]:
    sku = resource.inputs.get("sku")
    count = whole(at(sku, "capacity"))
    size = at(sku, "name")
    named = size_name(size) if isinstance(size, str) else size
    return named, UNKNOWN if count is None else count


def _used(resource: Resource, index: Index) -> int:
    """How many machines surely run in it, and not in the reservations of its group before it.

    They are of its size, in its zone, and no spot machines:
    https://learn.microsoft.com/azure/virtual-machines/capacity-reservation-overview
    """
    size, zones = _kept(resource)[0], _zones(resource)
    group = _group(resource, index)
    if group is None or zones is None:
        return 0
    used = sum(_users(size, zones, group, index))
    for other in index.of(kinds.RESERVATION):
        if other.urn == resource.urn:
            break
        other_size, kept = _kept(other)
        same = (other_size, _zones(other)) == (size, zones)
        if same and _group(other, index) == group:
            used -= used if isinstance(kept, Unknown) else min(used, kept)
    return used


def _group(resource: Resource, index: Index) -> str | None:
    prop = "capacityReservationGroupName"
    targets = index.targets(resource, prop, kinds.RESERVATION_GROUP)
    return targets.certain[0].urn if targets.exact and len(targets.certain) == 1 else None


def _zones(resource: Resource) -> frozenset[str] | None:
    """The zones that something stands in; None where they are not known yet."""
    zones = [text(zone) for zone in listed(resource.inputs.get("zones"))]
    named = frozenset(zone for zone in zones if isinstance(zone, str))
    return named if len(named) == len(zones) else None


def _users(size: object, zones: frozenset[str], group: str, index: Index) -> list[int]:
    counts: list[int] = []
    for resource in (*index.of(kinds.MACHINE), *index.of(kinds.SCALE_SET)):
        reference = profile_of(resource).reference(
            "capacityReservation", "capacityReservationGroup", "id"
        )
        if reference.value is None:
            continue
        goals = reference.targets(index, kinds.RESERVATION_GROUP)
        request = asked_of(resource)
        fits = (
            request.machines == (size,)
            and request.capacity != "spot"
            and _zones(resource) == zones
        )
        surely = [goal.urn for goal in goals.certain] == [group] and fits
        if surely and isinstance(request.minimum, int):
            counts.append(request.minimum)
    return counts
