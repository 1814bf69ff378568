"""The groups and roles in the directory (Entra ID) of machines' identities, and wide grants."""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.grants import GrantFault, make_observer
from gpuinfra.clouds.observing.values import any_of, as_list
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record


@record(kw_only=False)
class _RoleGrantType:
    """A type that gives a role of the directory, or a permission of an API.

    Attributes:
        kind: the type.
        holder: the input that names who gets it.
        role: the input that names what he gets.
        by_template: whether a written id is that of a template, which is the same in every
            directory; an id that a role has in one directory says nothing.
    """

    kind: str
    holder: str
    role: str
    by_template: bool = True


_ROLE_TYPES: Final = (
    _RoleGrantType(resource_types.DIRECTORY_ROLE, "principalObjectId", "roleId"),
    _RoleGrantType(resource_types.DIRECTORY_ROLE_ELIGIBLE, "principalId", "roleDefinitionId"),
    _RoleGrantType(
        resource_types.DIRECTORY_ROLE_MEMBER, "memberObjectId", "roleObjectId", by_template=False
    ),
    _RoleGrantType(
        resource_types.UNIT_ROLE_MEMBER, "memberObjectId", "roleObjectId", by_template=False
    ),
    _RoleGrantType(resource_types.APP_ROLE, "principalObjectId", "appRoleId"),
)
"""Who is eligible for a role takes it when he wants to, unless someone has to approve.
https://www.pulumi.com/registry/packages/azuread/api-docs/directoryrolemember
(6.8.0; the other types' inputs from the same provider's pages, not re-read: unverified)"""

_WHOLE_DIRECTORY: Final = "/"
"""https://www.pulumi.com/registry/packages/azuread/api-docs/directoryroleassignment"""

_API_PERMISSION_TYPES: Final = (resource_types.APP_ROLE,)

_MEMBERSHIPS: Final = (
    (resource_types.DIRECTORY_MEMBER, "groupObjectId", "memberObjectId"),
    (resource_types.DIRECTORY_GROUP_ASSIGNED, "groupId", "principalId"),
    (resource_types.DIRECTORY_GROUP_ELIGIBLE, "groupId", "principalId"),
)
"""Who owns a group may make himself a member, and who owns an application a password of it:
https://learn.microsoft.com/entra/fundamentals/users-default-permissions
(2026-11-26, not re-read: unverified)"""
_GROUP_INPUTS: Final = ("members", "owners")


def acts_as(principal: Resource, index: Index) -> Iterator[Resource]:
    """Yield the groups and applications of this stack whose roles an identity has, or may take."""
    principals = {principal.urn: principal}
    queue = [principal]
    while queue:
        role_id = queue.pop()
        for other in (*_groups_of(role_id, index), *_owned_by(role_id, index)):
            if other.urn not in principals:
                principals[other.urn] = other
                queue.append(other)
                yield other


def may_take_any_role(holder: Resource, index: Index) -> Known:
    """Return whether an identity or a group may give itself any role through the directory.

    A role is known by the id of its template, which is the same in every directory.
    """
    return any_of(
        _is_great(grant, grant_type, index)
        for grant_type in _ROLE_TYPES
        for grant in index.of_kind(grant_type.kind)
        if _names_principal(grant, grant_type.holder, holder, index)
    )


def great_role(grant: Resource, index: Index) -> str | Unknown | None:
    """Return the role that a resource gives in all of the directory, where it may take any other.

    A role that is not in the table, or only in a part of the directory, is none. A permission that
    is not known yet is one of an API of the stack's own.
    """
    grant_type = next(grant_type for grant_type in _ROLE_TYPES if grant_type.kind == grant.type)
    scope = grant.inputs.get("directoryScopeId", _WHOLE_DIRECTORY)
    if isinstance(scope, str) and scope != _WHOLE_DIRECTORY:
        return None
    great = _is_great(grant, grant_type, index)
    if great is True:
        return _role_label(grant, grant_type, index)
    is_role_unknown = isinstance(grant.inputs.get(grant_type.role), Unknown)
    return (
        UNKNOWN
        if is_role_unknown and great is UNKNOWN and grant_type.kind not in _API_PERMISSION_TYPES
        else None
    )


