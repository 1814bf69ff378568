"""The checks of a stack file against Google Cloud's limits, and notes for its plan."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from gpuinfra.clouds.gcp.disk import disk_faults
from gpuinfra.clouds.gcp.start_scripts import pool_start_faults, training_start_faults
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.clouds.lifetimes import lifetime_faults, lifetime_notes
from gpuinfra.clouds.provider_contract import Accepts
from gpuinfra.model import Rung
from gpuinfra.specs.networks import NetworkSpec
from gpuinfra.specs.schema import Inference, Training


class CloudAccepts(Accepts):
    """The Google Cloud implementation of the stack-file checks."""

    disk_faults = staticmethod(disk_faults)
    training_start_faults = staticmethod(training_start_faults)
    pool_start_faults = staticmethod(pool_start_faults)

    @staticmethod
    def workload_faults(
        name: str,
        workload: Training | Inference,
        rungs: tuple[Rung, ...],
        network: NetworkSpec | None,
    ) -> Iterator[KeyFault]:
        """Yield faults of the time to live, and of a network that the file names."""
        yield from lifetime_faults(name, workload, rungs, network)
        if network is not None:
            from gpuinfra.clouds.existing_networks import network_faults  # noqa: PLC0415  few name one

            yield from network_faults("gcp", workload, rungs, network)

    workload_notes = staticmethod(
        partial(lifetime_notes, changed_key="replaces them at the next one, and counts from then")
    )


ACCEPTS: Final = CloudAccepts()
