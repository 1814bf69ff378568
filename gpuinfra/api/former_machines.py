"""What a preview's update leaves running for a while: former machines, replaced resources."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

from gpuinfra.clouds import cloud_of, provider_of
from gpuinfra.cost import PricingTerms, Quote, estimate
from gpuinfra.cost.machines import node_rate
from gpuinfra.model import Caps, Group, NotJudged, Plan, Resource, Rows, Usage, combined_rows
from gpuinfra.pulumi_files import LeavingResource, PulumiStack

_LONE: Final = frozenset(
    {
        *("aws:ec2/instance:Instance", "aws:ec2/spotInstanceRequest:SpotInstanceRequest"),
        "gcp:compute/instance:Instance",
        "gcp:compute/instanceFromTemplate:InstanceFromTemplate",
        "azure-native:compute:VirtualMachine",
    }
)
"""Types of one machine, which is another as soon as it is changed."""
_UNTIL_NOW: Final = (
    "its machines keep running until they are replaced, and their type is unknown: {}"
)


def with_former_machines(
    plan: Plan, before: Plan | None, pulumi_stack: PulumiStack, terms: PricingTerms
) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan priced with former machines that cost more, and a note on each such group.

    A group that is not replaced keeps its machines when its model or its template changes; they go
    when they are replaced, so the dearer of both counts. The packs count likewise.

    Args:
        plan: after the update.
        before: the plan before it; None where the file shows none.
        pulumi_stack: the preview, with the resources before the update.
        terms: what prices it.
    """
    if before is None:
        return plan, ()
    single_machines = {each.urn for each in pulumi_stack.former_resources if each.type in _LONE}
    started = {group.subject: group for group in before.groups}
    is_kept = [
        group.subject not in single_machines and group.subject not in pulumi_stack.created_urns
        for group in plan.groups
    ]
    groups = tuple(
        _more_expensive(group, started.get(group.subject), terms) if is_kept_group else group
        for group, is_kept_group in zip(plan.groups, is_kept, strict=True)
    )
    changed_groups = [new for old, new in zip(plan.groups, groups, strict=True) if old is not new]
    subjects = {
        group.subject
        for group, is_kept_group in zip(plan.groups, is_kept, strict=True)
        if is_kept_group
    }
    subjects -= started.keys()
    unknown = tuple(_hidden(row) for row in before.not_judged if row.subject in subjects)
    notes = tuple(
        f"{group.name} counts as {group.rung.machine} ({group.rung.capacity}), which keeps running"
        " until it is replaced"
        for group in changed_groups
    )
    return replace(plan, groups=groups, not_judged=(*plan.not_judged, *unknown)), notes


def overlap_quote(
    before: Plan | None, pulumi_stack: PulumiStack, usage: Usage, terms: PricingTerms
) -> Quote | None:
    """Return the cost of what is deleted only after its replacement is created; None without any.

    The packs count it likewise.

    Args:
        before: the plan before the update; None where the file shows none.
        pulumi_stack: the preview, with the resources before the update.
        usage: what no resource shows.
        terms: what prices it.
    """
    urns = {resource.urn for resource in pulumi_stack.leaving if resource.coexists}
    if before is None or not urns:
        return None
    reservations = dict(_reservations(pulumi_stack.former_resources, urns, usage))
    rows = combined_rows(reservations.values())
    urns -= reservations.keys()
    replaced = Plan(
        name=before.name,
        owner=None,
        caps=Caps(),
        groups=(*(group for group in before.groups if group.subject in urns), *rows.groups),
        items=tuple(item for item in before.items if item.subject in urns),
        not_judged=(*(row for row in before.not_judged if row.subject in urns), *rows.not_judged),
    )
    return estimate(replaced, terms)


def _reservations(
    former: Sequence[Resource], urns: Collection[str], usage: Usage
) -> Iterator[tuple[str, Rows]]:
    """Yield the rows of reserved capacity in full: its machines may leave it for the new one."""
    for resource in former:
        cloud = cloud_of(resource.type)
        if resource.urn not in urns or cloud is None:
            continue
        observe = provider_of(cloud).observe
        if resource.type in observe.COST_FALLS_IN_USE:
            index = observe.Index(former)
            rows = observe.COST_FALLS_IN_USE[resource.type](resource, index, usage, (0, 0))
            # The name of a machine beside it may be the same.
            groups = tuple(replace(group, name=group.subject) for group in rows.groups)
            yield resource.urn, replace(rows, groups=groups)


def leaving_notes(pulumi_stack: PulumiStack) -> Iterator[str]:
    """Yield which resources leave the stack, and whether they count until then."""
    replaced = [leaving for leaving in pulumi_stack.leaving if leaving.coexists]
    deleted = [leaving for leaving in pulumi_stack.leaving if not leaving.coexists]
    if replaced and pulumi_stack.kind == "state":
        yield f"to be replaced, waiting for deletion, and counted until then: {_types(replaced)}"
    elif replaced:
        yield (
            "counted under the caps beside what replaces them, until the update deletes them: "
            f"{_types(replaced)}"
        )
    if deleted:
        yield f"not counted, though they exist until the update deletes them: {_types(deleted)}"


def _types(resources: Sequence[LeavingResource]) -> str:
    counts = Counter(resource.type for resource in resources)
    return ", ".join(f"{count} × {type_}" for type_, count in sorted(counts.items()))


def _more_expensive(group: Group, former_group: Group | None, terms: PricingTerms) -> Group:
    """Return the group with its former machines if they cost more or have no price."""
    if former_group is None or _purchase_key(former_group) == _purchase_key(group):
        return group
    new, old = (
        node_rate(candidate_group, candidate_group.rung, terms.prices)
        for candidate_group in (group, former_group)
    )
    if new is None or (old is not None and old <= new):
        return group
    return replace(
        group,
        rungs=former_group.rungs,
        active_rung=former_group.active_rung,
        machines=former_group.machines,
    )


def _purchase_key(group: Group) -> tuple[object, ...]:
    rung = group.rung
    return (group.machines, rung.machine, rung.capacity, rung.max_price, rung.region)


def _hidden(row: NotJudged) -> NotJudged:
    return replace(row, reason=_UNTIL_NOW.format(row.reason))
