"""The price items of EBS volumes that claims of Kubernetes objects make."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.aws.observe.disk_rows import volume_rows
from gpuinfra.clouds.observing.disk_claims import DiskClaim
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.clouds.observing.values import amount, text
from gpuinfra.model import UNKNOWN, Item, Resource, Unknown

_IN_TREE: Final = "kubernetes.io/aws-ebs"
"""The first driver, whose default type is gp2:
https://kubernetes.io/docs/concepts/storage/storage-classes/#aws-ebs"""


def claimed_items(resource: Resource, claim: DiskClaim, region: str) -> Iterator[Item]:
    """Yield the items of the volumes of a claim.

    https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/parameters.md
    """
    given = claim.made_by.parameters
    kind = text(given.get("type")) or ("gp2" if claim.made_by.driver == _IN_TREE else "gp3")
    spec = {
        "type": kind.lower() if isinstance(kind, str) else kind,
        "size": claim.gib,
        "iops": _operations(amount(given.get("iops")), amount(given.get("iopspergb")), claim.gib),
        "throughput": given.get("throughput"),
    }
    for item, unit, quantity in volume_rows(spec):
        yield service_item("aws", resource, "disk", item, unit, claim.times(quantity), region)


def _operations(
    stated: Decimal | Unknown | None, per_gib: Decimal | Unknown | None, gib: Decimal | Unknown
) -> Decimal | Unknown | None:
    """Return the IOPS of a volume; those by its size may be less where EBS has a maximum."""
    if per_gib is None:
        return stated
    if isinstance(per_gib, Unknown) or isinstance(gib, Unknown):
        return UNKNOWN
    by_size = per_gib * gib
    return max(stated, by_size) if isinstance(stated, Decimal) else by_size
