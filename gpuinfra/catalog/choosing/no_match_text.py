"""The text of a request, and the suggested change, for a message that no machine fits."""

from collections.abc import Iterator, Mapping
from typing import Final

from gpuinfra.catalog.choosing.constraints import gpu_counts
from gpuinfra.catalog.choosing.machine_constraints import ConstraintMiss
from gpuinfra.catalog.choosing.regional_offers import Market
from gpuinfra.catalog.choosing.request import Request
from gpuinfra.catalog.price_book import OWN_CLOUD
from gpuinfra.clouds import CLOUDS
from gpuinfra.errors import PathPart
from gpuinfra.model import Machine
from gpuinfra.units import Range, format_count, format_rate, format_size, format_unit_price, plain

_REQUEST_CHANGES: Final[Mapping[str, str]] = {
    "gpu": "use another GPU",
    "memory": "request another GPU memory size",
    "count": "use another count",
    "nvlink_domain": "use a smaller NVLink domain",
    "fabric": "do without a fabric (fabric: none, or no --fabric)",
    "fabric_kind": "use another fabric",
    "fabric_speed": "use a slower fabric",
    "precision": "use another precision",
    "vcpu_per_gpu": "use fewer vCPUs per GPU",
    "ram_per_gpu": "request less machine memory per GPU",
    "architecture": "use another architecture",
    "vendor": "name the GPU",
    "capacity": "use another purchase option",
    "region": "use another region",
    "commitment": "use another commitment, or none",
    "price": "allow a higher price",
}
"""The change to the request that lifts each constraint."""

_NAMED_REGIONS: Final = 8
"""The maximum number of regions named in a sentence; above it, only their number is given."""

_KEYS: Final[Mapping[str, tuple[PathPart, ...]]] = {
    "instance": ("instance",),
    "gpu": ("gpu", "model"),
    "model": ("gpu", "for_model"),
    "fabric": ("fabric",),
    "fabric_kind": ("gpu", "fabric"),
    "price": ("gpu", "max_per_hour"),
}
"""The key of a workload that a constraint comes from, where it is called otherwise in `gpu`."""

_OFFER_CONSTRAINTS: Final = frozenset({"vendor", "status", "capacity", "region", "commitment"})
"""Constraints that come from no key of `gpu`."""


def request_in_words(market: Market) -> str:
    """Return a request as part of a sentence: H100:8 with a fabric, spot, in us-east-1."""
    request = market.request
    parts = [request.instance or request.gpu or "any GPU"]
    if request.count is not None:
        parts[0] = f"{parts[0]}:{request.count}"
    if request.memory is not None:
        parts.append(f"of {_sizes(request.memory)}")
    if request.nvlink is not None:
        parts.append("with NVLink" if request.nvlink else "without NVLink")
    if request.fabric:
        parts.append("with a fabric")
    parts += _other_requirements(request)
    return f"{' '.join(parts)}, {request.commitment or request.capacity}, {_regions_text(market)}"


def _regions_text(market: Market) -> str:
    """Return the regions of a request as text; only their number where they are many."""
    regions = market.request.regions
    known_regions = {
        region for cloud in market.request.clouds for region in market.known_regions(cloud)
    }
    if known_regions <= set(regions):
        return "in any region"
    return (
        f"in {' or '.join(regions)}"
        if len(regions) <= _NAMED_REGIONS
        else f"in any of {len(regions)} regions"
    )


def relaxed_request_text(
    market: Market, machine: Machine, constraint: str, miss: ConstraintMiss
) -> str:
    """Return the change to the request with which a constraint no longer excludes a machine."""
    relaxed_request = _relaxed_request(market, machine, constraint, miss)
    cloud = machine.cloud
    return (
        relaxed_request
        if is_buildable(machine)
        else f"{relaxed_request} ({cloud}, where gpuinfra can't build)"
    )


def is_buildable(machine: Machine) -> bool:
    """Return whether gpuinfra builds on the machine's cloud."""
    return machine.cloud in {*CLOUDS, OWN_CLOUD}


def _relaxed_request(
    market: Market, machine: Machine, constraint: str, miss: ConstraintMiss
) -> str:
    if constraint in {"instance", "status"}:
        count = (
            f":{plain(machine.gpu_count)}" if machine.gpu_count == int(machine.gpu_count) else ""
        )
        return f"use another type, or request its GPU: {machine.gpu}{count}"
    if constraint == "model":
        return ", or ".join(_ways_to_hold(market, machine))
    if constraint == "count" and (machines := machines_together(market, machine)):
        return f"use another count: {miss.actual}, on {machines} machines (nodes: {machines})"
    if constraint == "nvlink":
        return f"drop {miss.required}"
    text = "" if miss.actual.startswith("no ") else miss.actual
    return f"{_REQUEST_CHANGES[constraint]}: {text}" if text else _REQUEST_CHANGES[constraint]


def machines_together(market: Market, machine: Machine) -> int | None:
    """Return how many of a machine have the requested GPUs together; None where none do.

    None where another machine has more GPUs, and for a pool: each of its machines serves alone.
    """
    request, each = market.request, machine.gpu_count
    count = request.count
    if (
        count is None
        or request.purpose == "inference"
        or each < max(gpu_counts(market), default=each)
    ):
        return None
    return None if count < each or count % each else int(count / each) * (request.machines or 1)


def _ways_to_hold(market: Market, machine: Machine) -> Iterator[str]:
    """Yield what makes a model fit: more machines, adapters alone, a smaller model."""
    requested_count, least = market.request.machines or 1, market.fewest_machines(machine)
    if least and least > requested_count:
        yield f"use {format_count(least, 'machine')}"
    adapters = market.adapters(machine, requested_count)
    if adapters is not None:
        yield f"train adapters alone (task: lora), which need {adapters:,.0f} GB per GPU"
    yield "reduce the model: fewer parameters, a smaller batch or context"


def workload_key(request: Request, constraint: str) -> tuple[PathPart, ...]:
    """Return the workload key of a failed constraint."""
    if constraint in _OFFER_CONSTRAINTS or (
        constraint == "architecture" and not request.architecture
    ):
        return ("gpu",) if request.instance is None else ("instance",)
    return _KEYS.get(constraint, ("gpu", constraint))


def _sizes(memory: Range) -> str:
    low, high = memory.minimum, memory.maximum
    if low == high:
        return format_size(low)
    return f"{format_size(low)} {'or more' if high is None else f'to {format_size(high)}'}"


def _other_requirements(request: Request) -> Iterator[str]:
    """Yield the less common requirements as text."""
    if request.nvlink_domain is not None:
        yield f"with {request.nvlink_domain} GPUs in one NVLink domain"
    if request.fabric_kind is not None:
        yield f"with {request.fabric_kind}"
    if request.fabric_speed is not None:
        yield f"with a fabric of {format_rate(request.fabric_speed)} or more"
    if request.precision is not None:
        yield f"for {request.precision}"
    if request.vcpu_per_gpu is not None:
        yield f"with {request.vcpu_per_gpu} vCPUs or more per GPU"
    if request.ram_per_gpu is not None:
        yield f"with {format_size(request.ram_per_gpu)} of memory or more per GPU"
    if request.architecture is not None:
        yield f"with an {request.architecture} processor"
    if request.model is not None:
        number = request.machines
        machines_text = f" on {format_count(number, 'machine')}" if number else ""
        yield f"for a model of {request.model.parameters:,} parameters{machines_text}"
    if request.max_per_hour is not None:
        yield f"for {format_unit_price(request.max_per_hour)} an hour or less"
