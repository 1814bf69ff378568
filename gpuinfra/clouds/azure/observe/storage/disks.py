"""The disks of machines and standalone disks, and their price rows."""

import math
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.azure.disk import MIN_GIB, DiskTier, tier_of
from gpuinfra.clouds.azure.images import disk_size_of
from gpuinfra.clouds.azure.observe.launch.launch_settings import Profile
from gpuinfra.clouds.observing.values import amount, as_list, at, flag, text, whole_number
from gpuinfra.model import UNKNOWN, Item, Resource, Unknown
from gpuinfra.records import record

_COPY_OPTIONS: Final = frozenset({"copy", "restore"})
_ATTACH_OPTION: Final = "attach"
"""A disk that exists already is paid as the resource that it is."""


@record(kw_only=False)
class ObservedDisk:
    """A managed disk: GiB, IOPS and MB/s as written.

    `by_image` says that its image decides how large it is. `tier` is one of a premium disk
    that is chosen above its size, and `extras` what is paid besides and has no known price.
    `read_only` are the IOPS and MB/s of a shared disk's read-only mounts, by their price item.
    """

    name: str
    kind: str | Unknown | None
    gib: Decimal | Unknown
    iops: Decimal | Unknown | None = None
    throughput: Decimal | Unknown | None = None
    tier: str | Unknown | None = None
    extras: tuple[str, ...] = ()
    by_image: bool = False
    read_only: tuple[tuple[str, Decimal | Unknown], ...] = ()


@record(kw_only=False)
class TieredDisks:
    """Disks billed monthly by size tier; `item` is the prefix of their price items."""

    item: str
    smallest: int = 4


@record(kw_only=False)
class MeteredDisks:
    """Disks billed by provisioned size and performance: price items and included amounts.

    Their size counts by the GiB: https://learn.microsoft.com/azure/virtual-machines/disks-types
    """

    item: str
    iops: int
    throughput: int


KINDS: Final[dict[str, TieredDisks | MeteredDisks]] = {
    "premium_lrs": TieredDisks("disk-premium-p"),
    "premium_zrs": TieredDisks("disk-premium-zrs-p"),
    "standardssd_lrs": TieredDisks("disk-standard-ssd-e"),
    "standardssd_zrs": TieredDisks("disk-standard-ssd-zrs-e"),
    "standard_lrs": TieredDisks("disk-standard-hdd-s", 32),
    "premiumv2_lrs": MeteredDisks("disk-premium-ssd-v2", 3000, 125),
    "ultrassd_lrs": MeteredDisks("disk-ultra", 0, 0),
}
"""The tiers of all kinds have the sizes of premium disks:
https://learn.microsoft.com/azure/virtual-machines/disks-types"""

UNSAID: Final = "premium_lrs"
"""The type that counts where a machine's disk states none: the most expensive for an OS disk."""


def disks_of(profile: Profile) -> tuple[ObservedDisk, ...] | Unknown:
    """Return the disks created with a machine; the OS disk exists even if not declared."""
    storage = profile.get("storageProfile")
    data = at(storage, "dataDisks")
    if isinstance(storage, Unknown) or isinstance(data, Unknown):
        return UNKNOWN
    os_disk = at(storage, "osDisk")
    disks = [] if _is_free_here(os_disk) else [_os_disk(os_disk, at(storage, "imageReference"))]
    disks += [
        _disk(f"data disk {disk_index}", spec)
        for disk_index, spec in enumerate(as_list(data))
        if not _is_free_here(spec)
    ]
    return tuple(disks)


def _stated_size(size: Any) -> Decimal | Unknown:
    """Return a disk's GiB; UNKNOWN where they are not stated and its source decides.

    https://learn.microsoft.com/rest/api/compute/virtual-machines/create-or-update#diskcreateoptiontypes
    """
    gib = amount(size)
    return UNKNOWN if gib is None else gib


def _os_disk(spec: Any, image: Any) -> ObservedDisk:
    """Return a machine's own disk, as large as its image where no size is stated."""
    disk = _disk("OS disk", spec)
    option = at(spec, "createOption")
    is_copied = isinstance(option, str) and option.lower() in _COPY_OPTIONS
    if is_copied or at(spec, "diskSizeGB") is not None:
        return disk
    return replace(disk, gib=disk_size_of(image), by_image=True)


def disk_of(resource: Resource) -> ObservedDisk:
    """Return a standalone disk."""
    inputs = resource.inputs
    return ObservedDisk(
        resource.name,
        text(at(inputs.get("sku"), "name")) or "standard_lrs",
        _stated_size(inputs.get("diskSizeGB")),
        amount(inputs.get("diskIOPSReadWrite")),
        amount(inputs.get("diskMBpsReadWrite")),
        text(inputs.get("tier")),
        tuple(_extras(inputs)),
        read_only=tuple(_read_only(inputs)),
    )


def _read_only(inputs: Any) -> Iterator[tuple[str, Decimal | Unknown]]:
    """Yield the read-only IOPS and MB/s that a shared disk is billed for; UNKNOWN if not stated.

    https://learn.microsoft.com/azure/virtual-machines/disks-shared#ultra-disk-performance-throttles
    """
    if not _is_shared(inputs):
        return
    for figure_name, key in (("iops", "diskIOPSReadOnly"), ("throughput", "diskMBpsReadOnly")):
        figure = amount(inputs.get(key))
        yield figure_name, UNKNOWN if figure is None else figure


