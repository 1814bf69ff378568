"""Grants of wide Microsoft Entra ID roles in the whole directory."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.azure.observe.directory import great_role
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.grants import GrantFault, observed
from gpuinfra.model import Resource, Unknown


def _of_grant(resource: Resource, index: Index) -> Iterator[GrantFault]:
    role = great_role(resource, index)
    if isinstance(role, Unknown):
        yield role
    elif role is not None:
        yield f"grants {role} in the whole directory"


grant: Final = observed("azure", _of_grant)
