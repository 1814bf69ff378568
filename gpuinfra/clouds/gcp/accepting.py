"""The checks of a stack file against Google Cloud's limits, and notes for its plan."""

from functools import partial
from typing import Final

from gpuinfra.clouds.gcp.disk import disk_faults
from gpuinfra.clouds.gcp.start_scripts import pool_start_faults, training_start_faults
from gpuinfra.clouds.lifetimes import lifetime_faults, lifetime_notes
from gpuinfra.clouds.provider_contract import Accepts


class CloudAccepts(Accepts):
    """The Google Cloud implementation of the stack-file checks."""

    disk_faults = staticmethod(disk_faults)
    training_start_faults = staticmethod(training_start_faults)
    pool_start_faults = staticmethod(pool_start_faults)
    workload_faults = staticmethod(lifetime_faults)
    workload_notes = staticmethod(
        partial(lifetime_notes, changed_key="replaces them at the next one, and counts from then")
    )


ACCEPTS: Final = CloudAccepts()
