"""Why a machine does not fit a request: one small test per constraint, the named one first."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from typing import Final

from gpuinfra.catalog.gpus import gpu, matching
from gpuinfra.catalog.request import Request
from gpuinfra.clouds import room
from gpuinfra.model import Machine
from gpuinfra.units import format_size

GIGA: Final = 10**9
SHOWN: Final = 3
"""How many other regions a reason names, those of the same continent first."""

Test = Callable[[Machine, Request], str]
"""Why a machine fails, in words; empty when it does not."""


def failures(machine: Machine, request: Request) -> tuple[tuple[str, str], ...]:
    """Every constraint that a machine fails, in the order of CONSTRAINTS, each with its reason."""
    return tuple(_failures(machine, request))


def offered(machine: Machine, region: str) -> bool:
    """Whether a region offers a machine.

    Where the offerings tell nothing of a region at all (GovCloud, China), a list price tells.
    """
    if region in machine.regions:
        return True
    return region not in _told(machine.cloud) and bool(
        room(machine.cloud).prices(machine.type, region, "on-demand")
    )


def plain(number: Decimal) -> str:
    """A number without trailing zeros or an exponent."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _failures(machine: Machine, request: Request) -> Iterator[tuple[str, str]]:
    for name, test in CONSTRAINTS:
        reason = test(machine, request)
        if reason:
            yield name, reason


def _instance(machine: Machine, request: Request) -> str:
    return "is another type" if request.instance not in {None, machine.type} else ""


def _gpu(machine: Machine, request: Request) -> str:
    if request.gpu is None or machine.gpu in matching(request.gpu):
        return ""
    return f"has {machine.gpu}, not {request.gpu}"


def _memory(machine: Machine, request: Request) -> str:
    if request.memory is None:
        return ""
    size = machine.gpu_memory_nominal_gb
    if size is None:
        return "the memory of its GPUs is not known"
    if size * GIGA in request.memory:
        return ""
    low, high = request.memory.minimum, request.memory.maximum
    short = size * GIGA < low
    limit = f"fewer than {format_size(low)}" if short else f"more than {format_size(high or 0)}"
    return f"its GPUs have {plain(size)}GB, {limit}"


def _count(machine: Machine, request: Request) -> str:
    if request.count in {None, machine.gpu_count}:
        return ""
    return f"has {plain(machine.gpu_count)} of them, not {request.count}"


def _nvlink(machine: Machine, request: Request) -> str:
    if request.nvlink is None or machine.nvlink is request.nvlink:
        return ""
    if machine.nvlink is None:
        return "nobody knows whether NVLink joins its GPUs"
    return "NVLink joins its GPUs" if machine.nvlink else "no NVLink joins its GPUs"


def _fabric(machine: Machine, request: Request) -> str:
    if not request.fabric or (machine.fabric and machine.fabric_interfaces):
        return ""
    if machine.fabric and machine.fabric_interfaces is None:
        return "how many fabric interfaces it has is not known"
    return "has no fabric interfaces"


def _vendor(machine: Machine, request: Request) -> str:
    """The default image has CUDA for x86; other accelerators have to be meant."""
    if request.gpu is not None or request.instance is not None:
        return ""
    known = gpu(machine.gpu)
    if known is None or not known.name.startswith("NVIDIA"):
        return f"{machine.gpu} is no NVIDIA GPU; name it to have it"
    if machine.architecture != "x86_64":
        return f"its processor is {machine.architecture}; name its GPU to have it"
    return ""


def _status(machine: Machine, _: Request) -> str:
    return "" if machine.status == "current" else f"is {machine.status}: no region offers it"


def _capacity(machine: Machine, request: Request) -> str:
    if request.capacity in machine.usage_classes:
        return ""
    if not machine.usage_classes:
        return "how it can be bought is not known"
    return f"is not sold as {request.capacity}, only as {', '.join(machine.usage_classes)}"


def _region(machine: Machine, request: Request) -> str:
    if any(offered(machine, region) for region in request.regions):
        return ""
    here = f"is not offered in {' or '.join(request.regions)}"
    if not machine.regions:
        return here
    continent = request.regions[0].split("-")[0] if request.regions else ""
    near = sorted(machine.regions, key=lambda region: not region.startswith(f"{continent}-"))
    more = len(near) - SHOWN
    return f"{here}, but in {', '.join(near[:SHOWN])}" + (f" and {more} more" if more > 0 else "")


CONSTRAINTS: Final[tuple[tuple[str, Test], ...]] = (
    ("instance", _instance),
    ("gpu", _gpu),
    ("memory", _memory),
    ("count", _count),
    ("nvlink", _nvlink),
    ("fabric", _fabric),
    ("vendor", _vendor),
    ("status", _status),
    ("capacity", _capacity),
    ("region", _region),
)


@cache
def _told(cloud: str) -> frozenset[str]:
    """The regions of which the offerings tell something."""
    return frozenset(region for machine in room(cloud).machines() for region in machine.regions)
