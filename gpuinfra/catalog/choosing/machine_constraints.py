"""The constraints on a machine's own properties, one small function each."""

from collections.abc import Callable
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.choosing.regional_offers import Market
from gpuinfra.catalog.choosing.request import span
from gpuinfra.catalog.gpus import gpu, matching
from gpuinfra.catalog.price_book import OWN_CLOUD
from gpuinfra.model import Machine
from gpuinfra.records import record
from gpuinfra.units import RATES, format_count, format_rate, format_size, plain

GIGA: Final = 10**9
GIB: Final = 2**30

UNKNOWN: Final = Decimal("Infinity")
"""The distance of a machine whose value is not known: it ranks behind all that are known."""

PLAIN_ARCHITECTURE: Final = "x86_64"
"""The processor that our images are for; another one has to be meant."""


@record(kw_only=False)
class ConstraintMiss:
    """A failed constraint: the reason, the required value, and the machine's value.

    `shortfall` is by how much, if it is a matter of degree; `least_maximum` price would suffice.
    """

    reason: str
    required: str
    actual: str
    shortfall: Decimal = Decimal(0)
    least_maximum: Decimal | None = None


ConstraintTest = Callable[[Machine, Market], ConstraintMiss | None]
"""The unmet part of a constraint; None when the machine meets it."""


def whole_gpus(machine: Machine) -> Decimal:
    """Return the number of GPUs of a machine; a fraction counts as one, as its memory does."""
    return max(machine.gpu_count, Decimal(1))


