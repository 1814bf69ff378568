"""The checks of a stack file against Google Cloud's limits, and notes for its plan."""

from functools import partial
from typing import Final

from gpuinfra.clouds.gcp.disk import disk_faults
from gpuinfra.clouds.gcp.start_scripts import pool_start_faults, training_start_faults
from gpuinfra.clouds.provider_contract import Accepts
from gpuinfra.clouds.workload_faults import workload_faults, workload_notes


class CloudAccepts(Accepts):
    """The Google Cloud implementation of the stack-file checks."""

    disk_faults = staticmethod(disk_faults)
    training_start_faults = staticmethod(training_start_faults)
    pool_start_faults = staticmethod(pool_start_faults)
    workload_faults = staticmethod(partial(workload_faults, cloud="gcp"))
    workload_notes = staticmethod(
        partial(workload_notes, changed_key="replaces them at the next one, and counts from then")
    )


ACCEPTS: Final = CloudAccepts()
