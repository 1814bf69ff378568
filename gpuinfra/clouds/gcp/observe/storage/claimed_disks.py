"""The price items of disks and shares that claims of Kubernetes objects make on GKE."""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.gcp.observe.storage import claimed_shares
from gpuinfra.clouds.gcp.observe.storage.disks import ObservedDisk, disk_rows
from gpuinfra.clouds.observing.disk_claims import DiskClaim
from gpuinfra.clouds.observing.free_cases import gib_of
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.clouds.observing.values import amount, is_on, text
from gpuinfra.model import UNKNOWN, Item, Resource, Unknown

_UNSAID: Final = "pd-standard"
"""https://github.com/kubernetes-sigs/gcp-compute-persistent-disk-csi-driver, CreateVolume"""

_IN_EACH_ZONE: Final = "enable-multi-zone-provisioning"
"""Whether a claim makes a disk in each zone: the same driver, createMultiZoneDisk"""

_ZONES_UNKNOWN: Final = (
    "a disk of the claim is made in each zone, and their number is unknown: leave "
    "enable-multi-zone-provisioning out of its StorageClass, and claim a disk for each zone"
)
_MIB_PER_GIB: Final = 1024
_WITH_UNIT: Final = re.compile(r".*[a-zA-Z]")


def claimed_items(resource: Resource, claim: DiskClaim, region: str) -> Iterator[Item]:
    """Yield the items of the disks of a claim.

    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/persistent-volumes/hyperdisk
    """
    if claim.storage_class.driver == claimed_shares.DRIVER:
        yield from claimed_shares.claimed_items(resource, claim, region)
        return
    parameters = claim.storage_class.parameters
    kind = text(parameters.get("type"))
    disk = ObservedDisk(
        "disk of the claim",
        kind.lower() if isinstance(kind, str) else kind,
        claim.gib,
        amount(parameters.get("provisioned-iops-on-create")),
        _mib(parameters.get("provisioned-throughput-on-create")),
        regional=text(parameters.get("replication-type")) not in {None, "none"},
    )
    is_in_one_zone = is_on(parameters.get(_IN_EACH_ZONE)) is False
    for item, unit, quantity, unstated in disk_rows(disk, _UNSAID):
        total = claim.times(quantity) if is_in_one_zone else UNKNOWN
        row = service_item("gcp", resource, "disk", item, unit, total, region)
        yield replace(row, quantity_hint=unstated if is_in_one_zone else _ZONES_UNKNOWN)


def _mib(value: Any) -> Decimal | Unknown | None:
    """Return MiB per second from a quantity, `250Mi`, or a number."""
    if isinstance(value, str) and _WITH_UNIT.fullmatch(value):
        gib = gib_of(value)
        return UNKNOWN if gib is None else gib * _MIB_PER_GIB
    return amount(value)
