"""The disks of a machine, and their price rows."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.gcp.disk import boot_disk
from gpuinfra.clouds.gcp.images import disk_size_of
from gpuinfra.clouds.gcp.observe.index import last_part
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.rows import machine_item
from gpuinfra.clouds.observing.values import amount, as_list, at, flag, text
from gpuinfra.model import UNKNOWN, Item, Machine, Unknown
from gpuinfra.records import record

LOCAL: Final = "local-ssd"
_LOCAL_SIZE: Final = Decimal(375)
"""GiB of a local SSD: https://docs.cloud.google.com/compute/docs/disks/local-ssd"""

_TEMPLATES: Final = "pd-standard"
"""The default type of a template's disk, for every machine type:
https://github.com/hashicorp/terraform-provider-google resource_compute_instance_template.go"""

_EXTRAS: Final = {"iops": "IOPS-month", "throughput": "MBps-month"}


@record(kw_only=False)
class ObservedDisk:
    """A disk of a machine: GiB, IOPS and MiB/s as written, and whether its image sizes it.

    `regional` is copied to a second zone, or may be.
    """

    name: str
    kind: str | Unknown | None
    size: Decimal | Unknown
    iops: Decimal | Unknown | None = None
    throughput: Decimal | Unknown | None = None
    image: Any = None
    boot: bool = False
    by_image: bool = False
    regional: bool = False


def disks_of(launch: LaunchSources) -> tuple[ObservedDisk, ...] | Unknown:
    """Return the disks that come with a machine.

    A disk that exists already (`source`) is paid as a resource of its own.
    """
    boot, scratch, disks = (launch.get(key) for key in ("bootDisk", "scratchDisks", "disks"))
    if UNKNOWN in (boot, scratch, disks):
        return UNKNOWN
    boot_disks = [] if boot is None else list(_instance_disks(boot))
    boot_disks += [
        ObservedDisk("local disk", LOCAL, amount(at(local, "size")) or _LOCAL_SIZE)
        for local in as_list(scratch)
    ]
    has_own_boot = boot is not None
    templates = [disk for entry in as_list(disks) for disk in _template_disks(entry)]
    return (
        *boot_disks,
        *(template for template in templates if not (has_own_boot and template.boot)),
    )


def boot_image(launch: LaunchSources) -> Any:
    """Return the image that a machine starts from."""
    disk = _boot(launch)
    return disk if isinstance(disk, Unknown) or disk is None else disk.image


def image_of(launch: LaunchSources) -> str | None:
    """Return the image that a machine starts from as it is written; None where it is not known."""
    image = boot_image(launch)
    return image if isinstance(image, str) and image else None


def _boot(launch: LaunchSources) -> ObservedDisk | Unknown | None:
    disks = disks_of(launch)
    if isinstance(disks, Unknown):
        return UNKNOWN
    return next((disk for disk in disks if disk.boot), None)


def _instance_disks(boot: Any) -> Iterator[ObservedDisk]:
    spec = at(boot, "initializeParams")
    if at(boot, "source") is None:
        disk = _disk("boot disk", spec, "type", "size", "image", boot=True)
        yield replace(disk, regional=bool(at(spec, "replicaZones")))


def _template_disks(disk: Any) -> Iterator[ObservedDisk]:
    if at(disk, "source") is not None:
        return
    kind = text(at(disk, "diskType"))
    is_scratch = text(at(disk, "type")) == "SCRATCH" or (
        isinstance(kind, str) and last_part(kind) == LOCAL
    )
    if is_scratch:
        yield ObservedDisk("local disk", LOCAL, amount(at(disk, "diskSizeGb")) or _LOCAL_SIZE)
        return
    flagged = flag(at(disk, "boot"))
    boot = at(disk, "sourceImage") is not None if flagged is None else flagged is not False
    name = text(at(disk, "deviceName"))
    label = "boot disk" if boot else f"disk {name}" if isinstance(name, str) else "disk"
    declared_disk = _disk(label, disk, "diskType", "diskSizeGb", "sourceImage", boot=boot)
    yield replace(declared_disk, kind=_TEMPLATES) if declared_disk.kind is None else declared_disk


