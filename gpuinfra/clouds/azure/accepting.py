"""What Azure does not take of a stack file, and what a reader of its plan has to know."""

from typing import Final

from gpuinfra.clouds.azure.disk import disk_faults
from gpuinfra.clouds.azure.start_scripts import pool_start_faults, training_start_faults
from gpuinfra.clouds.azure.workload_faults import workload_faults, workload_notes
from gpuinfra.clouds.provider_contract import Accepts


class CloudAccepts(Accepts):
    """What Azure takes."""

    disk_faults = staticmethod(disk_faults)
    training_start_faults = staticmethod(training_start_faults)
    pool_start_faults = staticmethod(pool_start_faults)
    workload_faults = staticmethod(workload_faults)
    workload_notes = staticmethod(workload_notes)


ACCEPTS: Final = CloudAccepts()
