"""Federated credentials that trust too many tenants of a shared token issuer.

A subject is compared as it is, so it names one. An expression may match the subjects of others:
https://learn.microsoft.com/entra/workload-id/workload-identities-flexible-federated-identity-credentials
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.grants import GrantFault, grant_rows
from gpuinfra.clouds.observing.issuers import issuer_of
from gpuinfra.clouds.observing.values import at, text
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown, Usage

_MATCHING: Final = "claimsMatchingExpression"
_TEST: Final = re.compile(r"claims\['(\w+)'\]\s+(?:eq|matches)\s+'([^']*)'", re.IGNORECASE)
"""Tests are joined by `and` alone, so one that names a tenant is enough."""


def credential(resource: Resource, _: Index, __: Usage) -> Rows:
    """Return the tenants that a federated credential lets act as its identity."""
    return grant_rows("azure", resource, _faults(resource))


def _faults(resource: Resource) -> Iterator[GrantFault]:
    url = text(resource.inputs.get("issuer"))
    issuer = issuer_of(url) if isinstance(url, str) else None
    matching: Any = resource.inputs.get(_MATCHING)
    expression = text(at(matching, "value") if isinstance(matching, Mapping) else matching)
    if issuer is None or expression is None:
        return
    if isinstance(expression, Unknown):
        yield UNKNOWN
    elif all(issuer.takes_all(claim, [value]) for claim, value in _TEST.findall(expression)):
        yield f"lets every {issuer.who} act as its identity"
