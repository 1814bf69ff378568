"""The price rows of disks, the settings that AWS refuses, and whether disks are encrypted."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.disk import (
    PROVISIONED_LIMITS,
    disk_faults,
    excess_performance_faults,
    iops_of,
    provisioned_faults,
    throughput_of,
)
from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.storage.disks import ObservedDisk, disks_of, standalone_disk
from gpuinfra.clouds.billing import GIB
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.rows import machine_item
from gpuinfra.clouds.observing.values import all_of, any_of, flag, opposite
from gpuinfra.model import UNKNOWN, Item, Known, Resource, Unknown
from gpuinfra.records import record


@record(kw_only=False)
class _Volume:
    """The billing of a volume type: its storage item, and items for use above the included."""

    storage: str
    iops: str = ""
    iops_included: int = 0
    throughput: str = ""
    throughput_included: int = 0


_VOLUMES: Final = {
    "gp3": _Volume("ebs-gp3-storage", "ebs-gp3-iops", 3000, "ebs-gp3-throughput", 125),
    "gp2": _Volume("ebs-gp2-storage"),
    "io1": _Volume("ebs-io1-storage", "ebs-io1-iops"),
    "io2": _Volume("ebs-io2-storage", "ebs-io2-iops-tier1"),
    "st1": _Volume("ebs-st1-storage"),
    "sc1": _Volume("ebs-sc1-storage"),
    "standard": _Volume("ebs-magnetic-storage"),
}
"""https://aws.amazon.com/ebs/pricing/"""

Row = tuple[str, str, Decimal | Unknown | None]
"""A price item, its unit and how much of it."""

_UNSAID: Final = "gp2"
"""EC2's default, and the more expensive of the two that images use (gp2, gp3): never too low."""


def disk_items(
    launch: LaunchSources,
    index: Index,
    subject: str,
    group_name: str,
    root_size_gib: Decimal | Unknown | None = None,
) -> tuple[Item, ...]:
    """Return the price rows of a machine's disks, each per machine and month.

    `root_size_gib` is the size of a root disk that the launch does not declare.
    """
    disks = disks_of(launch, index)
    if isinstance(disks, Unknown):
        return (
            machine_item(
                "aws", "disk", subject, group_name, "ebs-gp3-storage", "GB-month", UNKNOWN
            ),
        )
    disks = tuple(
        replace(disk, size=root_size_gib) if disk.size is None else disk for disk in disks
    )
    return tuple(item for disk in disks for item in _rows(disk, subject, group_name))


def disk_faults_of(
    launches: Sequence[LaunchSources], machines: Sequence[str], index: Index
) -> Iterator[str]:
    """Yield disk settings that AWS refuses, and those above a machine's limits.

    What is not known yet is no fault.
    """
    for launch in launches:
        disks = disks_of(launch, index)
        if isinstance(disks, Unknown):
            continue
        for disk in disks:
            yield from _limits(disk)
        performance = [_performance(disk) for disk in disks if disk.volume == "gp3"]
        operations, flow = (sum(column) for column in zip((0, 0), *performance, strict=True))
        for machine in machines:
            for fault in excess_performance_faults(machine, operations, flow):
                yield f"{fault.message}: {fault.allowed}"


def _limits(disk: ObservedDisk) -> Iterator[str]:
    for fault in _volume_kind_faults(disk):
        fault_text = f"{fault.message}: {fault.allowed}"
        yield f"{disk.device}: {fault_text}" if disk.device else fault_text


def _volume_kind_faults(disk: ObservedDisk) -> Iterator[KeyFault]:
    if not isinstance(disk.size, Decimal):
        return
    if isinstance(disk.volume, str) and disk.volume in PROVISIONED_LIMITS:
        operations = int(disk.iops) if isinstance(disk.iops, Decimal) else None
        yield from provisioned_faults(disk.volume, int(disk.size), operations)
    are_speeds_known = UNKNOWN not in (disk.iops, disk.throughput)
    if disk.volume == "gp3" and are_speeds_known:
        yield from disk_faults(int(disk.size) * GIB, *_performance(disk))