def _is_shared(inputs: Any) -> bool:
    return whole_number(inputs.get("maxShares")) not in {None, 1}


def _extras(inputs: Any) -> Iterator[str]:
    """Yield the charges of a tiered disk other than for its size.

    https://learn.microsoft.com/azure/virtual-machines/disks-shared#billing-implications
    https://learn.microsoft.com/azure/virtual-machines/disk-bursting#on-demand-bursting
    """
    if _is_shared(inputs):
        yield "shares"
    if flag(inputs.get("burstingEnabled")) not in {None, False}:
        yield "bursting"


def disk_items(
    disks: tuple[ObservedDisk, ...] | Unknown,
    subject: str,
    *,
    group: str | None = None,
    region: str | None = None,
) -> tuple[Item, ...]:
    """Return the rows of disks: of each machine of a group, or of a standalone disk."""
    if isinstance(disks, Unknown):
        disks = (ObservedDisk("disk", UNKNOWN, UNKNOWN),)
    return tuple(
        Item(
            name=name,
            subject=subject,
            kind="disk",
            cloud="azure",
            item=item,
            unit=unit,
            quantity=quantity,
            region=region,
            group=group,
            per_machine=group is not None,
            resource=subject,
            quantity_hint=_unstated_input(disk, item, quantity),
        )
        for disk in disks
        for name, item, unit, quantity in _rows(disk)
    )


def _unstated_input(disk: ObservedDisk, item: str, quantity: Decimal | Unknown | None) -> str:
    """Return which input of a disk to state, where Azure's default decides a quantity."""
    inputs = {
        "iops": ("diskIOPSReadWrite", disk.iops),
        "throughput": ("diskMBpsReadWrite", disk.throughput),
    }
    key, value = inputs.get(item.rpartition("-")[2], ("", UNKNOWN))
    if not isinstance(quantity, Unknown) or value is not None or disk.read_only:
        return ""
    return f"the disk does not state {key}, and Azure's default is not known: set {key}"


_Row = tuple[str, str, str, Decimal | Unknown | None]


def _rows(disk: ObservedDisk) -> Iterator[_Row]:
    disk_kind = UNSAID if disk.kind is None else disk.kind
    kind = KINDS.get(disk_kind.lower()) if isinstance(disk_kind, str) else KINDS[UNSAID]
    if kind is None:
        yield disk.name, f"disk-{str(disk_kind).lower()}", "month", UNKNOWN
    elif isinstance(kind, MeteredDisks):
        yield from _metered_price_rows(disk, kind)
    else:
        yield _tier(disk, kind, is_size_known=not isinstance(disk_kind, Unknown))
        for extra in disk.extras:
            yield f"{disk.name}, {extra}", f"{kind.item}-{extra}", "month", UNKNOWN


def _tier(disk: ObservedDisk, kind: TieredDisks, *, is_size_known: bool) -> _Row:
    """Return a tiered disk's row; one of unknown size gets the smallest HPC image's price."""
    size_gib = disk.gib
    size = math.ceil(size_gib) if isinstance(size_gib, Decimal) else MIN_GIB
    tier = tier_of(max(size, kind.smallest))
    item = f"{kind.item}{_number(disk, tier)}"
    quantity = Decimal(1) if isinstance(size_gib, Decimal) else size_gib
    name = f"{disk.name}, sized by its image" if disk.by_image else disk.name
    is_size_known = is_size_known and not isinstance(disk.tier, Unknown)
    return name, item, "month", quantity if is_size_known else UNKNOWN


def _number(disk: ObservedDisk, tier: DiskTier | None) -> str:
    """Return the number of the tier that a disk is billed as: by its size, or a chosen one.

    https://learn.microsoft.com/azure/virtual-machines/disks-change-performance#billing-impact
    """
    by_size = tier.tier[1:] if tier else "-none"
    return disk.tier[1:] if isinstance(disk.tier, str) else by_size


def _metered_price_rows(disk: ObservedDisk, kind: MeteredDisks) -> Iterator[_Row]:
    yield disk.name, f"{kind.item}-storage", "GB-month", disk.gib
    extras = (
        ("iops", disk.iops, kind.iops, "IOPS-month"),
        ("throughput", disk.throughput, kind.throughput, "MBps-month"),
    )
    shared = dict(disk.read_only)
    for part, chosen_amount, included, unit in extras:
        charged = Decimal(included) if chosen_amount is None and included else chosen_amount
        included_amount = shared.get(part, Decimal(0))
        over: Decimal | Unknown = UNKNOWN
        if isinstance(charged, Decimal) and isinstance(included_amount, Decimal):
            over = charged + included_amount - included
        if isinstance(over, Unknown) or over > 0:
            yield disk.name, f"{kind.item}-{part}", unit, over


def _disk(name: str, spec: Any) -> ObservedDisk:
    return ObservedDisk(
        name,
        text(at(spec, "managedDisk", "storageAccountType")),
        _stated_size(at(spec, "diskSizeGB")),
        amount(at(spec, "diskIOPSReadWrite")),
        amount(at(spec, "diskMBpsReadWrite")),
    )


def _is_free_here(spec: Any) -> bool:
    """Return whether a disk costs nothing here: on local storage, or created elsewhere."""
    option = at(spec, "createOption")
    is_attached = isinstance(option, str) and option.lower() == _ATTACH_OPTION
    return is_attached or at(spec, "diffDiskSettings", "option") == "Local"
