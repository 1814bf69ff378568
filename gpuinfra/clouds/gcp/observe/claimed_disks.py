"""The price items of Compute Engine disks that claims of Kubernetes objects make."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.gcp.observe.disks import ObservedDisk, disk_rows
from gpuinfra.clouds.observing.disk_claims import DiskClaim
from gpuinfra.clouds.observing.free_cases import gib_of
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.clouds.observing.values import amount, text
from gpuinfra.model import UNKNOWN, Item, Resource, Unknown

_UNSAID: Final = "pd-standard"
"""https://github.com/kubernetes-sigs/gcp-compute-persistent-disk-csi-driver, CreateVolume"""

_MIB_PER_GIB: Final = 1024
_WITH_UNIT: Final = re.compile(r".*[a-zA-Z]")


def claimed_items(resource: Resource, claim: DiskClaim, region: str) -> Iterator[Item]:
    """Yield the items of the disks of a claim.

    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/persistent-volumes/hyperdisk
    """
    given = claim.made_by.parameters
    kind = text(given.get("type"))
    disk = ObservedDisk(
        "disk of the claim",
        kind.lower() if isinstance(kind, str) else kind,
        claim.gib if isinstance(claim.gib, Unknown) else Decimal(math.ceil(claim.gib)),
        amount(given.get("provisioned-iops-on-create")),
        _mib(given.get("provisioned-throughput-on-create")),
        regional=text(given.get("replication-type")) not in {None, "none"},
    )
    for item, unit, quantity, unstated in disk_rows(disk, _UNSAID):
        row = service_item("gcp", resource, "disk", item, unit, claim.times(quantity), region)
        yield replace(row, quantity_hint=unstated)


def _mib(written: Any) -> Decimal | Unknown | None:
    """Return MiB per second from a quantity, `250Mi`, or a number."""
    if isinstance(written, str) and _WITH_UNIT.fullmatch(written):
        gib = gib_of(written)
        return UNKNOWN if gib is None else gib * _MIB_PER_GIB
    return amount(written)
