"""Which inputs of a Google Cloud resource replace it when they change, or may."""

from typing import Final

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.replaced import Replaced

_TABLE: Final = Replaced(TABLES)

replacing = _TABLE.replacing
