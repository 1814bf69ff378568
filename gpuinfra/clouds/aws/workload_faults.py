"""The faults of a workload's keys that AWS can't build, each with a fix."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from gpuinfra.clouds.aws.compatibility.framework_faults import framework_faults, framework_notes
from gpuinfra.clouds.aws.fabric import uses_fabric
from gpuinfra.clouds.aws.guards.alarms import MAX_LOOKBACK, has_readable_gpus
from gpuinfra.clouds.aws.interfaces import ena_express_fault, layout_fault
from gpuinfra.clouds.aws.machines import machine
from gpuinfra.clouds.aws.network_faults import network_faults, network_notes
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import Machine, Rung
from gpuinfra.specs.schema import Inference, Training
from gpuinfra.units import format_duration

if TYPE_CHECKING:
    from gpuinfra.specs.networks import NetworkSpec


def workload_faults(
    name: str,  # noqa: ARG001  the signature is the same for every cloud
    workload: Training | Inference,
    rungs: tuple[Rung, ...],
    network: "NetworkSpec | None",
) -> tuple[KeyFault, ...]:
    """Return the faults that keep a workload from being built on any of its rungs."""
    kinds = [spec for rung in rungs if (spec := machine(rung.machine)) is not None]
    faults = [
        *_interfaces(workload, kinds),
        *network_faults(workload, kinds, rungs, network),
        *_versions(workload, kinds),
        *_idle_faults(workload, kinds),
        *(
            _pool_faults(workload, rungs)
            if isinstance(workload, Inference)
            else _shared_storage_faults(workload, kinds, rungs)
        ),
    ]
    return tuple(dict.fromkeys(faults))


def workload_notes(
    workload: Training | Inference, rungs: tuple[Rung, ...], network: "NetworkSpec | None"
) -> tuple[str, ...]:
    """Return the unknowns of the image, of the job's versions, and of how machines are bought."""
    notes = list(network_notes(workload, network))
    if isinstance(workload, Inference):
        return tuple(notes)
    kinds = [spec for rung in rungs if (spec := machine(rung.machine)) is not None]
    notes += [
        note
        for kind in kinds
        for note in framework_notes(kind, "training", workload.machine_image, workload.framework)
    ]
    if workload.shared_storage is not None:
        from gpuinfra.clouds.aws.lustre.shared_storage_faults import shared_notes  # noqa: PLC0415  (as below)

        notes += shared_notes(workload)
    if workload.all_or_nothing:
        notes.append(
            "all_or_nothing requests all machines once: a lost machine is not replaced "
            "until the next gpuinfra up, which requests all of them again"
        )
    return tuple(dict.fromkeys(notes))


def _pool_faults(workload: Inference, rungs: tuple[Rung, ...]) -> Iterable[KeyFault]:
    from gpuinfra.clouds.aws.pool_keys import serving_faults  # noqa: PLC0415  (pools alone)

    return serving_faults(workload, rungs)


def _shared_storage_faults(
    workload: Training, kinds: Sequence[Machine], rungs: tuple[Rung, ...]
) -> Iterable[KeyFault]:
    if workload.shared_storage is None:
        return ()
    from gpuinfra.clouds.aws.lustre.shared_storage_faults import shared_faults  # noqa: PLC0415  (few have one)

    return shared_faults(workload, kinds, rungs)


def _interfaces(workload: Training | Inference, kinds: Sequence[Machine]) -> Iterator[KeyFault]:
    """Yield the faults of layouts and ENA Express, which only some machines support."""
    if isinstance(workload, Inference):
        return
    all_use_fabric = all(uses_fabric(kind, workload.nodes, workload.fabric) for kind in kinds)
    if workload.efa_layout != "standard" and not all_use_fabric:
        yield KeyFault(
            key=("efa_layout",),
            value=workload.efa_layout,
            message="efa_layout requires EFA interfaces, and the workload has none",
            allowed="standard, or a workload with a fabric on all of its rungs",
            fix="remove efa_layout, or set fabric: required with machine types that have EFA",
        )
    for kind in kinds:
        if all_use_fabric and (fault := layout_fault(kind, workload.efa_layout)):
            yield KeyFault(
                key=("efa_layout",),
                value=workload.efa_layout,
                message=fault,
                allowed="standard, fewest-ip or classic",
                fix="set efa_layout: standard",
            )
        if workload.ena_express and (fault := ena_express_fault(kind)):
            yield KeyFault(
                key=("ena_express",),
                value="true",
                message=f"ENA Express: {fault}",
                fix="remove ena_express, or use another machine type",
            )


def _versions(workload: Training | Inference, kinds: Sequence[Machine]) -> Iterator[KeyFault]:
    """Yield the conflicts of a job's versions with the machines and their image."""
    for kind in kinds:
        if isinstance(workload, Inference):
            yield from framework_faults(kind, "inference", workload.machine_image, None)
        else:
            yield from framework_faults(
                kind, "training", workload.machine_image, workload.framework
            )


def _idle_faults(workload: Training | Inference, kinds: Sequence[Machine]) -> Iterator[KeyFault]:
    """Yield the machines whose GPU use has no metric, and a period longer than an alarm's."""
    if isinstance(workload, Inference) or workload.idle_stop is None:
        return
    for kind in kinds:
        if not has_readable_gpus(kind):
            yield KeyFault(
                key=("idle_stop",),
                value="",
                message=f"no metric shows the GPU use of a {kind.type}",
                allowed="machines with NVIDIA GPUs",
                fix="remove idle_stop; time_to_live works for any machine type",
            )
    if workload.idle_stop.after > MAX_LOOKBACK:
        yield KeyFault(
            key=("idle_stop", "after"),
            value=format_duration(workload.idle_stop.after),
            message="the period is longer than an alarm supports",
            allowed=f"up to {MAX_LOOKBACK.days}d",
        )