def instance(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless the machine is of the named type."""
    instance_type = market.request.instance
    if instance_type is None or instance_type == machine.type:
        return None
    return ConstraintMiss("is another type", instance_type, machine.type)


def gpu_model(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless the machine's GPU is the named one, or of its family."""
    gpu_name = market.request.gpu
    if gpu_name is None or machine.gpu in matching(gpu_name):
        return None
    return ConstraintMiss(f"has {machine.gpu}, not {gpu_name}", gpu_name, machine.gpu)


def model(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless the model to train or serve fits into the memory of the GPUs."""
    reason = market.misfit_reason(machine)
    if not reason:
        return None
    machines, least = _machines(market.request.machines or 1), market.fewest_machines(machine)
    return ConstraintMiss(
        reason, machines, _machines(least) if least else "", market.memory_excess(machine)
    )


def memory(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless each GPU of the machine is sold with the requested memory."""
    memory_range = market.request.memory
    if memory_range is None:
        return None
    size = machine.gpu_memory_nominal_gb
    if size is None:
        return ConstraintMiss("its GPU memory is unknown", span(memory_range), "", UNKNOWN)
    if size * GIGA in memory_range:
        return None
    low, high = memory_range.minimum, memory_range.maximum
    is_less = size * GIGA < low
    limit = f"less than {format_size(low)}" if is_less else f"more than {format_size(high or 0)}"
    has = f"{plain(size)}GB"
    difference = abs(size - Decimal(low if is_less else high or 0) / GIGA)
    return ConstraintMiss(f"its GPUs have {has}, {limit}", span(memory_range), has, difference)


def count(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless the GPU count matches; a fraction only fits an explicit request."""
    requested, has = market.request.count, plain(machine.gpu_count)
    if requested is None and market.request.instance is None and machine.gpu_count < 1:
        return ConstraintMiss(
            f"has {has} of a GPU, not a whole one", "1", has, 1 - machine.gpu_count
        )
    if requested is None or requested == machine.gpu_count:
        return None
    difference = abs(machine.gpu_count - requested)
    return ConstraintMiss(
        f"has {format_count(has, 'GPU')}, not {requested}", f"{requested}", has, difference
    )


def nvlink(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless NVLink connects all GPUs of the machine, or none, as requested."""
    requested = market.request.nvlink
    if requested is None:
        return None
    words = "NVLink" if requested else "no NVLink"
    if machine.nvlink is None:
        return ConstraintMiss("it is unknown whether NVLink connects its GPUs", words, "", UNKNOWN)
    if requested:
        return _nvlink_miss(machine, words)
    return ConstraintMiss("NVLink connects its GPUs", words, "NVLink") if machine.nvlink else None


def nvlink_domain(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless one NVLink domain connects the requested number of GPUs."""
    domain_size = market.request.nvlink_domain
    if domain_size is None:
        return None
    joined = machine.nvlink_domain
    if joined is None:
        return ConstraintMiss(
            "the number of GPUs in its NVLink domain is unknown", f"{domain_size}", "", UNKNOWN
        )
    if joined >= domain_size:
        return None
    link = "NVLink does not connect its GPUs" if joined == 1 else f"NVLink connects {joined} GPUs"
    return ConstraintMiss(
        f"{link}, not {domain_size}", f"{domain_size}", f"{joined}", Decimal(domain_size - joined)
    )


def fabric(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless the machine has interfaces of an RDMA network, if one is requested."""
    if not market.request.fabric or (machine.fabric and machine.fabric_interfaces):
        return None
    if machine.fabric_interfaces is None:
        fact = "its number of fabric interfaces" if machine.fabric else "its fabric support"
        return ConstraintMiss(f"{fact} is unknown", "a fabric", "", UNKNOWN)
    return ConstraintMiss("has no fabric interfaces", "a fabric", "no fabric")


def fabric_kind(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless the network between the GPUs is the named kind."""
    fabric_name = market.request.fabric_kind
    if fabric_name is None or fabric_name == machine.fabric:
        return None
    if _fabric_unknown(machine):
        return ConstraintMiss("its fabric support is unknown", fabric_name, "", UNKNOWN)
    has = machine.fabric or "no fabric"
    return ConstraintMiss(f"has {has}, not {fabric_name}", fabric_name, has)


def fabric_speed(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless all fabric interfaces together have the requested rate."""
    requested = market.request.fabric_speed
    if requested is None:
        return None
    speed = format_rate(requested)
    if _fabric_unknown(machine):
        return ConstraintMiss("its fabric support is unknown", speed, "", UNKNOWN)
    if not machine.fabric:
        return ConstraintMiss("has no fabric", speed, "no fabric", Decimal(requested))
    if machine.fabric_gbps is None:
        return ConstraintMiss("the speed of its fabric is unknown", speed, "", UNKNOWN)
    difference = requested - machine.fabric_gbps * RATES["Gbps"]
    if difference <= 0:
        return None
    has = f"{plain(machine.fabric_gbps)}Gbps"
    return ConstraintMiss(f"its fabric has {has}, less than {speed}", speed, has, difference)


def _fabric_unknown(machine: Machine) -> bool:
    """Return whether it is unknown if a machine has a fabric at all."""
    return not machine.fabric and machine.fabric_interfaces is None


def precision(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless the GPU's dense rate in the named precision is known."""
    requested = market.request.precision
    if requested is None or tflops(machine, requested) is not None:
        return None
    return ConstraintMiss(
        f"the dense {requested} rate of {machine.gpu} is unknown", requested, f"no {requested}"
    )


def vcpu_per_gpu(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless the machine has the requested vCPUs per GPU."""
    requested = market.request.vcpu_per_gpu
    if requested is None:
        return None
    if machine.vcpu is None:
        return ConstraintMiss("its number of vCPUs is unknown", f"{requested}", "", UNKNOWN)
    difference = requested - machine.vcpu / whole_gpus(machine)
    if difference <= 0:
        return None
    has = f"{round(machine.vcpu / whole_gpus(machine), 1):f}".removesuffix(".0")
    return ConstraintMiss(
        f"has {has} vCPUs per GPU, fewer than {requested}", f"{requested}", has, difference
    )


def ram_per_gpu(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless the machine has the requested main memory per GPU."""
    requested = market.request.ram_per_gpu
    if requested is None:
        return None
    size = format_size(requested)
    if machine.memory_gib is None:
        return ConstraintMiss("its amount of memory is unknown", size, "", UNKNOWN)
    difference = requested - machine.memory_gib * GIB / whole_gpus(machine)
    if difference <= 0:
        return None
    has = f"{plain(round(machine.memory_gib / whole_gpus(machine), 1))}GiB"
    return ConstraintMiss(f"has {has} of memory per GPU, less than {size}", size, has, difference)


def architecture(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless the CPU architecture is the requested one, else the default images'.

    A request that names a GPU or a type means its processor; the user's own hardware needs no
    image.
    """
    request = market.request
    is_default_architecture = not (request.gpu or request.instance or machine.cloud == OWN_CLOUD)
    requested = request.architecture or (PLAIN_ARCHITECTURE if is_default_architecture else None)
    if requested is None or requested == machine.architecture:
        return None
    if machine.architecture is None:
        return ConstraintMiss("its processor architecture is unknown", requested, "", UNKNOWN)
    return ConstraintMiss(
        f"its processor is {machine.architecture}", requested, machine.architecture
    )


def vendor(machine: Machine, market: Market) -> ConstraintMiss | None:
    """Return a miss unless the GPU has CUDA, as the default image does, or is named."""
    request = market.request
    if request.gpu is not None or request.instance is not None or machine.cloud == OWN_CLOUD:
        return None
    if has_cuda(machine):
        return None
    words = f"{machine.gpu} is not an NVIDIA GPU; request it by name"
    return ConstraintMiss(words, "an NVIDIA GPU", machine.gpu)


def runs_the_same(machine: Machine, other: Machine) -> bool:
    """Return whether the same programs run on the GPUs of both: CUDA, or one GPU family."""
    if has_cuda(machine) or has_cuda(other):
        return has_cuda(machine) and has_cuda(other)
    return bool(_family(machine)) and _family(machine) == _family(other)


def _family(machine: Machine) -> str:
    """Return vendor and family from a GPU's name: AWS Trainium for Trainium2, AMD Instinct."""
    gpu_facts = gpu(machine.gpu)
    return " ".join(gpu_facts.name.split()[:2]).rstrip("0123456789") if gpu_facts else ""


def has_cuda(machine: Machine) -> bool:
    """Return whether a machine's GPUs run CUDA."""
    return (gpu_facts := gpu(machine.gpu)) is not None and gpu_facts.name.startswith("NVIDIA")


def tflops(machine: Machine, precision_: str) -> Decimal | None:
    """Return the dense rate of one of a machine's GPUs in a precision; None when unknown."""
    gpu_facts = gpu(machine.gpu)
    rate: Decimal | None = getattr(gpu_facts, f"{precision_}_tflops", None)
    return rate


def _nvlink_miss(machine: Machine, requested: str) -> ConstraintMiss | None:
    """Return a miss unless NVLink connects all GPUs of a machine."""
    domain_gpus = machine.nvlink_domain
    if not machine.nvlink:
        return ConstraintMiss(
            "NVLink does not connect its GPUs", requested, "no NVLink", machine.gpu_count
        )
    if domain_gpus is None:
        return ConstraintMiss("the size of its NVLink domain is unknown", requested, "", UNKNOWN)
    if domain_gpus >= machine.gpu_count:
        return None
    number = plain(machine.gpu_count)
    return ConstraintMiss(
        f"NVLink connects its {number} GPUs only in groups of {domain_gpus}",
        requested,
        f"NVLink in groups of {domain_gpus}",
        machine.gpu_count - domain_gpus,
    )


def _machines(number: int) -> str:
    return format_count(number, "machine")
