"""The machine types of Google Cloud with GPUs, and their settings in a template."""

from functools import cache
from typing import Final

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.machine_list import MachineList
from gpuinfra.records import record

_FORM: Final = r"[a-z]\d[a-z]?-[a-z]+-\d+[a-z]*(-[a-z]+)?(\+\d+x[A-Za-z0-9-]+)?"
MACHINES: Final = MachineList("gcp", TABLES, _FORM)

machine = MACHINES.get
planned_machine = MACHINES.machine_of_rung


@record
class TemplateHardware:
    """The template's settings: the machine type and, for attached GPUs, which and how many.

    `accelerator` is None for types that have their GPUs built in: those need no mention, and any
    other than the built-in ones is refused.
    """

    machine_type: str
    accelerator: str | None
    count: int


def hardware(type_: str) -> TemplateHardware:
    """Split a type of the table: `n1-standard-8+2xT4` has two nvidia-tesla-t4 attached.

    Raises:
        ValueError: a GPU that no accelerator type is known for.
    """
    base, attached, gpus = type_.partition("+")
    if not attached:
        return TemplateHardware(machine_type=base, accelerator=None, count=0)
    count, _, key = gpus.partition("x")
    accelerator = next((name for name, gpu in _accelerators().items() if gpu == key), None)
    if accelerator is None or not count.isdecimal():
        raise ValueError(f"the accelerator type of the GPUs of {type_} is unknown")
    return TemplateHardware(machine_type=base, accelerator=accelerator, count=int(count))


def type_with(machine_type: str, accelerator: str | None, count: int) -> str:
    """Return the table's type for a template's settings; the inverse of `hardware`.

    GPUs that a machine type has built in may be mentioned and change nothing. An accelerator that
    the table lacks is named as it is, so that no other type's price is taken for it.
    """
    built_in = machine(machine_type)
    if not accelerator or count == 0 or built_in is not None:
        return machine_type
    return f"{machine_type}+{count}x{_accelerators().get(accelerator, accelerator)}"


@cache
def _accelerators() -> dict[str, str]:
    """Return the attachable accelerator types, with their GPU keys."""
    return {row["accelerator"]: row["gpu"] for row in TABLES.rows("accelerators")}
