"""What NCCL wants set on a machine, by its size."""

from collections.abc import Mapping
from functools import cache

from gpuinfra.clouds.azure.tables import TABLES


@cache
def family_environment(machine: str) -> Mapping[str, str]:
    """The variables that a size wants set; none for a size in no row."""
    return {
        row["name"]: row["value"] for row in TABLES.rows("environment") if machine in row["sizes"]
    }


@cache
def every_environment() -> Mapping[str, str]:
    """The variables of all sizes together."""
    return {row["name"]: row["value"] for row in TABLES.rows("environment")}
