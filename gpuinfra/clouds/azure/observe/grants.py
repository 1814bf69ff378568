"""What role assignments and roles give away: a whole subscription, or every action."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from gpuinfra.clouds.azure.observe import arm, kinds
from gpuinfra.clouds.azure.observe.identity import gives_everything
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.roles import is_administrators, role_name
from gpuinfra.clouds.observing.grants import Found, granted
from gpuinfra.clouds.observing.rows import Rows
from gpuinfra.clouds.observing.values import at, listed, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown, Usage

_SUBSCRIPTION: Final = re.compile(r"/subscriptions/[^/]+/?", re.IGNORECASE)
_ABOVE: Final = "/providers/microsoft.management/managementgroups/"
"""Scopes that hold resource groups:
https://learn.microsoft.com/azure/role-based-access-control/scope-overview"""


def _of_assignment(resource: Resource, index: Index) -> Iterator[Found]:
    """A role of an administrator's on a subscription or more; elsewhere it has its bounds."""
    where = _where(resource, index)
    if where is None:
        return
    role = resource.inputs.get("roleDefinitionId")
    great = _is_great(resource, role, index)
    if great is UNKNOWN or (great is True and isinstance(where, Unknown)):
        yield UNKNOWN
    elif great is True:
        name = role_name(arm.last_part(role)) if isinstance(role, str) else None
        yield f"gives {name or 'a role that allows everything'} on {where}"


def _where(resource: Resource, index: Index) -> str | Unknown | None:
    """What a role is given on, in words; None for a resource group or less."""
    scope = text(resource.inputs.get("scope"))
    if isinstance(scope, Unknown):
        return None if index.related(resource, "scope") else UNKNOWN
    if scope is None or _SUBSCRIPTION.fullmatch(scope):
        return "the whole subscription"
    if scope == "/" or scope.lower().startswith(_ABOVE):
        return "a whole management group"
    return None


def _is_great(resource: Resource, role: object, index: Index) -> Known:
    built_in = is_administrators(arm.last_part(role)) if isinstance(role, str) else UNKNOWN
    if built_in is not UNKNOWN:
        return built_in
    own = index.targets(resource, "roleDefinitionId", kinds.ROLE)
    return own.some(lambda one: gives_everything(one.inputs.get("permissions")))


def _of_role(resource: Resource, _: Index) -> Iterator[Found]:
    for permission in listed(resource.inputs.get("permissions")):
        for one in listed(at(permission, "actions")):
            known = gives_everything([{"actions": [one]}])
            if known is not False:
                yield UNKNOWN if isinstance(known, Unknown) else f"allows {one}"


def _observed(read: Callable[[Resource, Index], Iterator[Found]]) -> Callable[..., Rows]:
    def rows(resource: Resource, index: Index, _: Usage) -> Rows:
        return granted("azure", resource, read(resource, index))

    return rows


GRANTS: Final[dict[str, Callable[[Resource, Index, Usage], Rows]]] = {
    kinds.ASSIGNMENT: _observed(_of_assignment),
    kinds.ROLE: _observed(_of_role),
}
"""Who observes which type."""
