"""The machine types of AWS with GPUs or accelerators."""

from typing import Final

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.machinelist import MachineList

_LIST: Final = MachineList("aws", TABLES)

machines = _LIST.machines
machine = _LIST.machine
planned_machine = _LIST.planned
