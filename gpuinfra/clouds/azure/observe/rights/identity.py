"""The permissions of a machine's identity, as far as the stack's role assignments show."""

from collections.abc import Iterable, Mapping
from typing import Final

from gpuinfra.clouds.azure.observe import arm_ids, resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.rights import directory_roles
from gpuinfra.clouds.azure.observe.rights.role_powers import (
    allows_assigning,
    allows_hosting,
    gives_everything,
    is_visible,
    role_is,
)
from gpuinfra.clouds.observing.values import all_of, any_of, at, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_KUBELET: Final = "kubeletidentity"
_RESOURCES_MODULE: Final = "azure-native:resources:"
"""Deployments and scripts are in a resource group, and their outputs may name any scope."""


def is_administrator(resource: Resource, index: Index) -> Known:
    """Return whether the machines' identity may do everything in a resource group, or more."""
    return any_of(
        _has_administrator_role(principal, index) if isinstance(principal, Resource) else principal
        for principal in principals(resource, index)
    )


def is_node_administrator(cluster: Resource, index: Index) -> Known:
    """Return whether the identity of a cluster's nodes and pods may do everything.

    It is the kubelet's: one that the cluster names, or one that Azure makes, to which roles are
    given by what the cluster returns; so are they to its control plane, and before the cluster is
    there the two can't be told apart.
    https://learn.microsoft.com/azure/aks/use-managed-identity
    """
    profile = cluster.inputs.get("identityProfile")
    identity_id = at(profile, _KUBELET, "resourceId")
    if isinstance(profile, Unknown):
        return UNKNOWN
    if identity_id is not None:
        identities = index.targets(
            cluster, "identityProfile", resource_types.IDENTITY, [identity_id]
        )
        has_role = any_of(
            _has_administrator_role(identity, index) for identity in identities.certain
        )
        return has_role if identities.exact or has_role is True else UNKNOWN
    grants, _ = index.grants(cluster)
    of_nodes = [(grant, _is_to_nodes(grant, cluster)) for grant in grants]
    return _great_together(of_nodes, index)


def _is_to_nodes(grant: Resource, cluster: Resource) -> Known:
    holder = grant.inputs.get("principalId")
    nodes = at(cluster.outputs.get("identityProfile"), _KUBELET, "objectId")
    if isinstance(holder, str) and isinstance(nodes, str):
        return holder.lower() == nodes.lower()
    control = at(cluster.outputs.get("identity"), "principalId")
    return False if isinstance(holder, str) and holder == control else UNKNOWN


def principals(resource: Resource, index: Index) -> tuple[Resource | Unknown, ...]:
    """Return the identities of the machines; UNKNOWN for one that is not visible."""
    identity = resource.inputs.get("identity")
    kind = at(identity, "type")
    identity_kind = kind.lower() if isinstance(kind, str) else ""
    resources: list[Resource | Unknown] = []
    if isinstance(kind, Unknown) or "systemassigned" in identity_kind:
        resources.append(resource)
    identity_ids = at(identity, "userAssignedIdentities")
    names = list(identity_ids) if isinstance(identity_ids, Mapping) else identity_ids
    if names is not None and identity_kind != "none":
        identities = index.targets(resource, "identity", resource_types.IDENTITY, names)
        resources += identities.certain
        resources += () if identities.exact else (UNKNOWN,)
    return tuple(resources)


def _has_administrator_role(principal: Resource, index: Index) -> Known:
    """Return whether an identity has an administrator's role, also by groups or directory."""
    holders = (principal, *directory_roles.acts_as(principal, index))
    holder_grants = [index.grants(holder) for holder in holders]
    assignments: list[tuple[Resource, Known]] = [
        (grant, True) for grants, _ in holder_grants for grant in grants
    ]
    directories = (directory_roles.may_take_any_role(holder, index) for holder in holders)
    holds_role = any_of((_great_together(assignments, index), *directories))
    return (
        holds_role
        if holds_role is True or all(complete for _, complete in holder_grants)
        else UNKNOWN
    )


def _great_together(assignments: Iterable[tuple[Resource, Known]], index: Index) -> Known:
    """Return whether grants make an administrator, alone or together, if they are held.

    One may assign any identity of a resource group to what another lets its holder make, wherever.
    """
    assignments_held = tuple(assignments)
    is_great_alone = any_of(
        all_of((is_held, _is_administrator_role(grant, index), _covers_group(grant, index)))
        for grant, is_held in assignments_held
    )
    becomes = any_of(
        all_of((is_held, role_is(grant, index, allows_assigning), _covers_group(grant, index)))
        for grant, is_held in assignments_held
    )
    makes = any_of(
        all_of((is_held, role_is(grant, index, allows_hosting)))
        for grant, is_held in assignments_held
    )
    return any_of((is_great_alone, all_of((becomes, makes))))


def _is_administrator_role(grant: Resource, index: Index) -> Known:
    """Return whether a role is an administrator's: a built-in one, or one of this stack.

    What a role defined elsewhere allows is not known.
    """
    great = role_is(grant, index, gives_everything)
    return great if great is not False or is_visible(grant, index) else UNKNOWN


def _covers_group(grant: Resource, index: Index) -> Known:
    """Return whether a grant covers a resource group or more, not a single resource."""
    scope = text(grant.inputs.get("scope"))
    if isinstance(scope, str):
        read = arm_ids.parse_arm_id(scope)
        return UNKNOWN if read is None else read.wide
    sources = index.related_resources(grant, "scope")
    return False if sources and all(map(stands_in_group, sources)) else UNKNOWN


def stands_in_group(resource: Resource) -> bool:
    """Return whether a resource is in a resource group, so that its roles cover nothing else."""
    kind = resource_types.canonical(resource.type)
    is_in_group = "resourceGroupName" in resource.inputs and not kind.startswith(_RESOURCES_MODULE)
    return kind.startswith("azure-native:") and is_in_group
