"""The machine types of Google Cloud with GPUs, and their settings in a template."""

import re
from functools import cache
from typing import Final

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.machine_list import MachineList
from gpuinfra.records import record

_FORM: Final = r"[a-z]\d[a-z]?-[a-z]+-\d+[a-z]*(-[a-z]+)?(\+\d+x[A-Za-z0-9-]+)?"
MACHINES: Final = MachineList("gcp", TABLES, _FORM)
_WORKSTATION: Final = "-vws"
"""How the accelerator types of virtual workstations end; their GPUs are the same."""
_WITHOUT_GPUS: Final = re.compile(r"(?!n1-)[cehmntz]\d[a-z]*-")
"""The machine types, by their series, that have no GPUs and take none."""
_N1: Final = re.compile(r"(?:n1-(?:standard|highmem|highcpu|custom)|custom)-(\d+)(?:-|$)")

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


def accelerator_fault(machine_type: str, accelerator: str, count: int) -> str:
    """Return why a machine type does not take these GPUs; empty when it does, or may.

    https://docs.cloud.google.com/compute/docs/gpus
    """
    kind = accelerator.removesuffix(_WORKSTATION)
    if count == 0:
        return ""
    if _WITHOUT_GPUS.match(machine_type):
        return f"{machine_type} takes no GPUs, and {accelerator} is attached"
    built_in: dict[str, str] = TABLES.table("accelerators")["built_in"]
    built_in_gpu = next(
        (name for start, name in built_in.items() if machine_type.startswith(start)), None
    )
    rows = {row["accelerator"]: row["counts"] for row in TABLES.rows("accelerators")}
    if built_in_gpu is not None and kind != built_in_gpu and kind in {*built_in.values(), *rows}:
        return (
            f"{machine_type} has GPUs of type {built_in_gpu}, but its accelerator is {accelerator}"
        )
    row = machine(machine_type)
    if row is not None and built_in_gpu == kind and row.gpu_count != count:
        return f"{machine_type} has {row.gpu_count} of {accelerator}, and {count} are named"
    n1 = _N1.match(machine_type)
    if n1 and kind in built_in.values():
        return f"{machine_type} takes no {accelerator}, which is built into other machine types"
    return _n1_fault(machine_type, int(n1[1]), accelerator, count) if n1 and kind in rows else ""


def _n1_fault(machine_type: str, vcpus: int, accelerator: str, count: int) -> str:
    """Return why a machine type of N1 does not take so many GPUs of a type."""
    rows = {row["accelerator"]: row["counts"] for row in TABLES.rows("accelerators")}
    most: dict[int, int] = dict(rows[accelerator.removesuffix(_WORKSTATION)])
    if count not in most:
        *first, last = map(str, most)
        return f"{', '.join(first)} or {last} {accelerator} may be attached, and not {count}"
    if vcpus > most[count]:
        gpus = f"{count} {accelerator}"
        return f"{machine_type} has more than {most[count]} vCPUs, the most with {gpus}"
    return ""


def confidential_fault(machine_type: str, technology: str | None) -> str:
    """Return why a machine type can't be confidential; empty when it can, or may.

    https://docs.cloud.google.com/confidential-computing/confidential-vm/docs/supported-configurations
    """
    rows = {row["series"]: row["technologies"] for row in TABLES.rows("confidential")}
    fitting = [series for series in rows if f"{machine_type}-".startswith(f"{series}-")]
    technologies = rows[max(fitting, key=len)] if fitting else None
    if technologies is None or technology in technologies:
        return ""
    if not technologies:
        series_text = ", ".join(
            series for series, accepted_types in rows.items() if accepted_types
        )
        return f"{machine_type} can't be confidential, which types of {series_text} can"
    if technology is None:
        return ""
    return (
        f"{machine_type} does not support the confidential technology {technology}: "
        f"use {' or '.join(technologies)}"
    )


@cache
def _accelerators() -> dict[str, str]:
    """Return the attachable accelerator types, with their GPU keys."""
    return {row["accelerator"]: row["gpu"] for row in TABLES.rows("accelerators")}
