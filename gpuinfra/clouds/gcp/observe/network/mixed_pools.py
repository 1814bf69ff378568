"""Managed groups behind one backend service, which form one pool with two purchase options."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.fault_texts import joined_faults
from gpuinfra.clouds.observing.label_keys import common_keys
from gpuinfra.clouds.observing.several_options import worst_safety
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at
from gpuinfra.model import (
    Fault,
    Group,
    GroupLifecycle,
    Item,
    Known,
    Reachability,
    Resource,
    Rows,
    Unknown,
)

_PAIR: Final = 2
"""A group of the base, and one of what is above it."""


def backends_of(group: Resource, index: Index) -> tuple[Resource, ...]:
    """Return the backend services that a managed group is behind."""
    return tuple(
        service
        for service in index.of_kind(resource_types.BACKEND)
        if any(resource.urn == group.urn for resource in groups_behind(service, index))
    )


def groups_behind(service: Resource, index: Index) -> tuple[Resource, ...]:
    """Return the managed groups of a backend service."""
    backends = service.inputs.get("backends")
    groups = [at(backend, "group") for backend in as_list(backends)]
    references = backends if isinstance(backends, Unknown) else groups
    return index.targets(service, "backends", resource_types.GROUP, references).certain


def merge_groups(rows: Sequence[Rows], index: Index) -> list[Rows]:
    """Merge two groups that share a service into one: an on-demand base with spot above it.

    A managed group buys in one way, so that a pool of both is two of them:
    https://docs.cloud.google.com/compute/docs/instance-groups/create-mig-with-preemptible-vms
    They stay apart where their machines, place or disks differ.
    """
    merged = list(rows)
    for service in index.of_kind(resource_types.BACKEND):
        behind = {resource.urn for resource in groups_behind(service, index)}
        positions = [
            number
            for number, row in enumerate(merged)
            if len(row.groups) == 1 and row.groups[0].subject in behind
        ]
        if not len(behind) == len(positions) == _PAIR:
            continue
        both = [merged[number] for number in positions]
        base = next((row for row in both if row.groups[0].rung.capacity == "on-demand"), both[0])
        rows_above_base = both[1] if base is both[0] else both[0]
        if _can_merge(base, rows_above_base):
            merged[positions[0]] = replace(
                base, groups=(_merged_group(base.groups[0], rows_above_base.groups[0]),)
            )
            merged[positions[1]] = Rows(not_judged=rows_above_base.not_judged)
    return merged


def _can_merge(base: Rows, rows_above_base: Rows) -> bool:
    group, other = base.groups[0], rows_above_base.groups[0]
    return (
        (group.rung.capacity, other.rung.capacity) == ("on-demand", "spot")
        and group.machines == other.machines
        and group.rung.region == other.rung.region
        and group.fabric is None
        and other.fabric is None
        and isinstance(group.maximum, int)
        and list(map(_price_key, base.items)) == list(map(_price_key, rows_above_base.items))
    )


def _price_key(item: Item) -> tuple[str, str, Decimal | Unknown | None]:
    return item.item, item.unit, item.quantity


def _merged_group(base: Group, group_above_base: Group) -> Group:
    on_demand = base.maximum if isinstance(base.maximum, int) else 0
    rung = replace(
        group_above_base.rung,
        zones=tuple(sorted({*base.rung.zones, *group_above_base.rung.zones})),
        on_demand_base=on_demand,
    )
    return replace(
        base,
        rungs=(rung,),
        minimum=_sum(base.minimum, group_above_base.minimum),
        maximum=_sum(base.maximum, group_above_base.maximum),
        safety=worst_safety([base.safety, group_above_base.safety]),
        faults=joined_faults(base.faults, group_above_base.faults),
        labels=common_keys(
            keys for keys in (base.labels, group_above_base.labels) if keys is not None
        ),
        lifecycle=_merged_lifecycle(base.lifecycle, group_above_base.lifecycle),
        reach=_joined_reachability(base.reach, group_above_base.reach),
    )


def _merged_lifecycle(
    base: GroupLifecycle, lifecycle_above_base: GroupLifecycle
) -> GroupLifecycle:
    return replace(
        base,
        ends=all_of((base.ends or False, lifecycle_above_base.ends or False)),
        maintenance=_worse(base.maintenance, lifecycle_above_base.maintenance),
        grows=_is_either_scaled(base.grows, lifecycle_above_base.grows),
        image_pinned=all_of((base.image_pinned, lifecycle_above_base.image_pinned)),
        surge=_sum(base.surge, lifecycle_above_base.surge),
        upkeep=_joined_reachability(base.upkeep, lifecycle_above_base.upkeep),
    )


def _joined_reachability(
    base: Reachability | None, reach_above_base: Reachability | None
) -> Reachability | None:
    """Return the network paths and faults of both groups; those of one name how it is bought."""
    if base is None or reach_above_base is None:
        return base or reach_above_base
    return Reachability(
        open_paths=_notes_by_purchase(base.open_paths, reach_above_base.open_paths),
        faults=_all_faults(base.faults, reach_above_base.faults),
    )


def _all_faults(base: Sequence[Fault], faults_above_base: Sequence[Fault]) -> tuple[Fault, ...]:
    return (
        *(fault for fault in base if fault in faults_above_base),
        *(
            replace(fault, message=f"{fault.message} (on demand)")
            for fault in base
            if fault not in faults_above_base
        ),
        *(
            replace(fault, message=f"{fault.message} (spot)")
            for fault in faults_above_base
            if fault not in base
        ),
    )


def _notes_by_purchase(base: Sequence[str], notes_above_base: Sequence[str]) -> tuple[str, ...]:
    return (
        *(purchase_note for purchase_note in base if purchase_note in notes_above_base),
        *(f"{note} (on demand)" for note in base if note not in notes_above_base),
        *(
            f"{purchase_note} (spot)"
            for purchase_note in notes_above_base
            if purchase_note not in base
        ),
    )


def _sum(first: int | Unknown, second: int | Unknown) -> int | Unknown:
    if isinstance(first, Unknown) or isinstance(second, Unknown):
        return Unknown.UNKNOWN
    return first + second


def _worse(first: Known | None, second: Known | None) -> Known | None:
    """Return the worse of two facts; None where neither applies."""
    facts = [fact for fact in (first, second) if fact is not None]
    return min(facts, key=lambda fact: (fact is True, fact is not False), default=None)


def _is_either_scaled(first: Known | None, second: Known | None) -> Known | None:
    """Return whether anything scales either group; None where scaling applies to neither."""
    facts = [fact for fact in (first, second) if fact is not None]
    return any_of(facts) if facts else None
