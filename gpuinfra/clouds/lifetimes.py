"""The time to live of a workload's machines, where the cloud itself ends them."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import FAR_DAYS
from gpuinfra.units import format_duration

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Inference, Training

_SHORTEST: Final = timedelta(seconds=30)
_MAX_RUN_DURATION: Final = timedelta(days=FAR_DAYS)
"""What Google Cloud takes; Azure takes 365 days, and a run of more than these has no end here:
https://docs.cloud.google.com/compute/docs/instances/limit-vm-runtime#restrictions"""


def lifetime_faults(workload: "Training | Inference") -> Iterator[KeyFault]:
    """Yield a fault for a time to live after which the cloud can't end machines."""
    time = workload.time_to_live
    if time is not None and not _SHORTEST <= time <= _MAX_RUN_DURATION:
        yield KeyFault(
            key=("time_to_live",),
            value=format_duration(time),
            message="machines can't be deleted automatically after this time",
            allowed=f"from {format_duration(_SHORTEST)} to {format_duration(_MAX_RUN_DURATION)}",
        )


def lifetime_note(workload: "Training | Inference", changed: str) -> tuple[str, ...]:
    """Return a note on when machines end and on a changed time; none without a time to live."""
    time = workload.time_to_live
    if time is None:
        return ()
    deleted = (
        f"its machines are deleted, with their disks, {format_duration(time)} after its first"
    )
    return (f"{deleted} `gpuinfra up`; {changed}",)
