"""The guides' advice on the machine around the GPUs, checked for one machine."""

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Any

from gpuinfra.catalog.choosing.machine_constraints import whole_gpus
from gpuinfra.catalog.gpus import gpu
from gpuinfra.catalog.tables import TABLES
from gpuinfra.model import Machine
from gpuinfra.records import record
from gpuinfra.units import plain


@record
class AdviceItem:
    """An item of the guides' advice; `is_met` is None where the machine's figure is unknown."""

    aspect: str
    actual: Decimal | None
    recommended: Decimal
    unit: str
    is_met: bool | None
    source: str

    def __str__(self) -> str:
        text = "unknown" if self.actual is None else f"{plain(round(self.actual, 1))} {self.unit}"
        return f"{self.aspect}: {text}; the guides advise {plain(self.recommended)} or more"


def advice(machine: Machine, machines: int = 1) -> tuple[AdviceItem, ...]:
    """Return the guides' advice for a machine, or for several that train together.

    Host memory and vCPUs are advised for high-end GPUs only, a network for several machines only.
    """
    return tuple(_advice(machine, machines))


def trains_as_advised(machine: Machine) -> bool | None:
    """Return whether machines of a type can train together as advised; None when unknown.

    They have a fabric, or a network between them that is as fast as the guides advise.
    """
    speeds = _speeds(machine)
    if (machine.fabric and machine.fabric_interfaces) or max(speeds, default=0) >= _network():
        return True
    is_known = machine.network_gbps is not None and machine.fabric_interfaces is not None
    return False if is_known else None


def _speeds(machine: Machine) -> tuple[Decimal, ...]:
    """Return the known sustained rates in Gbps of a machine's networks."""
    sustained = machine.network_sustained_gbps
    network = machine.network_gbps if sustained is None else sustained
    return tuple(speed for speed in (network, machine.fabric_gbps) if speed is not None)


def _network() -> Decimal:
    return Decimal(_table()["cluster"]["network_gbps"])


def _advice(machine: Machine, machines: int) -> Iterator[AdviceItem]:
    table = _table()
    gpu_row = gpu(machine.gpu)
    fast = Decimal(table["high_end"]["bandwidth_gbs"])
    if gpu_row is not None and gpu_row.bandwidth_gbs is not None and gpu_row.bandwidth_gbs >= fast:
        parts = whole_gpus(machine)
        vcpu = None if machine.vcpu is None else machine.vcpu / parts
        memory = None if machine.memory_gib is None else machine.memory_gib / parts
        yield _item("vCPUs for each GPU", vcpu, Decimal(table["host"]["vcpu"]), "vCPU")
        yield _item("memory for each GPU", memory, Decimal(table["host"]["memory_gib"]), "GiB")
    if machines > 1:
        fastest = max(_speeds(machine), default=None)
        yield _item("network of each machine", fastest, _network(), "Gbps")


def _item(aspect: str, actual: Decimal | None, recommended: Decimal, unit: str) -> AdviceItem:
    return AdviceItem(
        aspect=aspect,
        actual=actual,
        recommended=recommended,
        unit=unit,
        is_met=None if actual is None else actual >= recommended,
        source=_table()["source"],
    )


@cache
def _table() -> dict[str, Any]:
    return TABLES.table("advice")
