"""Groups and roles of the directory (Entra ID) that identities of machines have."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.azure.observe import kinds
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.values import any_of, listed
from gpuinfra.model import UNKNOWN, Known, Resource

_ROLES: Final = frozenset(
    {
        "62e90394-69f5-4237-9190-012177145e10",  # Global Administrator
        "e8611ab8-c189-46e8-94e1-60213ab1f814",  # Privileged Role Administrator
        "7be44c8a-adaf-4e2a-84d6-ab2649e08a13",  # Privileged Authentication Administrator
        "9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3",  # Application Administrator
        "158c047a-c907-4556-b7ef-446551a6b5f7",  # Cloud Application Administrator
    }
)
"""Directory roles whose holder may take any other, or act as any application:
https://learn.microsoft.com/entra/identity/role-based-access-control/permissions-reference
(2026-11-26, ids not re-read: unverified)"""

_APP_ROLES: Final = frozenset(
    {
        "9e3f62cf-ca93-4989-b6ce-bf83c28f9fe8",  # RoleManagement.ReadWrite.Directory
        "06b708a9-e830-4db3-a914-8e69da51d44f",  # AppRoleAssignment.ReadWrite.All
        "1bfefb4e-e0b5-418b-a88f-73c46d2cc8e9",  # Application.ReadWrite.All
    }
)
"""Permissions of Microsoft Graph with the same power:
https://learn.microsoft.com/graph/permissions-reference (same day, unverified)"""

_HELD: Final = (
    (kinds.DIRECTORY_ROLE, "roleId", _ROLES),
    (kinds.APP_ROLE, "appRoleId", _APP_ROLES),
)


def groups_of(principal: Resource, index: Index) -> Iterator[Resource]:
    """Yield the groups of this stack that an identity is a member of."""
    for group in index.of(kinds.DIRECTORY_GROUP):
        if _names(group, "members", principal, index) or any(
            _names(member, "groupObjectId", group, index)
            and _names(member, "memberObjectId", principal, index)
            for member in index.of(kinds.DIRECTORY_MEMBER)
        ):
            yield group


def may_take_any_role(holder: Resource, index: Index) -> Known:
    """Say whether an identity or a group may give itself any role by what it is in the directory.

    A role is known by the id of its template, which is the same in every directory.
    """
    return any_of(
        role.lower() in great if isinstance(role, str) else UNKNOWN
        for kind, key, great in _HELD
        for held in index.of(kind)
        if _names(held, "principalObjectId", holder, index)
        for role in [held.inputs.get(key)]
    )


def _names(resource: Resource, prop: str, principal: Resource, index: Index) -> bool:
    """Whether an input names an identity or a group, by its object id or by its source."""
    written = (
        index.principal(value)
        for value in listed(resource.inputs.get(prop))
        if isinstance(value, str)
    )
    return principal.urn in written or principal in index.related(resource, prop)