_SOURCE_INPUTS: Final = (
    *("snapshot", "sourceSnapshot", "sourceInstantSnapshot", "sourceDisk"),
    *("sourceStorageObject", "sourceMachineImage"),
)
"""What a disk is a copy of, at least of its size."""


def disk_size(size: Any, spec: Any, image: Any) -> Decimal | Unknown:
    """Return the GB of a disk: as stated, or those of its image where a table has them."""
    gb = amount(size)
    if gb is not None:
        return gb
    is_copied = any(at(spec, key) is not None for key in _SOURCE_INPUTS)
    return UNKNOWN if is_copied else disk_size_of(image)


def _disk(name: str, spec: Any, *keys: str, boot: bool) -> ObservedDisk:
    kind, size, image = (at(spec, key) for key in keys)
    kind_text = text(kind)
    return ObservedDisk(
        name,
        last_part(kind_text) if isinstance(kind_text, str) else kind_text,
        disk_size(size, spec, image),
        amount(at(spec, "provisionedIops")),
        amount(at(spec, "provisionedThroughput")),
        image,
        boot,
        by_image=size is None and image is not None,
    )


def _name(disk: ObservedDisk) -> str:
    return f"{disk.name}, sized by its image" if disk.by_image else disk.name


def disk_items(
    launch: LaunchSources, machines: Sequence[Machine], subject: str, group: str
) -> tuple[Item, ...]:
    """Return the rows of a machine's disks, each per machine and for a month.

    Local disks that come with the machine type are in its price.
    """
    disks = disks_of(launch)
    if isinstance(disks, Unknown):
        return (
            machine_item(
                "gcp", "disk", subject, group, "pd-balanced-storage", "GB-month", UNKNOWN
            ),
        )
    are_disks_bundled = bool(machines) and all(machine.local_storage_gb for machine in machines)
    default_type = boot_disk(machines[0] if machines else None).type
    return tuple(
        replace(
            machine_item("gcp", _name(disk), subject, group, item, unit, quantity),
            quantity_hint=unstated,
        )
        for disk in disks
        if not (are_disks_bundled and disk.kind == LOCAL)
        for item, unit, quantity, unstated in disk_rows(disk, default_type)
    )


def disk_rows(
    disk: ObservedDisk, default_type: str
) -> Iterator[tuple[str, str, Decimal | Unknown, str]]:
    """Yield the billed items of a disk: item, unit, quantity, and which input to state.

    `default_type` is the type that counts by default. IOPS and throughput that are billed
    and not stated are Google's default, and unknown.
    """
    suffix = "-regional" if disk.regional else ""
    kind = disk.kind if isinstance(disk.kind, str) else default_type
    size = UNKNOWN if isinstance(disk.kind, Unknown) else disk.size
    by_image = disk.by_image and isinstance(disk.size, Unknown)
    yield (
        f"{kind}{suffix}-storage",
        "GB-month",
        size,
        _IMAGE_SIZE_UNKNOWN.format(disk.name) * by_image,
    )
    table = TABLES.table("disks")
    limits = table["limits"].get(kind, {})
    for key in table["metered"].get(kind, ()):
        value = disk.iops if key == "iops" else disk.throughput
        included = limits.get(f"included_{key}") or 0
        charged = value - included if isinstance(value, Decimal) else UNKNOWN
        if isinstance(charged, Unknown) or charged > 0:
            unstated = "" if value is not None else _missing_input_text(disk.name, key, included)
            yield f"{kind}-{key}", _EXTRAS[key], charged, unstated


_IMAGE_SIZE_UNKNOWN: Final = (
    "the {} states no size, and that of its image is not known: set its size"
)


def _missing_input_text(name: str, key: str, included: int) -> str:
    """Return which input of a disk to state: the included value, where a table has one."""
    missing = f"provisioned_{key}"
    missing_text = (
        f"the {name} does not state {missing}, and Google's default is not known: set {missing}"
    )
    return f"{missing_text} to {included}, which costs nothing more" if included else missing_text
