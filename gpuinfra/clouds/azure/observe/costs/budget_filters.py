"""The filters of Azure budgets, and whether this stack's tags and resource groups match."""

from collections.abc import Mapping
from typing import Any, Final

from gpuinfra.clouds.azure.observe import arm_ids, resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, text
from gpuinfra.graph import Symbol
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_TYPES_WITH_HIDDEN_GROUP: Final = (resource_types.CLUSTER, resource_types.POOL)
"""Their machines are in a resource group of Azure's own making:
https://learn.microsoft.com/azure/aks/faq"""
_GROUPS: Final = frozenset({"resourcegroup", "resourcegroupname"})


def counts_all_machines(filters: Any, index: Index) -> Known:
    """Return whether a budget's filter includes all machines of this stack.

    Another dimension than a resource group leaves a part of what machines cost out:
    https://learn.microsoft.com/rest/api/consumption/budgets/create-or-update
    """
    if isinstance(filters, Unknown):
        return UNKNOWN
    return all_of(
        _includes_machines(part, index) for part in (filters, *as_list(at(filters, "and")))
    )


def counts_scope(scope: Any, index: Index) -> Known:
    """Return whether all machines may be in a budget's scope: a resource group, or wider."""
    parts = (
        arm_ids.parse_arm_id(scope)
        if isinstance(scope, str) and not isinstance(scope, Symbol)
        else None
    )
    if parts is None or parts.group is None:
        return True
    within = _are_machines_in_groups((parts.group,), index)
    return True if within is UNKNOWN and "${" in parts.group else within


def _includes_machines(filter_part: Any, index: Index) -> Known:
    dimension, tag = at(filter_part, "dimensions"), at(filter_part, "tags")
    facts: list[Known] = []
    if dimension is not None:
        name = text(at(dimension, "name"))
        facts.append(
            UNKNOWN if not isinstance(name, str) else _dimension_matches(name, dimension, index)
        )
    if tag is not None:
        facts.append(
            _are_machines_tagged(text(at(tag, "name")), as_list(at(tag, "values")), index)
        )
    return all_of(facts)


def _dimension_matches(name: str, dimension: Any, index: Index) -> Known:
    if name.lower() in _GROUPS:
        return _are_machines_in_groups(as_list(at(dimension, "values")), index)
    return UNKNOWN if name.lower() == "subscriptionid" else False


def _are_machines_in_groups(values: tuple[Any, ...], index: Index) -> Known:
    all_groups_seen: Known = (
        not any(index.of_kind(kind) for kind in _TYPES_WITH_HIDDEN_GROUP) or UNKNOWN
    )
    machine_checks = (
        _is_in(resource, values, index)
        for kind in resource_types.MACHINES
        for resource in index.of_kind(kind)
    )
    return all_of((all_groups_seen, *machine_checks))


def _is_in(resource: Resource, values: tuple[Any, ...], index: Index) -> Known:
    group = index.group_of(resource)
    holder = resource if group is None else group
    name = text(holder.inputs.get("resourceGroupName"))
    if not isinstance(name, str) or isinstance(name, Symbol):
        return UNKNOWN
    return any_of(
        UNKNOWN if isinstance(value, Unknown) else str(value).lower() == name.lower()
        for value in values
    )


def _are_machines_tagged(name: Any, values: tuple[Any, ...], index: Index) -> Known:
    """Return whether all machines have a tag.

    One that has it not may inherit it from its resource group or its subscription:
    https://learn.microsoft.com/azure/cost-management-billing/costs/enable-tag-inheritance
    """
    machines = [
        resource
        for kind in (*resource_types.MACHINES, *_TYPES_WITH_HIDDEN_GROUP)
        for resource in index.of_kind(kind)
    ]
    facts = [_has(machine.inputs.get("tags"), name, values) for machine in machines]
    has_other_tag = any(
        _is_other(machine.inputs.get("tags"), name, values) for machine in machines
    )
    return False if has_other_tag else (all_of(facts) or UNKNOWN)


def _has(tags: Any, name: Any, values: tuple[Any, ...]) -> Known:
    value = at(tags, name) if isinstance(name, str) else UNKNOWN
    if isinstance(value, Unknown) or UNKNOWN in values:
        return UNKNOWN
    return value in values


def _is_other(tags: Any, name: Any, values: tuple[Any, ...]) -> bool:
    """Return whether a resource has the tag with another value, which blocks inheritance."""
    return (
        isinstance(tags, Mapping)
        and at(tags, name) not in (None, UNKNOWN)
        and _has(tags, name, values) is False
    )
