"""The machine types of AWS with GPUs or accelerators."""

from typing import Final

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.machine_list import MachineList

_FORM: Final = r"[a-z][a-z0-9-]*\.[a-z0-9-]+|u-[a-z0-9]+-[a-z0-9]+"
MACHINES: Final = MachineList("aws", TABLES, _FORM)

machine = MACHINES.get
planned_machine = MACHINES.machine_of_rung
