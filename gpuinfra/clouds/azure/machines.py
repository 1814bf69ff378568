"""The machine types (VM sizes) of Azure with GPUs, and their capabilities."""

from fnmatch import fnmatchcase
from functools import cache
from typing import Final

from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.machine_list import MachineList
from gpuinfra.records import names, record

_FORM: Final = r"(Standard|Basic)_[A-Za-z0-9_-]+"
MACHINES: Final = MachineList("azure", TABLES, _FORM)

machine = MACHINES.get
planned_machine = MACHINES.machine_of_rung


def size_name(name: str) -> str:
    """Return a size in the tables' letter case; one in no table stays as it is."""
    return _spellings().get(name.lower(), name)


@cache
def _spellings() -> dict[str, str]:
    priced = TABLES.table("prices")["items"]
    return {
        name.lower(): name
        for name in (*priced, *(machine.type for machine in MACHINES.all_machines()))
    }


def is_refused_as_spot(type_: str) -> bool:
    """Return whether a size is of a series that Azure does not sell as spot."""
    return _is_listed(type_, "never_spot")


def may_be_confidential(type_: str) -> bool:
    """Return whether a size's name is one of a series of confidential machines."""
    return _is_listed(type_, "confidential")


def _is_listed(type_: str, key: str) -> bool:
    patterns = TABLES.table("capabilities")[key]
    return any(fnmatchcase(type_.lower(), pattern) for pattern in patterns)


@record
class Capabilities:
    """The optional settings that a size supports; None is unknown.

    Attributes:
        trusted_launch: security type TrustedLaunch, which has secure boot and a virtual TPM.
        encryption_at_host: encryption of temporary disks and caches too.
        accelerated_networking: the fast path of the Ethernet interface.
        source: where it was read, and of which day that is.
    """

    trusted_launch: bool | None = None
    encryption_at_host: bool | None = None
    accelerated_networking: bool | None = None
    source: str = ""


def capabilities(type_: str) -> Capabilities:
    """Return the optional settings of a size; all unknown for a size in no row."""
    return _capabilities().get(type_, Capabilities())


@cache
def _capabilities() -> dict[str, Capabilities]:
    return {
        size: Capabilities(
            **{key: row[key] for key in names(Capabilities) - {"source"}},
            source=f"{row['source']} ({row['as_of']})",
        )
        for row in TABLES.rows("capabilities")
        for size in row["sizes"]
    }