def _performance(disk: ObservedDisk) -> tuple[int, int]:
    """Return IOPS and MiB/s; unknown values count as the gp3 baseline."""
    figures = (disk.iops, disk.throughput)
    iops, throughput = (int(number) if isinstance(number, Decimal) else None for number in figures)
    return iops_of(iops), throughput_of(throughput)


def is_encrypted_by_default(resource: Resource, index: Index) -> Known:
    """Return whether the account's defaults encrypt every volume of a resource.

    UNKNOWN where one default says that it is and another that it is not: the last made holds.
    """
    switches = index.of_kind(resource_types.ENCRYPTION_DEFAULT)
    if not switches:
        return False
    from gpuinfra.clouds.aws.observe.launch.account_defaults import is_default_in_force  # noqa: PLC0415  (few have any)

    defaults = [
        (_is_on(switch), is_default_in_force(switch, "enabled", resource, index))
        for switch in switches
    ]
    is_on_somewhere = any_of(map(all_of, defaults))
    is_off_somewhere = any_of(
        all_of((opposite(enabled), holding)) for enabled, holding in defaults
    )
    return is_on_somewhere if is_off_somewhere is False else all_of((is_on_somewhere, UNKNOWN))


def _is_on(switch: Resource) -> Known:
    enabled = flag(switch.inputs.get("enabled"))
    return UNKNOWN if isinstance(enabled, Unknown) else enabled is not False


def volume_encrypted(volume: Resource, index: Index) -> Known:
    """Return whether a standalone volume is encrypted, which its snapshot may decide.

    Of one that exists its state tells, unless an update states another.
    """
    encrypted, output_value = flag(volume.inputs.get("encrypted")), volume.outputs.get("encrypted")
    if isinstance(output_value, bool) and encrypted in {None, output_value}:
        return output_value
    if encrypted is None:
        encrypted = UNKNOWN if volume.inputs.get("snapshotId") is not None else False
    return any_of((is_encrypted_by_default(volume, index), encrypted))


def volume_rows(spec: Any) -> Iterator[Row]:
    """Yield the price rows of a standalone volume, which its snapshot may size."""
    yield from _disk_price_rows(standalone_disk(spec))


def volume_faults(spec: Any) -> tuple[str, ...] | Unknown:
    """Return the refused settings of a standalone volume; UNKNOWN where not all is known."""
    disk = standalone_disk(spec)
    faults = tuple(_limits(disk))
    has_unknowns = UNKNOWN in (disk.volume, disk.size, disk.iops, disk.throughput)
    return UNKNOWN if has_unknowns and not faults else faults


def _rows(disk: ObservedDisk, subject: str, group: str) -> Iterator[Item]:
    name = f"disk {disk.device}"
    if disk.size is None:
        name = f"{name}, sized by its image"
    for item, unit, quantity in _disk_price_rows(disk):
        yield machine_item("aws", name, subject, group, item, unit, quantity)


def _disk_price_rows(disk: ObservedDisk) -> Iterator[Row]:
    kind = _UNSAID if disk.volume is None else disk.volume
    volume = _VOLUMES.get(kind) if isinstance(kind, str) else _VOLUMES[_UNSAID]
    if volume is None:
        yield f"ebs-{kind}-storage", "GB-month", UNKNOWN
        return
    yield volume.storage, "GB-month", UNKNOWN if isinstance(kind, Unknown) else disk.size
    extras = (
        (volume.iops, disk.iops, volume.iops_included, "IOPS-month"),
        (volume.throughput, disk.throughput, volume.throughput_included, "MBps-month"),
    )
    for item, quantity, included, unit in extras:
        if not item or quantity is None:
            continue
        charged_quantity = quantity if isinstance(quantity, Unknown) else quantity - included
        if isinstance(charged_quantity, Unknown) or charged_quantity > 0:
            yield item, unit, charged_quantity
