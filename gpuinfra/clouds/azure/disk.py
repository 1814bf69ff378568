"""A machine's own disk (premium SSD): its tier, its price item and its limits."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.billing import gib
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import Machine
from gpuinfra.records import names, record

MAX_GIB: Final = 4_095
"""An OS disk's limit: https://learn.microsoft.com/azure/virtual-machines/managed-disks-overview"""

MIN_GIB: Final = 64
"""The OS disk that the HPC images are made with, below which no disk is made from them:
https://github.com/Azure/azhpc-images/blob/8e9d055/packer/source.pkr.hcl"""


@record
class DiskTier:
    """A tier of premium disks: its GiB, operations and MB per second, and its price item."""

    tier: str
    gib: int
    iops: int
    throughput: int
    item: str


def tier_of(volume: int) -> DiskTier | None:
    """Return the smallest tier with this many GiB, which is billed; None when none has them."""
    return next((tier for tier in _tiers() if tier.gib >= volume), None)


def disk_faults(
    size: int,
    iops: int | None,
    throughput: int | None,
    machine: Machine | None = None,  # noqa: ARG001  every size has the same kind of disk
) -> Iterator[KeyFault]:
    """Yield the settings that Azure refuses or ignores; a tier's operations can't be chosen."""
    volume = gib(size)
    if not MIN_GIB <= volume <= MAX_GIB:
        yield KeyFault(
            key=("disk", "size"),
            message=f"the HPC images don't support an OS disk of {volume:,} GiB",
            allowed=f"{MIN_GIB}GiB to {MAX_GIB}GiB",
        )
    tier = tier_of(min(volume, MAX_GIB))
    if tier is None:
        return
    for key, chosen_value, unit in (("iops", iops, "IOPS"), ("throughput", throughput, "MB/s")):
        tier_value = getattr(tier, key)
        if chosen_value not in {None, tier_value}:
            yield KeyFault(
                key=("disk", key),
                message=f"the size of a premium disk sets its {unit}: "
                f"one of {min(volume, MAX_GIB):,} GiB ({tier.tier}) has {tier_value:,}",
                allowed=_allowed_text(key, chosen_value or 0, tier_value, unit),
            )


def _allowed_text(key: str, value: int, tier_value: int, unit: str) -> str:
    """Return the tier's own value, and the next size with the requested one."""
    own_value_text = f"{tier_value:,}, or remove {key}"
    larger = next(
        (tier for tier in _tiers() if getattr(tier, key) >= value and tier.gib <= MAX_GIB + 1),
        None,
    )
    if value < tier_value or larger is None:
        return own_value_text
    size = f"{min(larger.gib, MAX_GIB)}GiB"
    return (
        f"{own_value_text}; a disk of {size} ({larger.tier}) has {getattr(larger, key):,} {unit}"
    )


@cache
def _tiers() -> tuple[DiskTier, ...]:
    """Return all tiers, the smallest first."""
    return tuple(
        DiskTier(**{name: row[name] for name in names(DiskTier)}) for row in TABLES.rows("disks")
    )
