"""The names that AWS refuses."""

from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.name_patterns import NameTable

NAMES: Final = NameTable("aws", TABLES, resource_types.canonical)
