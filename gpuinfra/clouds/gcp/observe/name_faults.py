"""The names that Google Cloud refuses."""

from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.observing.name_patterns import NameTable

NAMES: Final = NameTable("gcp", TABLES, resource_types.canonical)
