"""The figure by which candidates are ranked, and the order of the figures."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.choosing import guide_advice
from gpuinfra.catalog.choosing.machine_constraints import has_cuda, tflops, whole_gpus
from gpuinfra.catalog.choosing.regional_offers import Market
from gpuinfra.catalog.choosing.request import PRECISIONS, Request
from gpuinfra.catalog.commitment_terms import term
from gpuinfra.catalog.continuous_use_cost import tiered_cost
from gpuinfra.catalog.gpus import gpu
from gpuinfra.catalog.rates import HourlyRate
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.model import Machine

Figure = Callable[[Machine, HourlyRate, Market], Decimal | None]
"""The ranking value of a machine at a rate; lower is better; None when an input is unknown."""


def figure(machine: Machine, rate: HourlyRate, market: Market) -> Decimal | None:
    """Return the figure of a machine at a rate, as the request ranks; None when unknown."""
    return _FIGURES[market.request.by](machine, rate, market)


def run_cost(machine: Machine, rate: HourlyRate, market: Market) -> Decimal | None:
    """Return the cost of all machines for the requested hours; None without hours.

    A commitment is paid for its whole term. Later prices hold after their hours of continuous use.
    """
    hours = market.request.hours
    if hours is None:
        return None
    paid = max(hours, term(rate.mode) or Decimal(0))
    return tiered_cost(paid, rate.amount, rate.tiers) * market.count(machine)


def is_connected_as_advised(machine: Machine, market: Market) -> bool | None:
    """Return whether the machines of a model in training are connected as advised.

    None when it is not known. One machine needs no network, and machines that serve work alone.
    """
    return not _train_together(machine, market) or guide_advice.trains_as_advised(machine)


def has_linked_gpus(machine: Machine, market: Market) -> bool:
    """Return False for machines that train a model together and are known to lack NVLink.

    GPUs of other makers have links of their own, which no table lists.
    """
    lacks_nvlink = has_cuda(machine) and machine.nvlink is False
    return not (lacks_nvlink and _train_together(machine, market))


def has_fabric_software(machine: Machine, market: Market) -> bool:
    """Return False for machines whose default image is known to lack what is requested of it."""
    request = market.request
    uses_fabric = request.fabric or market.count(machine) > 1
    return not (request.fabric_software and uses_fabric and lacks_fabric_software(machine))


def lacks_fabric_software(machine: Machine) -> bool:
    """Return whether a machine's default image is known to lack what NCCL needs of its fabric.

    The rule `fabric-driver` judges by the same proof.
    """
    return (
        machine.cloud in CLOUDS
        and provider_of(machine.cloud).fabric.driver_image(machine, own_image=False) is False
    )


def _train_together(machine: Machine, market: Market) -> bool:
    """Return whether a model is trained on several of these machines."""
    model = market.request.model
    return model is not None and model.task != "serve" and market.count(machine) > 1


def _hour(machine: Machine, rate: HourlyRate, market: Market) -> Decimal:
    return rate.amount * market.count(machine)


def _tflops(machine: Machine, rate: HourlyRate, market: Market) -> Decimal | None:
    return per_tflops(machine, rate.amount, precision_of(market.request))


def per_tflops(machine: Machine, hourly: Decimal, precision: str) -> Decimal | None:
    """Return the hourly cost of one dense TFLOPS; None when the machine's rate is unknown."""
    dense = tflops(machine, precision)
    return None if dense is None else hourly / (machine.gpu_count * dense)


def precision_of(request: Request) -> str:
    """Return the precision whose dense rates a request compares."""
    return request.precision or PRECISIONS[0]


def _memory(machine: Machine, rate: HourlyRate, _: Market) -> Decimal | None:
    size = machine.gpu_memory_nominal_gb
    return None if size is None else rate.amount / (whole_gpus(machine) * size)


def _bandwidth(machine: Machine, rate: HourlyRate, _: Market) -> Decimal | None:
    return per_bandwidth(machine, rate.amount)


def per_bandwidth(machine: Machine, hourly: Decimal) -> Decimal | None:
    """Return the hourly cost of 1 GB/s of GPU memory bandwidth; None when it is unknown."""
    gpu_facts = gpu(machine.gpu)
    if gpu_facts is None or gpu_facts.bandwidth_gbs is None:
        return None
    return hourly / (machine.gpu_count * gpu_facts.bandwidth_gbs)


_FIGURES: Final[Mapping[str, Figure]] = {
    "hour": _hour,
    "run": run_cost,
    "tflops": _tflops,
    "memory": _memory,
    "bandwidth": _bandwidth,
}
