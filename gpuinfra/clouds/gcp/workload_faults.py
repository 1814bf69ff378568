"""Keys of a workload that Google Cloud can't build, and what a reader of its plan has to know."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import FAR_DAYS, Rung
from gpuinfra.specs.schema import Inference, Training
from gpuinfra.units import format_duration

if TYPE_CHECKING:
    from gpuinfra.specs.networks import NetworkSpec

_SHORTEST: Final = timedelta(seconds=30)
_LONGEST: Final = timedelta(days=FAR_DAYS)
"""https://docs.cloud.google.com/compute/docs/instances/limit-vm-runtime#restrictions"""


def workload_faults(
    name: str,
    workload: Training | Inference,
    rungs: tuple[Rung, ...],  # noqa: ARG001  the signature is the same for every cloud
    network: "NetworkSpec | None",  # noqa: ARG001  as above
) -> Iterator[KeyFault]:
    """Yield why machines can't end as they are asked to.

    An autoscaler keeps the minimum of its group, and so replaces the machines that end:
    https://docs.cloud.google.com/compute/docs/autoscaler
    """
    time = workload.time_to_live
    if time is None:
        return
    if isinstance(workload, Inference):
        yield KeyFault(
            key=("time_to_live",),
            value=format_duration(time),
            message=f"the autoscaler of the pool {name} replaces machines that end",
            allowed="in a training workload",
            fix="remove it, and run `gpuinfra destroy` when the time is over",
        )
    elif not _SHORTEST <= time <= _LONGEST:
        yield KeyFault(
            key=("time_to_live",),
            value=format_duration(time),
            message="Google Cloud does not end machines after this time",
            allowed=f"from {format_duration(_SHORTEST)} to {format_duration(_LONGEST)}",
        )


def workload_notes(
    workload: Training | Inference,
    rungs: tuple[Rung, ...],  # noqa: ARG001  as above
    network: "NetworkSpec | None",  # noqa: ARG001  as above
) -> tuple[str, ...]:
    """When the machines end."""
    time = workload.time_to_live
    if time is None:
        return ()
    after = format_duration(time)
    note = (
        f"its machines are deleted {after} after its first `gpuinfra up`; a changed time_to_live"
        " replaces them at the next one, and counts from then"
    )
    return (note,)
