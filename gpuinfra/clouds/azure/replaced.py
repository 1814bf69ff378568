"""Which inputs of an Azure resource replace it when they change, or may."""

from typing import Final

from gpuinfra.clouds.azure.observe.kinds import canonical
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.replaced import Replaced, Replacing

_TABLE: Final = Replaced(TABLES)


def replacing(resource_type: str) -> Replacing | None:
    """What is known about the type, in any version of its API; None when nothing is."""
    return _TABLE.replacing(canonical(resource_type))
