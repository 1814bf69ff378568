"""The catalog's facts as text: numbers with units, prices, regions; None is `unknown`."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

import click

from gpuinfra.catalog.price_book import ceiling
from gpuinfra.cli.views.render import heading, wrap_after
from gpuinfra.model import Gpu, Interruption, Machine, Price
from gpuinfra.units import format_share, format_unit_price

UNKNOWN: Final = "unknown"

LABEL_WIDTH: Final = 18
"""The width of the column of fact names."""

Fact = tuple[str, str]
"""The label of a fact, and its value."""


def show_facts(title: str, facts: Sequence[Fact]) -> None:
    """Print facts, one per line."""
    heading(title)
    for name, text in facts:
        click.echo(wrap_after(f"  {name:<{LABEL_WIDTH}}", text))


def number(value: Decimal | int | None, unit: str = "") -> str:
    """Return a number with its unit, without trailing zeros; `unknown` for None."""
    if value is None:
        return UNKNOWN
    text = f"{value:,f}" if isinstance(value, Decimal) else f"{value:,}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}".rstrip()


def amount(price: Price) -> str:
    """Return the price of the most expensive zone, with the currency unless it is USD."""
    return format_unit_price(ceiling(price), price.currency)


def source(price: Price) -> str:
    """Return the source of a price; refreshed prices are marked."""
    return f"refreshed: {price.source}" if price.origin == "refreshed" else price.source


def gpus(machine: Machine) -> str:
    """Return how many GPUs of which model a machine has."""
    return f"{number(machine.gpu_count)} × {machine.gpu}"


def nvlink(machine: Machine) -> str:
    """Return the bandwidth of NVLink and how many GPUs it joins."""
    if machine.nvlink is None:
        return UNKNOWN
    if not machine.nvlink:
        return "none"
    domain = machine.nvlink_domain
    domain_text = (
        "the size of the NVLink domain is unknown" if domain is None else f"joins {domain} GPUs"
    )
    return f"{number(machine.nvlink_gbs, 'GB/s')} per GPU, {domain_text}"


def fabric(machine: Machine) -> str:
    """Return the RDMA network between machines."""
    if not machine.fabric:
        return UNKNOWN if machine.fabric_interfaces is None else "none"
    interfaces = number(machine.fabric_interfaces)
    return f"{machine.fabric}, {interfaces} interfaces, {number(machine.fabric_gbps, 'Gbps')}"


def network(machine: Machine) -> str:
    """Return the network bandwidth, with the sustained rate where it can burst."""
    most, sustained = machine.network_gbps, machine.network_sustained_gbps
    rate = number(most, "Gbps")
    if sustained is None or sustained == most:
        return rate
    return f"at most {rate}, {number(sustained, 'Gbps')} sustained"


def regions(machine: Machine) -> Fact:
    """Return the regions where a machine is offered, or where its cloud only lists a price."""
    region_names = ", ".join(machine.regions)
    regions_text = f"{len(machine.regions)}: {region_names}" if region_names else UNKNOWN
    if machine.regions_are == "offered":
        return "offered in", regions_text
    unproven = "; a listed price does not prove availability, which is unknown"
    return "priced in", regions_text + (unproven if region_names else "")


def interruption_rate(interruption: Interruption | None) -> str:
    """Return the published share of spot machines interrupted per month."""
    if interruption is None:
        return UNKNOWN
    if interruption.high is None:
        return f"> {format_share(interruption.low)}"
    if not interruption.low:
        return f"< {format_share(interruption.high)}"
    return f"{format_share(interruption.low).rstrip('%')}–{format_share(interruption.high)}"


def machine_facts(machine: Machine) -> list[Fact]:
    """Return everything that the table has of a machine type."""
    sold = machine.gpu_memory_nominal_gb
    local = machine.local_storage_gb
    return [
        ("cloud", machine.cloud),
        ("GPUs", gpus(machine)),
        ("memory per GPU", f"{number(machine.gpu_memory_gib, 'GiB')}, sold as {number(sold)} GB"),
        ("NVLink", nvlink(machine)),
        ("fabric", fabric(machine)),
        ("network", network(machine)),
        ("network cards", number(machine.network_cards)),
        ("processor", f"{number(machine.vcpu)} vCPU, {machine.architecture or UNKNOWN}"),
        ("memory", number(machine.memory_gib, "GiB")),
        ("local disks", "none" if local == 0 else number(local, "GB")),
        ("sold as", ", ".join(machine.usage_classes) or UNKNOWN),
        ("status", machine.status),
        regions(machine),
        *_source_facts(machine.notes, machine.source, machine.as_of),
    ]


def gpu_facts(gpu: Gpu) -> list[Fact]:
    """Return everything that the table has of a GPU model; unverified figures are marked."""

    def fact(field: str, unit: str) -> str:
        mark = ", unverified" if field in gpu.unverified else ""
        return f"{number(getattr(gpu, field), unit)}{mark}"

    return [
        ("GPU", f"{gpu.name} ({gpu.key})"),
        ("architecture", gpu.architecture or UNKNOWN),
        ("memory", fact("memory_gb", "GB")),
        ("memory bandwidth", fact("bandwidth_gbs", "GB/s")),
        ("FP32, vector", fact("fp32_tflops", "TFLOPS")),
        ("FP16, dense", fact("fp16_tflops", "TFLOPS")),
        ("BF16, dense", fact("bf16_tflops", "TFLOPS")),
        ("FP8, dense", fact("fp8_tflops", "TFLOPS")),
        ("NVLink", fact("nvlink_gbs", "GB/s") if gpu.nvlink_gbs else "none or unknown"),
        ("power", fact("watts", "W")),
        ("also called", ", ".join(gpu.aliases) or "–"),
        *_source_facts(gpu.notes, gpu.source, gpu.as_of),
    ]


def _source_facts(notes: str, source: str, as_of: str) -> list[Fact]:
    return [*([("note", notes)] if notes else []), ("source", source), ("as of", as_of)]
