"""What role assignments and roles give away: a whole subscription, or every action."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.azure.observe import arm, kinds
from gpuinfra.clouds.azure.observe.identity import (
    GRANTING_KEYS,
    gives_everything,
    logs_in,
    reads_secrets,
    runs_commands,
    stands_in_group,
)
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.roles import is_administrators, role_name
from gpuinfra.clouds.observing.grants import GrantFault, granted
from gpuinfra.clouds.observing.values import at, listed, text
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown, Usage

_SUBSCRIPTION: Final = re.compile(r"/subscriptions/[^/]+/?", re.IGNORECASE)
_ABOVE: Final = "/providers/microsoft.management/managementgroups/"
"""Scopes that hold resource groups:
https://learn.microsoft.com/azure/role-based-access-control/scope-overview"""

_ALL: Final = "the whole subscription"
_GROUPS: Final = "a whole management group"
_WIDE: Final = {
    "azure-native:management:ManagementGroup": _GROUPS,
    "azure-native:management:ManagementGroupSubscription": _ALL,
    "azure-native:subscription:Alias": _ALL,
}
"""What a role is given on whose scope comes from such a resource and nothing else."""

_RUNS: Final = "it can run commands on every machine, with the machine's identity"
_LOGS_IN: Final = "it can log in to every machine"
_READS: Final = "it can read every secret in key vaults"
_POWERS: Final = {
    "Virtual Machine Contributor": _RUNS,
    "Virtual Machine Administrator Login": f"{_LOGS_IN} as an administrator",
    "Virtual Machine User Login": _LOGS_IN,
    "Key Vault Administrator": _READS,
    "Key Vault Secrets Officer": _READS,
    "Key Vault Secrets User": _READS,
}
"""Built-in roles that use or read what others may, and what each lets do, as of 2026-11-26:
https://learn.microsoft.com/azure/role-based-access-control/built-in-roles/compute
https://learn.microsoft.com/azure/role-based-access-control/built-in-roles/security"""

_CUSTOM: Final[tuple[tuple[str, Callable[[Any], Known], str], ...]] = (
    ("a role that runs commands on machines", runs_commands, _RUNS),
    ("a role that logs in to machines", logs_in, _LOGS_IN),
    ("a role that reads secrets", reads_secrets, _READS),
)
"""The same of roles of the stack: what they are called, and how they are known."""


def _of_assignment(resource: Resource, index: Index) -> Iterator[GrantFault]:
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
        yield f"grants {name or 'a role that allows everything'} on {where}"
    else:
        yield from _of_powers(resource, role, where, index)


def _of_powers(
    resource: Resource, role: object, where: str | Unknown, index: Index
) -> Iterator[GrantFault]:
    """A role that uses or reads what others may, in all of a subscription or more."""
    name = role_name(arm.last_part(role)) if isinstance(role, str) else None
    if name is not None:
        if name in _POWERS:
            yield UNKNOWN if isinstance(where, Unknown) else _power(name, where, _POWERS[name])
        return
    own = index.targets(resource, "roleDefinitionId", kinds.ROLE)
    for words, has, power in _CUSTOM:
        gives = own.some(partial(_gives, has))
        if gives is UNKNOWN or (gives is True and isinstance(where, Unknown)):
            yield UNKNOWN
        elif gives is True:
            yield _power(words, where, power)


def _gives(has: Callable[[Any], Known], definition: Resource) -> Known:
    return has(definition.inputs.get("permissions"))


def _power(role: str, where: object, power: str) -> str:
    return f"grants {role} on {where}: {power}"


def _where(resource: Resource, index: Index) -> str | Unknown | None:
    """What a role is given on, in words; None for a resource group or less."""
    scope = text(resource.inputs.get("scope"))
    if isinstance(scope, Unknown):
        return _meant(resource, index)
    if scope is None or _SUBSCRIPTION.fullmatch(scope):
        return _ALL
    if scope == "/" or scope.lower().startswith(_ABOVE):
        return _GROUPS
    return None


def _meant(resource: Resource, index: Index) -> str | Unknown | None:
    """The same while the scope is not known yet, by the kinds of what it is written from."""
    sources = index.related(resource, "scope")
    if not sources or len(sources) < len(set(resource.relations.get("scope", ()))):
        return UNKNOWN
    if all(_is_narrow(source) for source in sources):
        return None
    words = {_WIDE.get(kinds.canonical(source.type), UNKNOWN) for source in sources}
    return words.pop() if len(words) == 1 else UNKNOWN


def _is_narrow(source: Resource) -> bool:
    """Whether it is a resource group, or stands in one."""
    return kinds.canonical(source.type) == kinds.RESOURCE_GROUP or stands_in_group(source)


def _is_great(resource: Resource, role: object, index: Index) -> Known:
    built_in = is_administrators(arm.last_part(role)) if isinstance(role, str) else UNKNOWN
    if built_in is not UNKNOWN:
        return built_in
    own = index.targets(resource, "roleDefinitionId", kinds.ROLE)
    return own.some(lambda definition: gives_everything(definition.inputs.get("permissions")))


def _of_role(resource: Resource, _: Index) -> Iterator[GrantFault]:
    for permission in listed(resource.inputs.get("permissions")):
        for key, spared, _actions in GRANTING_KEYS:
            for pattern in listed(at(permission, key)):
                known = gives_everything([{key: [pattern], spared: at(permission, spared)}])
                if known is not False:
                    yield UNKNOWN if isinstance(known, Unknown) else f"allows {pattern}"


def _observed(read: Callable[[Resource, Index], Iterator[GrantFault]]) -> Callable[..., Rows]:
    def rows(resource: Resource, index: Index, _: Usage) -> Rows:
        return granted("azure", resource, read(resource, index))

    return rows


assignment: Final = _observed(_of_assignment)
role: Final = _observed(_of_role)
