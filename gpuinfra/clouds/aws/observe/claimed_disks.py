"""The EBS volumes that claims of Kubernetes objects make: their price items and encryption."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.disk_rows import is_encrypted_by_default, volume_rows
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.disk_claims import DiskClaim
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.clouds.observing.values import amount, any_of, flag, text
from gpuinfra.model import UNKNOWN, Item, Known, Resource, Unknown

_IN_TREE: Final = "kubernetes.io/aws-ebs"
"""The first driver, whose default type is gp2:
https://kubernetes.io/docs/concepts/storage/storage-classes/#aws-ebs"""


def claimed_items(resource: Resource, claim: DiskClaim, region: str) -> Iterator[Item]:
    """Yield the items of the volumes of a claim.

    https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/parameters.md
    """
    parameters = claim.storage_class.parameters
    kind = text(parameters.get("type")) or (
        "gp2" if claim.storage_class.driver == _IN_TREE else "gp3"
    )
    spec = {
        "type": kind.lower() if isinstance(kind, str) else kind,
        "size": claim.gib,
        "iops": _operations(
            amount(parameters.get("iops")), amount(parameters.get("iopspergb")), claim.gib
        ),
        "throughput": parameters.get("throughput"),
    }
    for item, unit, quantity in volume_rows(spec):
        yield service_item("aws", resource, "disk", item, unit, claim.times(quantity), region)


def encryption(resource: Resource, claim: DiskClaim, index: Index) -> Known | None:
    """Return whether the volumes of a claim are encrypted: by their class, or by the account.

    The driver takes "true" alone. A copy may be encrypted as what it is made of. None where the
    cluster is not in the stack, and the class that it came with may be of another cloud.
    https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/parameters.md
    """
    storage_class = claim.storage_class
    if storage_class.driver == _IN_TREE and not index.of_kind(resource_types.EKS_CLUSTER):
        return None
    stated = flag(storage_class.parameters.get("encrypted"))
    if stated is True or isinstance(stated, Unknown):
        return stated
    by_default = is_encrypted_by_default(resource, index)
    return any_of((by_default, UNKNOWN)) if claim.is_from_source else by_default


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
