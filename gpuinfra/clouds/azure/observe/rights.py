"""What the identities of machines may do, role by role, and who they are."""

from collections.abc import Iterator, Sequence
from typing import Final

from gpuinfra.clouds.azure.observe import arm, kinds
from gpuinfra.clouds.azure.observe.identity import principals
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.roles import role_name
from gpuinfra.clouds.observing.faults import Said
from gpuinfra.model import Resource, Unknown

_AZURE: Final = "azure-native"
_STORES: Final = "Storage Blob Data"
"""How the roles of data begin:
https://learn.microsoft.com/azure/role-based-access-control/built-in-roles"""


def of_machines(resource: Resource, index: Index) -> Iterator[Said]:
    """Yield the roles of machines, and an identity that they are told of and do not carry."""
    carried = principals(resource, index)
    known = [one for one in carried if isinstance(one, Resource)]
    if len(known) == len(carried):
        yield from _not_carried(resource, known, index)
    for grant in _grants(known, index):
        yield True, _words(grant, index)
        if (grant.inputs.get("condition") is None) != (
            grant.inputs.get("conditionVersion") is None
        ):
            yield False, f"{grant.name}: a condition and its version are said together"


def stores(resource: Resource, index: Index) -> bool:
    """Say whether the machines have a role on data in storage accounts, as far as it is seen."""
    known = [one for one in principals(resource, index) if isinstance(one, Resource)]
    return any(_role(one).startswith(_STORES) for one in _grants(known, index))


def _not_carried(resource: Resource, carried: Sequence[Resource], index: Index) -> Iterator[Said]:
    """Programs of a machine name an identity by its client id; IMDS knows those it carries.

    https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token
    """
    mine = {one.urn for one in carried}
    told = [one for key in resource.relations for one in index.related(resource, key)]
    for one in dict.fromkeys(each.urn for each in told if _is_identity(each)):
        if one not in mine:
            name = next(each.name for each in told if each.urn == one)
            yield False, f"the machines are told of the identity {name} and do not carry it"


def _is_identity(resource: Resource) -> bool:
    return kinds.canonical(resource.type) == kinds.IDENTITY


def _grants(known: Sequence[Resource], index: Index) -> Iterator[Resource]:
    for principal in known:
        yield from index.grants(principal)[0]


def _role(grant: Resource) -> str:
    role = grant.inputs.get("roleDefinitionId")
    found = role_name(arm.last_part(role)) if isinstance(role, str) else None
    return found or "a role"


def _words(grant: Resource, index: Index) -> str:
    scope = grant.inputs.get("scope")
    sources = [one.name for one in index.related(grant, "scope") if one.type.startswith(_AZURE)]
    known = isinstance(scope, str) and not isinstance(scope, Unknown)
    where = ", ".join(sources) or (arm.last_part(str(scope)) if known else "")
    limited = ", on a condition" if grant.inputs.get("condition") is not None else ""
    return f"{_role(grant)}{f' on {where}' if where else ''}{limited}"
