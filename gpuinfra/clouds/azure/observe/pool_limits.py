"""The limits of AKS node pools: the size of their OS disks, and the number of nodes and pods."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.values import amount, at, whole_number
from gpuinfra.model import Unknown


def os_disk_faults(spec: Any) -> Iterator[str]:
    """Yield the size of an OS disk that AKS refuses; 0 is the default."""
    size = amount(at(spec, "osDiskSizeGB"))
    if size != 0:
        yield from _faults("osDiskSizeGB", size, "an OS disk of {} GB")


def count_faults(most: int | Unknown | None) -> Iterator[str]:
    """Yield a number of nodes that AKS refuses."""
    yield from _faults("count", most, "{} nodes in a pool")


def pod_faults(spec: Any) -> Iterator[str]:
    """Yield a number of pods on each node that AKS refuses."""
    yield from _faults("maxPods", whole_number(at(spec, "maxPods")), "{} pods on a node")


def beyond_scaling(spec: Any) -> Iterator[str]:
    """Yield a number of nodes above the most to which a pool scales.

    https://github.com/Azure/azure-cli acs/agentpool_decorator.py ("node-count is not in the range
    of min-count and max-count"); whether the API refuses it, too, was not read (unverified)
    """
    count, most = (whole_number(at(spec, key)) for key in ("count", "maxCount"))
    if isinstance(count, int) and isinstance(most, int) and count > most:
        yield f"count is {count:,}, above the maxCount of {most:,}"


def _faults(key: str, number: Decimal | int | Unknown | None, subject: str) -> Iterator[str]:
    bounds = {row["input"]: (row["least"], row["most"]) for row in TABLES.rows("pool_limits")}
    least, most = bounds[key]
    if isinstance(number, (Decimal, int)) and not least <= number <= most:
        stated = subject.format(f"{Decimal(number):,f}")
        yield f"AKS does not support {stated}: use {least:,} to {most:,}"
