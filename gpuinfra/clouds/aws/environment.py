"""What NCCL wants set on a machine, by the machine's family."""

from collections.abc import Mapping
from functools import cache

from gpuinfra.clouds.aws.tables import TABLES


@cache
def family_environment(machine: str) -> Mapping[str, str]:
    """The variables that a machine type or its family wants set; none for one in no row."""
    names = (machine, machine.partition(".")[0])
    return {
        row["name"]: row["value"] for row in TABLES.rows("environment") if row["family"] in names
    }


@cache
def every_environment() -> Mapping[str, str]:
    """The variables of all families together."""
    return {row["name"]: row["value"] for row in TABLES.rows("environment")}
