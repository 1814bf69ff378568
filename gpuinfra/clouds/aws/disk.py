"""A machine's own disk (EBS gp3): its size as AWS bills it, its price items and its limits."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import Final, NamedTuple

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.billing import gib
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import Machine

BASE_IOPS: Final = 3_000
BASE_THROUGHPUT: Final = 125
"""The IOPS and MiB/s included with every gp3 volume:
https://aws.amazon.com/ebs/general-purpose/"""

MAX_GIB: Final = 65_536
MAX_IOPS: Final = 80_000
MAX_THROUGHPUT: Final = 2_000
IOPS_PER_GIB: Final = 500
THROUGHPUT_PER_IOPS: Final = Decimal("0.25")
"""The limits of gp3 since September 2025:
https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html"""


class VolumeLimits(NamedTuple):
    """The limits of a volume with provisioned IOPS: GiB, IOPS, and IOPS per GiB."""

    least_gib: int
    most_gib: int
    most_iops: int
    per_gib: int


LEAST_IOPS: Final = 100
PROVISIONED_LIMITS: Final = {
    "io1": VolumeLimits(4, 16_384, 64_000, 50),
    "io2": VolumeLimits(4, 65_536, 256_000, 1_000),
}
"""https://docs.aws.amazon.com/ebs/latest/userguide/provisioned-iops.html"""


def iops_of(iops: int | None) -> int:
    """Return the IOPS of a volume; the free baseline where none are stated."""
    return BASE_IOPS if iops is None else iops


def throughput_of(throughput: int | None) -> int:
    """Return the MiB per second of a volume; the free baseline where none are stated."""
    return BASE_THROUGHPUT if throughput is None else throughput


def disk_faults(
    size: int, iops: int | None, throughput: int | None, machine: Machine | None = None
) -> Iterator[KeyFault]:
    """Yield the settings that gp3 would refuse, and those above the machine's limits."""
    volume, operations, flow = gib(size), iops_of(iops), throughput_of(throughput)
    if volume > MAX_GIB:
        yield KeyFault(
            key=("disk", "size"),
            message="the disk is larger than the gp3 maximum",
            allowed="at most 64TiB",
        )
    most = max(BASE_IOPS, min(MAX_IOPS, volume * IOPS_PER_GIB))
    if not BASE_IOPS <= operations <= most:
        yield KeyFault(
            key=("disk", "iops"),
            message=f"a gp3 disk of {volume:,} GiB does not support {operations:,} IOPS",
            allowed=f"{BASE_IOPS:,} to {most:,} ({IOPS_PER_GIB} per GiB, at most {MAX_IOPS:,})",
        )
    fastest = min(MAX_THROUGHPUT, int(operations * THROUGHPUT_PER_IOPS))
    if not BASE_THROUGHPUT <= flow <= max(BASE_THROUGHPUT, fastest):
        yield KeyFault(
            key=("disk", "throughput"),
            message=f"a gp3 disk with {operations:,} IOPS does not support {flow:,} MiB/s",
            allowed=f"{BASE_THROUGHPUT} to {max(BASE_THROUGHPUT, fastest):,} "
            f"({THROUGHPUT_PER_IOPS} per IOPS, at most {MAX_THROUGHPUT:,})",
        )
    if machine is not None:
        yield from excess_performance_faults(machine.type, operations, flow)


def provisioned_faults(kind: str, size: int, operations: int | None) -> Iterator[KeyFault]:
    """Yield the settings that a volume type with provisioned IOPS does not accept.

    Args:
        kind: a key of PROVISIONED.
        size: in GiB.
        operations: IOPS; None where they are not stated yet.
    """
    limits = PROVISIONED_LIMITS[kind]
    if not limits.least_gib <= size <= limits.most_gib:
        yield KeyFault(
            key=("disk", "size"),
            message=f"an {kind} disk can't have {size:,} GiB",
            allowed=f"{limits.least_gib:,} to {limits.most_gib:,} GiB",
        )
        return
    most = min(limits.most_iops, size * limits.per_gib)
    if operations is not None and not LEAST_IOPS <= operations <= most:
        yield KeyFault(
            key=("disk", "iops"),
            message=f"an {kind} disk of {size:,} GiB does not support {operations:,} IOPS",
            allowed=f"{LEAST_IOPS:,} to {most:,} ({limits.per_gib:,} per GiB, at most"
            f" {limits.most_iops:,})",
        )


def excess_performance_faults(machine: str, operations: int, flow: int) -> Iterator[KeyFault]:
    """Yield the disk performance above their machine's limit, which is billed but unusable.

    Args:
        machine: its type; of one that no table knows nothing is said.
        operations: IOPS of its disks together.
        flow: MiB/s of its disks together.
    """
    ebs_limits = _ebs_limits_by_machine().get(machine)
    if ebs_limits is None:
        return
    iops, megabytes = ebs_limits
    most = int(megabytes * 10**6 / 2**20)
    if operations > max(iops, BASE_IOPS):
        yield KeyFault(
            key=("disk", "iops"),
            message=f"{machine} supports {iops:,} IOPS to its disks; the disk has {operations:,}",
            allowed=f"at most {iops:,}",
        )
    if flow > max(most, BASE_THROUGHPUT):
        yield KeyFault(
            key=("disk", "throughput"),
            message=f"{machine} supports {most:,} MiB/s to its disks; the disk has {flow:,}",
            allowed=f"at most {most:,}",
        )


@cache
def _ebs_limits_by_machine() -> Mapping[str, tuple[int, Decimal]]:
    """Return machines' limits for their EBS volumes: IOPS, and MB/s of 10^6 bytes."""
    return {
        row["type"]: (row["iops"], Decimal(row["mb_per_second"])) for row in TABLES.rows("ebs")
    }
