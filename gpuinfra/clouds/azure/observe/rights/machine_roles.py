"""The roles of the machines' identities, and the identities."""

from collections.abc import Container, Iterator, Sequence
from typing import Final

from gpuinfra.clouds.azure.observe import arm_ids, resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.rights.identity import principals
from gpuinfra.clouds.azure.roles import role_name
from gpuinfra.clouds.observing.fault_texts import Remark
from gpuinfra.clouds.observing.values import flag
from gpuinfra.model import Resource, Unknown

_AZURE: Final = "azure-native"
_UNKNOWN_ROLE: Final = "a role"
"""One that no table names: it may allow anything."""

_STORES: Final = "Storage Blob Data"
"""How the roles of data begin:
https://learn.microsoft.com/azure/role-based-access-control/built-in-roles"""


def machine_role_remarks(resource: Resource, index: Index) -> Iterator[Remark]:
    """Yield the roles of machines, and identities that they use but are not assigned."""
    carried = principals(resource, index)
    known_principals = [principal for principal in carried if isinstance(principal, Resource)]
    if len(known_principals) == len(carried):
        yield from _not_carried(resource, known_principals, index)
        yield from _not_let_in(resource, known_principals, index)
    for grant in _grants(known_principals, index):
        yield True, _grant_text(grant, index)
        if (grant.inputs.get("condition") is None) != (
            grant.inputs.get("conditionVersion") is None
        ):
            yield (
                False,
                f"{grant.name}: a condition requires its version, and a version a condition",
            )


def stores(resource: Resource, index: Index) -> bool:
    """Return whether the machines have a visible role on data in storage accounts."""
    known_principals = [
        principal for principal in principals(resource, index) if isinstance(principal, Resource)
    ]
    return any(_role(grant).startswith(_STORES) for grant in _grants(known_principals, index))


def _not_carried(
    resource: Resource, carried: Sequence[Resource], index: Index
) -> Iterator[Remark]:
    """Yield identities that the machines' script uses but that are not assigned to them.

    https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token
    """
    carried_urns = {identity.urn for identity in carried}
    other_identities = [
        other for key in resource.relations for other in index.related_resources(resource, key)
    ]
    for urn in dict.fromkeys(
        other_identity.urn
        for other_identity in other_identities
        if _is(other_identity, resource_types.IDENTITY)
    ):
        if urn not in carried_urns:
            name = next(
                other_identity.name
                for other_identity in other_identities
                if other_identity.urn == urn
            )
            yield (
                False,
                (f"the machines' script uses the identity {name}, which is not assigned to them"),
            )


def _not_let_in(
    resource: Resource, known_principals: Sequence[Resource], index: Index
) -> Iterator[Remark]:
    """Yield containers that machines use without a role, on accounts that accept no keys.

    https://learn.microsoft.com/azure/storage/common/shared-key-authorization-prevent
    """
    if not all(index.grants(principal)[1] for principal in known_principals):
        return
    storage_grants = [
        grant
        for grant in _grants(known_principals, index)
        if _role(grant).startswith((_STORES, _UNKNOWN_ROLE))
    ]
    other_identities = [
        other for key in resource.relations for other in index.related_resources(resource, key)
    ]
    for container in {
        other.urn: other for other in other_identities if _is(other, resource_types.CONTAINER)
    }.values():
        accounts = index.targets(container, "accountName", resource_types.ACCOUNT).certain
        closed = [
            flag(account.inputs.get("allowSharedKeyAccess")) is False for account in accounts
        ]
        urns = {container.urn, *(account.urn for account in accounts)}
        if closed == [True] and not any(_is_at(grant, urns, index) for grant in storage_grants):
            yield False, f"the machines' script uses {container.name}, and no role allows it"


def _is_at(grant: Resource, scope_urns: Container[str], index: Index) -> bool:
    """Return whether a role is, or may be, given at one of several places."""
    target_lists = [
        index.targets(grant, "scope", kind)
        for kind in (resource_types.ACCOUNT, resource_types.CONTAINER)
    ]
    target_urns = [resource.urn for targets in target_lists for resource in targets.certain]
    return not target_urns or any(urn in scope_urns for urn in target_urns)


def _is(resource: Resource, kind: str) -> bool:
    return resource_types.canonical(resource.type) == kind


def _grants(known_principals: Sequence[Resource], index: Index) -> Iterator[Resource]:
    for principal in known_principals:
        yield from index.grants(principal)[0]


def _role(grant: Resource) -> str:
    role = grant.inputs.get("roleDefinitionId")
    name = role_name(arm_ids.last_part(role)) if isinstance(role, str) else None
    return name or _UNKNOWN_ROLE


def _grant_text(grant: Resource, index: Index) -> str:
    scope = grant.inputs.get("scope")
    sources = [
        resource.name
        for resource in index.related_resources(grant, "scope")
        if resource.type.startswith(_AZURE)
    ]
    is_scope_known = isinstance(scope, str) and not isinstance(scope, Unknown)
    scope_name = ", ".join(sources) or (arm_ids.last_part(str(scope)) if is_scope_known else "")
    limited = ", with a condition" if grant.inputs.get("condition") is not None else ""
    return f"{_role(grant)}{f' on {scope_name}' if scope_name else ''}{limited}"
