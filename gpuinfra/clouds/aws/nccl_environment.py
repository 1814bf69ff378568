"""The environment variables for NCCL, by machine family."""

from collections.abc import Mapping
from functools import cache

from gpuinfra.clouds.aws.tables import TABLES


@cache
def family_environment(machine: str) -> Mapping[str, str]:
    """Return the variables for a machine type or its family; empty if no row has it."""
    names = (machine, machine.partition(".")[0])
    return {
        row["name"]: row["value"] for row in TABLES.rows("environment") if row["family"] in names
    }


@cache
def every_environment() -> Mapping[str, str]:
    """Return the variables of all families together."""
    return {row["name"]: row["value"] for row in TABLES.rows("environment")}
