"""The disks of a machine, and their price items."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.disk import (
    PROVISIONED,
    beyond,
    disk_faults,
    iops_of,
    provisioned_faults,
    throughput_of,
)
from gpuinfra.clouds.aws.observe import kinds
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.billing import GIB
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.values import (
    all_of,
    amount,
    any_of,
    at,
    flag,
    listed,
    opposite,
    text,
)
from gpuinfra.clouds.wordfaults import WordFault
from gpuinfra.model import UNKNOWN, Item, Known, Resource, Unknown
from gpuinfra.records import record

ROOT_DEVICES: Final = frozenset({"/dev/sda1", "/dev/xvda"})
"""https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/device_naming.html"""

_UNNAMED: Final = "of an unknown name"
"""A disk whose device is not known yet may be the root disk, which images name themselves."""


@record(kw_only=False)
class Disk:
    """One EBS volume of a machine: GiB (None: the image decides), IOPS and MiB/s as written."""

    device: str
    volume: str | Unknown | None
    size: Decimal | Unknown | None
    iops: Decimal | Unknown | None
    throughput: Decimal | Unknown | None
    encrypted: Known


def disks_of(launch: Layers) -> tuple[Disk, ...] | Unknown:
    """Return the EBS disks of a machine; a root disk that is not declared comes with the image."""
    parts = [launch.get(key) for key in ("rootBlockDevice", "ebsBlockDevices")]
    mappings = launch.get("blockDeviceMappings")
    if isinstance(mappings, Unknown) or any(isinstance(part, Unknown) for part in parts):
        return UNKNOWN
    disks = list(_instance_disks(launch))
    own_root = any(disk.device in ROOT_DEVICES for disk in disks)
    disks += [
        disk
        for disk in _template_disks(mappings)
        if not (own_root and disk.device in ROOT_DEVICES)
    ]
    if not any(disk.device in {*ROOT_DEVICES, _UNNAMED} for disk in disks):
        disks.insert(0, Disk("/dev/xvda", None, None, None, None, UNKNOWN))
    return tuple(disks)


def _instance_disks(launch: Layers) -> Iterator[Disk]:
    root = launch.get("rootBlockDevice")
    if root is not None:
        yield _disk("/dev/xvda", root)
    for device in listed(launch.get("ebsBlockDevices")):
        name = text(at(device, "deviceName"))
        yield _disk(name if isinstance(name, str) else _UNNAMED, device)


def _template_disks(mappings: Any) -> Iterator[Disk]:
    for mapping in listed(mappings):
        ebs = at(mapping, "ebs")
        if ebs is None:
            continue
        name = text(at(mapping, "deviceName"))
        yield _disk(name if isinstance(name, str) else _UNNAMED, ebs)


def _disk(device: str, spec: Any) -> Disk:
    encrypted = flag(at(spec, "encrypted"))
    inherited = at(spec, "snapshotId") is not None
    return Disk(
        device,
        text(at(spec, "volumeType")),
        _sized(at(spec, "volumeSize"), spec),
        amount(at(spec, "iops")),
        amount(at(spec, "throughput")),
        (UNKNOWN if inherited else False) if encrypted is None else encrypted,
    )


@record(kw_only=False)
class _Volume:
    """How a volume type is billed: its storage item, and items for what exceeds the included."""

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
    launch: Layers, subject: str, group: str, sized: Decimal | Unknown | None = None
) -> tuple[Item, ...]:
    """Return the rows of a machine's disks, each per machine and for a month.

    `sized` is the size in GiB of a root disk that the launch does not declare.
    """
    disks = disks_of(launch)
    if isinstance(disks, Unknown):
        return (_item("disk", subject, group, "ebs-gp3-storage", "GB-month", UNKNOWN),)
    disks = tuple(replace(disk, size=sized) if disk.size is None else disk for disk in disks)
    return tuple(item for disk in disks for item in _rows(disk, subject, group))


def disk_faults_of(launches: Sequence[Layers], machines: Sequence[str]) -> Iterator[str]:
    """Name what AWS refuses of a group's disks, and what each machine does not carry (A10).

    What is not known yet is no fault.
    """
    for launch in launches:
        disks = disks_of(launch)
        if isinstance(disks, Unknown):
            continue
        for disk in disks:
            yield from _limits(disk)
        performance = [_performance(disk) for disk in disks if disk.volume == "gp3"]
        operations, flow = (sum(column) for column in zip((0, 0), *performance, strict=True))
        for machine in machines:
            for fault in beyond(machine, operations, flow):
                yield f"{fault.message}: {fault.allowed}"


def _limits(disk: Disk) -> Iterator[str]:
    for fault in _of_kind(disk):
        words = f"{fault.message}: {fault.allowed}"
        yield f"{disk.device}: {words}" if disk.device else words


def _of_kind(disk: Disk) -> Iterator[WordFault]:
    if not isinstance(disk.size, Decimal):
        return
    if isinstance(disk.volume, str) and disk.volume in PROVISIONED:
        operations = int(disk.iops) if isinstance(disk.iops, Decimal) else None
        yield from provisioned_faults(disk.volume, int(disk.size), operations)
    known = UNKNOWN not in (disk.iops, disk.throughput)
    if disk.volume == "gp3" and known:
        yield from disk_faults(int(disk.size) * GIB, *_performance(disk))


def _performance(disk: Disk) -> tuple[int, int]:
    """Operations and MiB/s; what is not known counts as what comes with every gp3 volume."""
    known = (disk.iops, disk.throughput)
    iops, throughput = (int(number) if isinstance(number, Decimal) else None for number in known)
    return iops_of(iops), throughput_of(throughput)


def by_default(resource: Resource, index: Index) -> Known:
    """Whether every volume of a resource is encrypted, regardless of its declaration.

    UNKNOWN where one default says that it is and another that it is not: the last made holds.
    """
    switches = index.of(kinds.ENCRYPTION_DEFAULT)
    if not switches:
        return False
    from gpuinfra.clouds.aws.observe.defaults import holds  # noqa: PLC0415  (few have any)

    held = [(_is_on(switch), holds(switch, "enabled", resource, index)) for switch in switches]
    on = any_of(map(all_of, held))
    off = any_of(all_of((opposite(enabled), holding)) for enabled, holding in held)
    return on if off is False else all_of((on, UNKNOWN))


def _is_on(switch: Resource) -> Known:
    enabled = flag(switch.inputs.get("enabled"))
    return UNKNOWN if isinstance(enabled, Unknown) else enabled is not False


def volume_encrypted(volume: Resource, index: Index) -> Known:
    """Whether a volume that stands by itself is encrypted; a snapshot may be what decides.

    Of one that exists its state tells, unless an update states another.
    """
    encrypted, shown = flag(volume.inputs.get("encrypted")), volume.outputs.get("encrypted")
    if isinstance(shown, bool) and encrypted in {None, shown}:
        return shown
    if encrypted is None:
        encrypted = UNKNOWN if volume.inputs.get("snapshotId") is not None else False
    return any_of((by_default(volume, index), encrypted))


def volume_rows(spec: Any) -> Iterator[Row]:
    """Return the rows of a volume that stands by itself; a snapshot may be what sizes it."""
    yield from _paid(_alone(spec))


def volume_faults(spec: Any) -> tuple[str, ...] | Unknown:
    """Name what AWS refuses of a volume that stands by itself; UNKNOWN where not all is known."""
    disk = _alone(spec)
    faults = tuple(_limits(disk))
    hidden = UNKNOWN in (disk.volume, disk.size, disk.iops, disk.throughput)
    return UNKNOWN if hidden and not faults else faults


def _sized(size: Any, spec: Any) -> Decimal | Unknown | None:
    """GiB of a volume; UNKNOWN where a snapshot decides, which may be of any size."""
    gib = amount(size)
    return UNKNOWN if gib is None and at(spec, "snapshotId") is not None else gib


def _alone(spec: Any) -> Disk:
    return Disk(
        "",
        text(at(spec, "type")),
        _sized(at(spec, "size"), spec),
        amount(at(spec, "iops")),
        amount(at(spec, "throughput")),
        UNKNOWN,
    )


def _rows(disk: Disk, subject: str, group: str) -> Iterator[Item]:
    name = f"disk {disk.device}"
    if disk.size is None:
        name = f"{name}, sized by its image"
    for item, unit, quantity in _paid(disk):
        yield _item(name, subject, group, item, unit, quantity)


def _paid(disk: Disk) -> Iterator[Row]:
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
        over = quantity if isinstance(quantity, Unknown) else quantity - included
        if isinstance(over, Unknown) or over > 0:
            yield item, unit, over


def _item(
    name: str, subject: str, group: str, item: str, unit: str, quantity: Decimal | Unknown | None
) -> Item:
    return Item(
        name=name,
        subject=subject,
        kind="disk",
        cloud="aws",
        item=item,
        unit=unit,
        quantity=quantity,
        group=group,
        per_machine=True,
        resource=subject,
    )
