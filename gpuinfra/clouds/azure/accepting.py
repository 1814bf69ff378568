"""The checks of a stack file against Azure's limits, and notes for its plan."""

from functools import partial
from typing import Final

from gpuinfra.clouds.azure.disk import disk_faults
from gpuinfra.clouds.azure.start_scripts import pool_start_faults, training_start_faults
from gpuinfra.clouds.provider_contract import Accepts
from gpuinfra.clouds.workload_faults import workload_faults, workload_notes


class CloudAccepts(Accepts):
    """The Azure implementation of the stack-file checks."""

    disk_faults = staticmethod(disk_faults)
    training_start_faults = staticmethod(training_start_faults)
    pool_start_faults = staticmethod(pool_start_faults)
    workload_faults = staticmethod(partial(workload_faults, cloud="azure"))
    workload_notes = staticmethod(partial(workload_notes, changed_key="counts from the next one"))


ACCEPTS: Final = CloudAccepts()
