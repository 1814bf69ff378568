"""Access that Azure Lighthouse gives another tenant to a subscription or a resource group."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpuinfra.clouds.azure.observe import grants, resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.grants import GrantFault, make_observer
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import UNKNOWN, Resource, Unknown

_ROLES: Final = ("authorizations", "eligibleAuthorizations")
"""https://learn.microsoft.com/azure/lighthouse/how-to/create-eligible-authorizations"""


def _registration_faults(resource: Resource, index: Index) -> Iterator[GrantFault]:
    """Yield the faults of an offer's roles, judged as assignments at the registration's scope."""
    named = at(resource.inputs.get("properties"), "registrationDefinitionId")
    offers = index.targets(resource, "properties", resource_types.REGISTRATION, [named])
    if not offers.exact or not offers.certain:
        yield UNKNOWN
    scope = resource.inputs.get("scope")
    if isinstance(scope, str):
        scope = f"/{scope.lstrip('/')}"
    for offer in offers.certain:
        properties = offer.inputs.get("properties")
        for written in (properties, *(at(properties, key) for key in _ROLES)):
            if isinstance(written, Unknown):
                yield UNKNOWN
        for authorization in (each for key in _ROLES for each in as_list(at(properties, key))):
            role = at(authorization, "roleDefinitionId")
            inputs = {"roleDefinitionId": role, "scope": scope}
            yield from grants.assignment_faults(replace(resource, inputs=inputs), index)


registration: Final = make_observer("azure", _registration_faults)
