"""The machine types of AWS with GPUs or accelerators."""

from functools import cache
from typing import Any

from gpuinfra.clouds.aws.tables import number, rows
from gpuinfra.model import Machine


@cache
def machines() -> tuple[Machine, ...]:
    """Every machine type of the table, retired ones too."""
    return tuple(_machine(row) for row in rows("machines"))


def machine(type_: str) -> Machine | None:
    """One machine type by its name; None when the table has none."""
    return _by_type().get(type_)


@cache
def _by_type() -> dict[str, Machine]:
    return {one.type: one for one in machines()}


_NUMBERS = (
    "gpu_memory_gib",
    "gpu_memory_nominal_gb",
    "memory_gib",
    "local_storage_gb",
    "network_gbps",
    "fabric_gbps",
    "nvlink_gbps",
)


def _machine(row: dict[str, Any]) -> Machine:
    cards = row["interfaces_per_card"]
    gpu_count = number(row["gpu_count"])
    if gpu_count is None:
        raise ValueError(f"{row['type']} has no GPU count")
    return Machine(
        **{
            **row,
            **{name: number(row[name]) for name in _NUMBERS},
            "cloud": "aws",
            "gpu_count": gpu_count,
            "interfaces_per_card": (cards[1],) * cards[0] if cards else None,
            "usage_classes": tuple(row["usage_classes"]),
            "regions": tuple(row["regions"]),
        }
    )
