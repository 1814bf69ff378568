"""Grants of wide Microsoft Entra ID roles in the whole directory."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.azure.observe.directory_roles import great_role
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.grants import GrantFault, make_observer
from gpuinfra.model import Resource, Unknown


def _grant_faults(resource: Resource, index: Index) -> Iterator[GrantFault]:
    role = great_role(resource, index)
    if isinstance(role, Unknown):
        yield role
    elif role is not None:
        yield f"grants {role} in the whole directory"


grant: Final = make_observer("azure", _grant_faults)
