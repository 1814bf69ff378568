"""The effects of an edit on each group: interruptions, GPUs, end and minimum size."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from gpuinfra.catalog import gpu
from gpuinfra.catalog.choosing.machine_constraints import runs_the_same
from gpuinfra.clouds import provider_of
from gpuinfra.model import Group, Machine, Plan, Unknown
from gpuinfra.units import format_percent, plain


def group_differences(plan_before: Plan, plan_after: Plan) -> Iterator[str]:
    """Yield the differences of each group: interruptions, GPUs, end, minimum size."""
    groups_before = {group.subject: group for group in plan_before.groups}
    for group_after in plan_after.groups:
        group_before = groups_before.get(group_after.subject)
        if group_before is not None:
            difference_text = (
                *_purchase_effects(group_before, group_after),
                *_gpu_effects(group_before, group_after),
                *_end_effects(group_before, group_after),
                *_minimum_note(group_before, group_after),
            )
            yield from (f"{group_after.name}: {word}" for word in difference_text)


def lost_discounts(plan_before: Plan, plan_after: Plan) -> Iterator[str]:
    """Yield each group that no longer buys spot machines, with the discount that it loses."""
    groups_before = {group.subject: group for group in plan_before.groups}
    for group_after in plan_after.groups:
        group_before = groups_before.get(group_after.subject)
        if group_before is not None and _uses_spot(group_before) and not _uses_spot(group_after):
            yield f"{group_after.name}: the spot discount"


def _purchase_effects(group_before: Group, group_after: Group) -> Iterator[str]:
    uses_spot, used_spot = _uses_spot(group_after), _uses_spot(group_before)
    if uses_spot and not used_spot:
        yield "spot machines may be interrupted at any time"
    elif used_spot and not uses_spot:
        yield "on-demand machines are not interrupted"
    base, base_before = group_after.rung.on_demand_base, group_before.rung.on_demand_base
    if uses_spot and used_spot and base < base_before:
        yield f"{base} instead of {base_before} machines that are not interrupted"


def _uses_spot(group: Group) -> bool:
    return any(rung.capacity == "spot" for rung in group.rungs)


def _gpu_effects(group_before: Group, group_after: Group) -> Iterator[str]:
    """Yield that other programs are needed, and less memory bandwidth, where it is known."""
    old, new = _machines(group_before), _machines(group_after)
    if old and new and not all(runs_the_same(old[0], machine) for machine in new):
        yield f"programs and images for {old[0].gpu} do not run on {new[0].gpu}"
    fast, slow = _slowest(old), _slowest(new)
    if fast is not None and slow is not None and slow < fast:
        yield f"{format_percent((fast - slow) / fast)} less memory bandwidth per GPU"


def _machines(group: Group) -> tuple[Machine, ...]:
    """Return all machines that a group may have; empty where one is unknown."""
    names = dict.fromkeys((*(rung.machine for rung in group.rungs), *group.machines))
    machines = [provider_of(group.cloud).machines.get(name) for name in names]
    known_machines = tuple(machine for machine in machines if machine is not None)
    return known_machines if len(known_machines) == len(machines) else ()


def _slowest(machines: Sequence[Machine]) -> Decimal | None:
    models = [gpu(machine.gpu) for machine in machines]
    rates = [None if model is None else model.bandwidth_gbs for model in models]
    known_rates = [rate for rate in rates if rate is not None]
    return min(known_rates) if known_rates and len(known_rates) == len(rates) else None


def _end_effects(group_before: Group, group_after: Group) -> Iterator[str]:
    ends, ends_before = group_after.needs.ends_after, group_before.needs.ends_after
    if ends is not None and (ends_before is None or ends < ends_before):
        finished = "" if group_after.needs.hours is None else ", its run finished or not"
        yield f"its machines end after {plain(Decimal(ends))} h{finished}"


def _minimum_note(group_before: Group, group_after: Group) -> Iterator[str]:
    least, least_before = group_after.minimum, group_before.minimum
    if isinstance(least, Unknown) or isinstance(least_before, Unknown):
        return
    if least < least_before and group_after.minimum != group_after.maximum:
        yield f"at least {least} instead of {least_before} machines"
