"""The faults of workloads, and the notes on them, where the cloud itself ends their machines."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import FAR_DAYS, Rung
from gpuinfra.units import format_duration

if TYPE_CHECKING:
    from gpuinfra.specs.networks import NetworkSpec
    from gpuinfra.specs.schema import Inference, Training

_SHORTEST: Final = timedelta(seconds=30)
_MAX_RUN_DURATION: Final = timedelta(days=FAR_DAYS)
"""What Google Cloud takes; Azure takes 365 days, and a run of more than these has no end here:
https://docs.cloud.google.com/compute/docs/instances/limit-vm-runtime#restrictions"""


def workload_faults(
    name: str,  # noqa: ARG001  the signature is the same for every cloud
    workload: "Training | Inference",
    rungs: tuple[Rung, ...],
    network: "NetworkSpec | None",
    *,
    cloud: str,
) -> Iterator[KeyFault]:
    """Yield faults of the time to live, and of a network that the file names."""
    yield from _lifetime_faults(workload)
    if network is not None:
        from gpuinfra.clouds.existing_networks import network_faults  # noqa: PLC0415  few name one

        yield from network_faults(cloud, workload, rungs, network)


def _lifetime_faults(workload: "Training | Inference") -> Iterator[KeyFault]:
    """Yield a fault for a time to live after which the cloud can't end machines."""
    time = workload.time_to_live
    if time is not None and not _SHORTEST <= time <= _MAX_RUN_DURATION:
        yield KeyFault(
            key=("time_to_live",),
            value=format_duration(time),
            message="machines can't be deleted automatically after this time",
            allowed=f"from {format_duration(_SHORTEST)} to {format_duration(_MAX_RUN_DURATION)}",
        )


def workload_notes(
    workload: "Training | Inference",
    rungs: tuple[Rung, ...],  # noqa: ARG001  the signature is the same for every cloud
    network: "NetworkSpec | None",  # noqa: ARG001  as above
    *,
    changed_key: str,
) -> tuple[str, ...]:
    """Return a note on when machines end and on what a changed time does, if they have one."""
    time = workload.time_to_live
    if time is None:
        return ()
    ends = f"with their disks, {format_duration(time)} after its first `gpuinfra up`"
    return (f"its machines are deleted, {ends}; a changed time_to_live {changed_key}",)
