"""The costs and the faults of a pool's additional keys on AWS."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal

from gpuinfra.clouds.aws.images import devices, public_image, serves
from gpuinfra.clouds.aws.machines import machine
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import Machine, Rung
from gpuinfra.units import format_duration

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Inference


Usage = Literal["on-demand", "spot"]

LONGEST_IDLE: Final = timedelta(seconds=4000)
"""https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-load-balancer-attributes.html"""

_PURCHASE_TEXTS: Final[Mapping[Usage, str]] = {"on-demand": "on demand", "spot": "on spot"}


def serving_faults(inference: "Inference", rungs: tuple[Rung, ...]) -> Iterator[KeyFault]:
    """Yield the faults that keep a pool from its machines, or from serving as configured."""
    yield from _mixed_faults(inference, rungs)
    yield from _devices(inference, rungs)
    yield from _certificate(inference, rungs)
    yield from _idle_timeout(inference)


def _mixed_faults(inference: "Inference", rungs: tuple[Rung, ...]) -> Iterator[KeyFault]:
    if not inference.mixed:
        return
    types = tuple(dict.fromkeys(rung.machine for rung in rungs))
    if len(types) > 1:
        yield KeyFault(
            key=("mixed",),
            value=", ".join(inference.mixed),
            message=f"the pool's first machine type differs between regions: {', '.join(types)}",
            allowed="one first machine type in every region of the pool",
            fix=f"set instance: {types[0]}",
        )
        return
    first = machine(types[0]) if types else None
    if first is None:
        return
    for index, name in enumerate(inference.mixed):
        for message in _type_mismatches(machine(name), name, first, inference, rungs):
            yield KeyFault(
                key=("mixed", index),
                value=name,
                message=message,
                allowed=f"a type that starts from {first.type}'s image and is offered in every "
                "region of the pool",
                fix="remove it, or use another type",
            )


def _type_mismatches(
    machine_type: Machine | None,
    name: str,
    first: Machine,
    inference: "Inference",
    rungs: tuple[Rung, ...],
) -> Iterator[str]:
    """Yield the reasons why a machine type can't start from the image of the first type."""
    if machine_type is None:
        yield f"unknown aws machine type {name}"
        return
    if name == first.type or inference.mixed.count(name) > 1:
        yield f"{name} is in the pool already"
    if machine_type.architecture != first.architecture:
        yield f"{name} is {machine_type.architecture}, and {first.type} is {first.architecture}"
    elif fault := _no_gpus(name):
        yield fault
    elif inference.machine_image is None:
        image = public_image("inference", first)
        if image is not None and not serves(image, machine_type):
            yield f"it is unknown whether the image of {first.type} has the drivers of {name}"
    yield from _not_sold(machine_type, rungs)


def _not_sold(machine_type: Machine, rungs: tuple[Rung, ...]) -> Iterator[str]:
    """Yield the purchase options and regions in which a machine is not offered."""
    name = machine_type.type
    for kind in _purchase_options(rungs):
        if kind not in machine_type.usage_classes:
            yield f"{name} is not offered {_PURCHASE_TEXTS[kind]}"
    for region in dict.fromkeys(rung.region for rung in rungs):
        if region not in machine_type.regions:
            yield f"{name} is not offered in {region}"


def _purchase_options(rungs: tuple[Rung, ...]) -> tuple[Usage, ...]:
    """Return the purchase options of a pool's machines, each once."""
    uses_spot = any(rung.spot_share_above_base for rung in rungs)
    uses_on_demand = any(rung.on_demand_base or rung.spot_share_above_base != 1 for rung in rungs)
    usage_classes: tuple[tuple[bool, Usage], ...] = (
        (uses_on_demand, "on-demand"),
        (uses_spot, "spot"),
    )
    return tuple(usage_class for used, usage_class in usage_classes if used)


def _devices(inference: "Inference", rungs: tuple[Rung, ...]) -> Iterator[KeyFault]:
    """Yield machines without NVIDIA GPUs, which a pool's container needs."""
    if inference.machine_image is None:
        return
    key = "gpu" if inference.instance is None else "instance"
    for name in dict.fromkeys(rung.machine for rung in rungs):
        if fault := _no_gpus(name):
            yield KeyFault(
                key=(key,),
                value=name,
                message=fault,
                allowed="a machine type with NVIDIA GPUs",
                fix="use another machine type, or serve from a training workload",
            )


def _no_gpus(name: str) -> str:
    """Return why a pool's container can't start on a machine; empty when it can."""
    machine_type = machine(name)
    if machine_type is None or devices(machine_type) != "neuron":
        return ""
    return f"{name} has no NVIDIA GPU, which the pool's container needs"


def _certificate(inference: "Inference", rungs: tuple[Rung, ...]) -> Iterator[KeyFault]:
    """Yield a certificate of another region than the load balancer's, or of a queue's pool."""
    if inference.certificate is None:
        return
    if inference.scale_on.queue is not None:
        yield KeyFault(
            key=("certificate",),
            value=inference.certificate,
            message="a pool that reads a queue has no address",
            fix="remove certificate",
        )
        return
    region = inference.certificate.split(":")[3]
    other_regions = [
        other for other in dict.fromkeys(rung.region for rung in rungs) if other != region
    ]
    if other_regions:
        yield KeyFault(
            key=("certificate",),
            value=inference.certificate,
            message=f"the certificate is in {region}, and the pool may be in "
            f"{', '.join(other_regions)}",
            allowed="a certificate in the pool's region",
            fix=f"use a certificate of {other_regions[0]}, or only {region} under where.regions",
        )


def _idle_timeout(inference: "Inference") -> Iterator[KeyFault]:
    """Yield an idle timeout that is not 1 to 4,000 seconds, or on a pool that reads a queue."""
    span = inference.idle_timeout
    if span is None:
        return
    reads_queue = inference.scale_on.queue is not None
    if reads_queue or not timedelta(seconds=1) <= span <= LONGEST_IDLE:
        yield KeyFault(
            key=("idle_timeout",),
            value=format_duration(span),
            message="a pool that reads a queue has no connections"
            if reads_queue
            else "the idle timeout is longer than load balancers support",
            allowed="" if reads_queue else f"1s to {format_duration(LONGEST_IDLE)}",
            fix="remove idle_timeout"
            if reads_queue
            else "stream the response, so that the connection is never idle",
        )
