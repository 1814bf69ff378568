"""The faults of `idle_stop`: machines and times that no alarm can cover."""

from collections.abc import Iterator, Sequence

from gpuinfra.clouds.aws.guards.alarms import LONGEST, readable
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import Machine
from gpuinfra.specs.schema import Inference, Training
from gpuinfra.units import format_duration


def idle_faults(workload: Training | Inference, kinds: Sequence[Machine]) -> Iterator[KeyFault]:
    """Yield the machines whose GPU use has no metric, and a period longer than an alarm's."""
    if isinstance(workload, Inference) or workload.idle_stop is None:
        return
    for kind in kinds:
        if not readable(kind):
            yield KeyFault(
                key=("idle_stop",),
                value="",
                message=f"no metric shows the GPU use of a {kind.type}",
                allowed="machines with NVIDIA GPUs",
                fix="remove idle_stop; time_to_live works for any machine type",
            )
    if workload.idle_stop.after > LONGEST:
        yield KeyFault(
            key=("idle_stop", "after"),
            value=format_duration(workload.idle_stop.after),
            message="the period is longer than an alarm supports",
            allowed=f"up to {LONGEST.days}d",
        )
