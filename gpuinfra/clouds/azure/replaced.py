"""Which inputs of an Azure resource replace it when they change, or may."""

from typing import Final

from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.replaced import Replaced

_TABLE: Final = Replaced(TABLES)

replacing = _TABLE.replacing
