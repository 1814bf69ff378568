"""The grants of roles, also by Azure Lighthouse: on a whole subscription, or of every action."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpuinfra.clouds.azure.observe import arm_ids, resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.rights.identity import stands_in_group
from gpuinfra.clouds.azure.observe.rights.role_powers import (
    GRANTING_KEYS,
    gives_everything,
    powers,
    role_is,
)
from gpuinfra.clouds.azure.roles import role_name
from gpuinfra.clouds.observing.grants import GrantFault, make_observer
from gpuinfra.clouds.observing.values import as_list, at, text
from gpuinfra.model import UNKNOWN, Resource, Unknown

_SUBSCRIPTION: Final = re.compile(r"/subscriptions/[^/]+/?", re.IGNORECASE)
_MANAGEMENT_GROUP_PREFIX: Final = "/providers/microsoft.management/managementgroups/"
"""Scopes that hold resource groups:
https://learn.microsoft.com/azure/role-based-access-control/scope-overview"""

_WHOLE_SUBSCRIPTION: Final = "the whole subscription"
_GROUPS: Final = "a whole management group"
_WIDE_SCOPE_TYPES: Final = {
    "azure-native:management:ManagementGroup": _GROUPS,
    "azure-native:management:ManagementGroupSubscription": _WHOLE_SUBSCRIPTION,
    "azure-native:subscription:Alias": _WHOLE_SUBSCRIPTION,
}
"""The scope text of a role whose scope comes only from this resource type."""


def assignment_faults(resource: Resource, index: Index) -> Iterator[GrantFault]:
    """Yield the fault of an administrator's role on a subscription or a wider scope."""
    scope_text = _scope_text(resource, index)
    if scope_text is None:
        return
    great = role_is(resource, index, gives_everything)
    if great is UNKNOWN or (great is True and isinstance(scope_text, Unknown)):
        yield UNKNOWN
    elif great is True:
        yield f"grants {_name(resource) or 'a role that allows everything'} on {scope_text}"
    else:
        yield from _wide_role_faults(resource, scope_text, index)


def _wide_role_faults(
    resource: Resource, scope_text: str | Unknown, index: Index
) -> Iterator[GrantFault]:
    """Yield a role with power over all resources of a kind in a subscription or more."""
    role_text = ""
    for power in powers():
        gives_power = role_is(resource, index, power.is_in)
        is_scope_unknown = gives_power is True and isinstance(scope_text, Unknown)
        if gives_power is UNKNOWN or (is_scope_unknown and not power.mostly_narrow):
            yield UNKNOWN
        elif (
            gives_power is True and not is_scope_unknown and not role_text.startswith(power.words)
        ):
            role_text = power.words
            yield f"grants {_name(resource) or power.role} on {scope_text}: {role_text}"


def _name(resource: Resource) -> str | None:
    """Return Azure's name for the role of an assignment; None for a role in no row."""
    role = resource.inputs.get("roleDefinitionId")
    return role_name(arm_ids.last_part(role)) if isinstance(role, str) else None


def _scope_text(resource: Resource, index: Index) -> str | Unknown | None:
    """Return a description of a role's scope; None for a resource group or narrower."""
    scope = text(resource.inputs.get("scope"))
    if isinstance(scope, Unknown):
        return _scope_text_by_types(resource, index)
    if scope is None or _SUBSCRIPTION.fullmatch(scope):
        return _WHOLE_SUBSCRIPTION
    if scope == "/" or scope.lower().startswith(_MANAGEMENT_GROUP_PREFIX):
        return _GROUPS
    return None


def _scope_text_by_types(resource: Resource, index: Index) -> str | Unknown | None:
    """Return a description of an unknown scope, from the types of the resources it comes from."""
    sources = index.related_resources(resource, "scope")
    if not sources or len(sources) < len(set(resource.relations.get("scope", ()))):
        return UNKNOWN
    if all(_is_narrow(source) for source in sources):
        return None
    scope_texts = {
        _WIDE_SCOPE_TYPES.get(resource_types.canonical(source.type), UNKNOWN) for source in sources
    }
    return scope_texts.pop() if len(scope_texts) == 1 else UNKNOWN


def _is_narrow(source: Resource) -> bool:
    """Return whether a resource is a resource group, or is in one."""
    return resource_types.canonical(
        source.type
    ) == resource_types.RESOURCE_GROUP or stands_in_group(source)


def _role_faults(resource: Resource, _: Index) -> Iterator[GrantFault]:
    for permission in as_list(resource.inputs.get("permissions")):
        for key, excluded in GRANTING_KEYS:
            for pattern in as_list(at(permission, key)):
                gives_all = gives_everything(
                    [{key: [pattern], excluded: at(permission, excluded)}]
                )
                if gives_all is not False:
                    yield UNKNOWN if isinstance(gives_all, Unknown) else f"allows {pattern}"


assignment: Final = make_observer("azure", assignment_faults)
role: Final = make_observer("azure", _role_faults)


_ROLES: Final = ("authorizations", "eligibleAuthorizations")
"""https://learn.microsoft.com/azure/lighthouse/how-to/create-eligible-authorizations"""


def _registration_faults(resource: Resource, index: Index) -> Iterator[GrantFault]:
    """Yield the faults of an offer's roles, judged as assignments at the registration's scope."""
    definition_id = at(resource.inputs.get("properties"), "registrationDefinitionId")
    offers = index.targets(resource, "properties", resource_types.REGISTRATION, [definition_id])
    if not offers.exact or not offers.certain:
        yield UNKNOWN
    scope = resource.inputs.get("scope")
    if isinstance(scope, str):
        scope = f"/{scope.lstrip('/')}"
    for offer in offers.certain:
        properties = offer.inputs.get("properties")
        for assigned in (properties, *(at(properties, key) for key in _ROLES)):
            if isinstance(assigned, Unknown):
                yield UNKNOWN
        for authorization in (
            permission for key in _ROLES for permission in as_list(at(properties, key))
        ):
            role = at(authorization, "roleDefinitionId")
            inputs = {"roleDefinitionId": role, "scope": scope}
            yield from assignment_faults(replace(resource, inputs=inputs), index)


registration: Final = make_observer("azure", _registration_faults)
