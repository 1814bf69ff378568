"""The environment variables for NCCL, by machine size."""

from collections.abc import Mapping
from functools import cache

from gpuinfra.clouds.azure.tables import TABLES


@cache
def family_environment(machine: str) -> Mapping[str, str]:
    """Return the variables for a size; empty if no row has it."""
    return {
        row["name"]: row["value"] for row in TABLES.rows("environment") if machine in row["sizes"]
    }


@cache
def every_environment() -> Mapping[str, str]:
    """Return the variables of all sizes together."""
    return {row["name"]: row["value"] for row in TABLES.rows("environment")}
