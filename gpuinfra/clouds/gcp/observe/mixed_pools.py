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
        above = both[1] if base is both[0] else both[0]
        if _can_merge(base, above):
            merged[positions[0]] = replace(
                base, groups=(_merged_group(base.groups[0], above.groups[0]),)
            )
            merged[positions[1]] = Rows(not_judged=above.not_judged)
    return merged


def _can_merge(base: Rows, above: Rows) -> bool:
    group, other = base.groups[0], above.groups[0]
    return (
        (group.rung.capacity, other.rung.capacity) == ("on-demand", "spot")
        and group.machines == other.machines
        and group.rung.region == other.rung.region
        and group.fabric is None
        and other.fabric is None
        and isinstance(group.maximum, int)
        and list(map(_price_key, base.items)) == list(map(_price_key, above.items))
    )


def _price_key(item: Item) -> tuple[str, str, Decimal | Unknown | None]:
    return item.item, item.unit, item.quantity


def _merged_group(base: Group, above: Group) -> Group:
    on_demand = base.maximum if isinstance(base.maximum, int) else 0
    rung = replace(
        above.rung,
        zones=tuple(sorted({*base.rung.zones, *above.rung.zones})),
        on_demand_base=on_demand,
    )
    return replace(
        base,
        rungs=(rung,),
        minimum=_sum(base.minimum, above.minimum),
        maximum=_sum(base.maximum, above.maximum),
        safety=worst_safety([base.safety, above.safety]),
        faults=joined_faults(base.faults, above.faults),
        labels=common_keys(keys for keys in (base.labels, above.labels) if keys is not None),
        lifecycle=_merged_lifecycle(base.lifecycle, above.lifecycle),
        reach=_joined_reachability(base.reach, above.reach),
    )


def _merged_lifecycle(base: GroupLifecycle, above: GroupLifecycle) -> GroupLifecycle:
    return replace(
        base,
        ends=all_of((base.ends or False, above.ends or False)),
        maintenance=_worse(base.maintenance, above.maintenance),
        grows=_is_either_scaled(base.grows, above.grows),
        image_pinned=all_of((base.image_pinned, above.image_pinned)),
        surge=_sum(base.surge, above.surge),
        upkeep=_joined_reachability(base.upkeep, above.upkeep),
    )


def _joined_reachability(
    base: Reachability | None, above: Reachability | None
) -> Reachability | None:
    """Return the network paths and faults of both groups; those of one name how it is bought."""
    if base is None or above is None:
        return base or above
    return Reachability(
        open_paths=_notes_by_purchase(base.open_paths, above.open_paths),
        faults=_all_faults(base.faults, above.faults),
    )


def _all_faults(base: Sequence[Fault], above: Sequence[Fault]) -> tuple[Fault, ...]:
    return (
        *(fault for fault in base if fault in above),
        *(
            replace(fault, message=f"{fault.message} (on demand)")
            for fault in base
            if fault not in above
        ),
        *(
            replace(fault, message=f"{fault.message} (spot)")
            for fault in above
            if fault not in base
        ),
    )


def _notes_by_purchase(base: Sequence[str], above: Sequence[str]) -> tuple[str, ...]:
    return (
        *(words for words in base if words in above),
        *(f"{words} (on demand)" for words in base if words not in above),
        *(f"{words} (spot)" for words in above if words not in base),
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