def _role_label(grant: Resource, grant_type: _RoleGrantType, index: Index) -> str:
    """Return the table's label for the role that a resource grants."""
    roles = [grant.inputs.get(grant_type.role)]
    for role in index.related_resources(grant, grant_type.role):
        roles += (role.inputs.get("templateId"), role.inputs.get("displayName"))
    texts = {text.casefold() for text in roles if isinstance(text, str)}
    return next(
        str(row["name"])
        for row in TABLES.rows("directory")
        if not texts.isdisjoint((row["id"].casefold(), row["name"].casefold()))
    )


def _groups_of(principal: Resource, index: Index) -> Iterator[Resource]:
    for group in index.of_kind(resource_types.DIRECTORY_GROUP):
        if any(_names_principal(group, prop, principal, index) for prop in _GROUP_INPUTS) or any(
            _names_principal(member, in_group, group, index)
            and _names_principal(member, member_input, principal, index)
            for kind, in_group, member_input in _MEMBERSHIPS
            for member in index.of_kind(kind)
        ):
            yield group


def _owned_by(principal: Resource, index: Index) -> Iterator[Resource]:
    """Yield the service principals as which an identity may sign in as their owner."""
    applications = [
        application
        for application in index.of_kind(resource_types.APPLICATION)
        if _names_principal(application, "owners", principal, index)
        or any(
            application in index.related_resources(owner, "applicationId")
            and _names_principal(owner, "ownerObjectId", principal, index)
            for owner in index.of_kind(resource_types.APPLICATION_OWNER)
        )
    ]
    for service_principal in index.of_kind(resource_types.SERVICE_PRINCIPAL):
        made_of = index.related_resources(service_principal, "clientId")
        if _names_principal(service_principal, "owners", principal, index) or any(
            application in made_of for application in applications
        ):
            yield service_principal


def _is_great(grant: Resource, grant_type: _RoleGrantType, index: Index) -> Known:
    roles = [
        role
        for role in index.related_resources(grant, grant_type.role)
        if role.type == resource_types.ROLE_OF_DIRECTORY
    ]
    if roles:
        names = ("templateId", "displayName")
        return any_of(_is_listed(role.inputs.get(name)) for role in roles for name in names)
    role_id = grant.inputs.get(grant_type.role)
    is_listed = _is_listed(UNKNOWN if role_id is None else role_id)
    return UNKNOWN if is_listed is False and not grant_type.by_template else is_listed


def _is_listed(role: Any) -> Known:
    """Return whether a table has a role by its id or name; False for None."""
    if role is None:
        return False
    return role.casefold() in _powerful_roles() if isinstance(role, str) else UNKNOWN


@cache
def _powerful_roles() -> frozenset[str]:
    """Return the roles and permissions that lead to any other, by their ids and names."""
    rows = TABLES.rows("directory")
    return frozenset(row[key].casefold() for row in rows for key in ("id", "name"))


def _names_principal(resource: Resource, prop: str, principal: Resource, index: Index) -> bool:
    """Return whether an input names an identity or a group, by its object id or its source."""
    principals = (
        index.principal(value)
        for value in as_list(resource.inputs.get(prop))
        if isinstance(value, str)
    )
    return principal.urn in principals or principal in index.related_resources(resource, prop)


def _grant_faults(resource: Resource, index: Index) -> Iterator[GrantFault]:
    role = great_role(resource, index)
    if isinstance(role, Unknown):
        yield role
    elif role is not None:
        yield f"grants {role} in the whole directory"


grant: Final = make_observer("azure", _grant_faults)
