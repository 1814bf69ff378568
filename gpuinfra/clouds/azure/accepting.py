"""The checks of a stack file against Azure's limits, and notes for its plan."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.azure.disk import disk_faults
from gpuinfra.clouds.azure.start_scripts import pool_start_faults, training_start_faults
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.clouds.lifetimes import lifetime_faults, lifetime_note
from gpuinfra.clouds.provider_contract import Accepts
from gpuinfra.model import Rung

if TYPE_CHECKING:
    from gpuinfra.specs.networks import NetworkSpec
    from gpuinfra.specs.schema import Inference, Training

_TIME_TO_LIVE_NOTE: Final = "a changed time_to_live counts from the next one"


class CloudAccepts(Accepts):
    """The Azure implementation of the stack-file checks."""

    disk_faults = staticmethod(disk_faults)
    training_start_faults = staticmethod(training_start_faults)
    pool_start_faults = staticmethod(pool_start_faults)

    @staticmethod
    def workload_faults(
        name: str,  # noqa: ARG004  the signature is the same for every cloud
        workload: "Training | Inference",
        rungs: tuple[Rung, ...],  # noqa: ARG004  as above
        network: "NetworkSpec | None",  # noqa: ARG004  as above
    ) -> Iterable[KeyFault]:
        """Return why machines can't end as requested."""
        return lifetime_faults(workload)

    @staticmethod
    def workload_notes(
        workload: "Training | Inference",
        rungs: tuple[Rung, ...],  # noqa: ARG004  as above
        network: "NetworkSpec | None",  # noqa: ARG004  as above
    ) -> tuple[str, ...]:
        """Return when the machines end."""
        return lifetime_note(workload, _TIME_TO_LIVE_NOTE)


ACCEPTS: Final = CloudAccepts()
