"""The limits of AKS node pools: the size of their OS disks, and the number of their nodes."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.values import amount, at
from gpuinfra.model import Unknown


def os_disk_faults(spec: Any) -> Iterator[str]:
    """Yield the size of an OS disk that AKS refuses; 0 is the default."""
    size = amount(at(spec, "osDiskSizeGB"))
    if size != 0:
        yield from _faults("osDiskSizeGB", size, "an OS disk of {} GB")


def count_faults(most: int | Unknown | None) -> Iterator[str]:
    """Yield a number of nodes that AKS refuses."""
    yield from _faults("count", most, "{} nodes in a pool")


def _faults(key: str, number: Decimal | int | Unknown | None, subject: str) -> Iterator[str]:
    bounds = {row["input"]: (row["least"], row["most"]) for row in TABLES.rows("pool_limits")}
    least, most = bounds[key]
    if isinstance(number, (Decimal, int)) and not least <= number <= most:
        stated = subject.format(f"{Decimal(number):,f}")
        yield f"AKS does not support {stated}: use {least:,} to {most:,}"
