"""The side effects of edits that keep every requested figure."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from gpuinfra.catalog import gpu
from gpuinfra.catalog.choosing.machine_constraints import runs_the_same
from gpuinfra.clouds import provider_of
from gpuinfra.model import Group, Machine, Plan, Unknown
from gpuinfra.units import format_percent, plain


def group_differences(before: Plan, after: Plan) -> Iterator[str]:
    """Yield the differences of each group: interruptions, GPUs, end, minimum size."""
    groups_before = {group.subject: group for group in before.groups}
    for now in after.groups:
        was = groups_before.get(now.subject)
        if was is not None:
            words = (
                *_purchase_effects(was, now),
                *_gpus(was, now),
                *_end_effects(was, now),
                *_minimum_note(was, now),
            )
            yield from (f"{now.name}: {each}" for each in words)


def lost_discounts(before: Plan, after: Plan) -> Iterator[str]:
    """Yield each group that no longer buys spot machines, with the discount that it loses."""
    groups_before = {group.subject: group for group in before.groups}
    for now in after.groups:
        was = groups_before.get(now.subject)
        if was is not None and _uses_spot(was) and not _uses_spot(now):
            yield f"{now.name}: the spot discount"


def _purchase_effects(was: Group, now: Group) -> Iterator[str]:
    uses_spot, used_spot = _uses_spot(now), _uses_spot(was)
    if uses_spot and not used_spot:
        yield "spot machines may be interrupted at any time"
    elif used_spot and not uses_spot:
        yield "on-demand machines are not interrupted"
    base, more = now.rung.on_demand_base, was.rung.on_demand_base
    if uses_spot and used_spot and base < more:
        yield f"{base} instead of {more} machines that are not interrupted"


def _uses_spot(group: Group) -> bool:
    return any(rung.capacity == "spot" for rung in group.rungs)


def _gpus(was: Group, now: Group) -> Iterator[str]:
    """Yield that other programs are needed, and less memory bandwidth, where it is known."""
    old, new = _machines(was), _machines(now)
    if old and new and not all(runs_the_same(old[0], machine) for machine in new):
        yield f"programs and images for {old[0].gpu} do not run on {new[0].gpu}"
    fast, slow = _slowest(old), _slowest(new)
    if fast is not None and slow is not None and slow < fast:
        yield f"{format_percent((fast - slow) / fast)} less memory bandwidth per GPU"


def _machines(group: Group) -> tuple[Machine, ...]:
    """Return all machines that a group may have; empty where one is unknown."""
    names = dict.fromkeys((*(rung.machine for rung in group.rungs), *group.machines))
    machines = [provider_of(group.cloud).machines.get(name) for name in names]
    known = tuple(machine for machine in machines if machine is not None)
    return known if len(known) == len(machines) else ()


def _slowest(machines: Sequence[Machine]) -> Decimal | None:
    models = [gpu(machine.gpu) for machine in machines]
    rates = [None if model is None else model.bandwidth_gbs for model in models]
    known = [rate for rate in rates if rate is not None]
    return min(known) if known and len(known) == len(rates) else None


def _end_effects(was: Group, now: Group) -> Iterator[str]:
    ends, ended_after = now.needs.ends_after, was.needs.ends_after
    if ends is not None and (ended_after is None or ends < ended_after):
        finished = "" if now.needs.hours is None else ", its run finished or not"
        yield f"its machines end after {plain(Decimal(ends))} h{finished}"


def _minimum_note(was: Group, now: Group) -> Iterator[str]:
    least, least_before = now.minimum, was.minimum
    if isinstance(least, Unknown) or isinstance(least_before, Unknown):
        return
    if least < least_before and now.minimum != now.maximum:
        yield f"at least {least} instead of {least_before} machines"
