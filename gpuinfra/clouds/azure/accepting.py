"""What Azure does not take of a stack file: disks, start-up scripts, ways to scale."""

from typing import Final

from gpuinfra.clouds.azure.disk import disk_faults
from gpuinfra.clouds.azure.start_scripts import pool_start_faults, training_start_faults
from gpuinfra.clouds.provider_contract import Accepts


class CloudAccepts(Accepts):
    """What Azure takes."""

    disk_faults = staticmethod(disk_faults)
    training_start_faults = staticmethod(training_start_faults)
    pool_start_faults = staticmethod(pool_start_faults)


ACCEPTS: Final = CloudAccepts()
