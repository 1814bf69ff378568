"""A cloud's machine types, read from its table `machines`."""

import re
from functools import cached_property
from typing import Any, Final

from gpuinfra.clouds.refreshing import user_table_files
from gpuinfra.clouds.tables import Tables, number
from gpuinfra.model import Machine, Rung

_NUMBERS: Final = (
    "gpu_memory_gib",
    "gpu_memory_nominal_gb",
    "memory_gib",
    "local_storage_gb",
    "network_gbps",
    "network_sustained_gbps",
    "fabric_gbps",
    "nvlink_gbs",
)


class MachineList:
    """The machine types of one cloud.

    Args:
        cloud: whose they are.
        tables: the cloud's.
        form: how a machine type's name looks, so that it is told from a GPU's.
    """

    def __init__(self, cloud: str, tables: Tables, form: str) -> None:
        self.form = re.compile(form)
        self._cloud = cloud
        self._tables = tables

    def all_machines(self) -> tuple[Machine, ...]:
        """Return every machine type of the table, retired ones too."""
        return tuple(self._machines_by_type.values())

    def get(self, type_: str) -> Machine | None:
        """Return one machine type by its name; None when the table has none."""
        return self._machines_by_type.get(type_)

    def machine_of_rung(self, rung: Rung) -> Machine:
        """Return the row of a rung's machine; planning chose it from the same table."""
        machine = self.get(rung.machine)
        if machine is None:
            raise LookupError(f"unknown machine type {rung.machine}")
        return machine

    @cached_property
    def _machines_by_type(self) -> dict[str, Machine]:
        rows = {row["type"]: row for row in self._tables.rows("machines")}
        blank = dict.fromkeys(self._tables.table("machines")["columns"])
        for fresh in (user_table_files.content(self._cloud) or {}).get("machines", ()):
            if fresh["type"] in rows or "gpu" in fresh:
                rows[fresh["type"]] = {**rows.get(fresh["type"], blank), **fresh}
        return {type_: self._machine(row) for type_, row in rows.items()}

    def _machine(self, row: dict[str, Any]) -> Machine:
        cards = row["interfaces_per_card"]
        gpu_count = number(row["gpu_count"])
        if gpu_count is None:
            raise ValueError(f"{row['type']} has no GPU count")
        return Machine(
            **dict[str, Any](
                {**row, **{name: number(row[name]) for name in _NUMBERS}},
                cloud=self._cloud,
                regions_are=self._tables.table("machines").get("regions_are", "offered"),
                gpu_count=gpu_count,
                interfaces_per_card=(cards[1],) * cards[0] if cards else None,
                usage_classes=tuple(row["usage_classes"]),
                regions=tuple(row["regions"]),
            )
        )
