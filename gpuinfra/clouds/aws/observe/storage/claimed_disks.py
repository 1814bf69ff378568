"""The EBS volumes that claims of Kubernetes objects make: their price items and encryption."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.storage.disk_rows import is_encrypted_by_default, volume_rows
from gpuinfra.clouds.observing.cluster_of_objects import is_elsewhere
from gpuinfra.clouds.observing.disk_claims import DiskClaim, declares_default, specs_of
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.clouds.observing.served_objects import RELEASE
from gpuinfra.clouds.observing.values import amount, any_of, flag, text
from gpuinfra.clouds.versions import is_at_least
from gpuinfra.model import UNKNOWN, Item, Known, Resource, Unknown

_IN_TREE: Final = "kubernetes.io/aws-ebs"
"""The first driver, whose default type is gp2:
https://kubernetes.io/docs/concepts/storage/storage-classes/#aws-ebs"""
_ADDON: Final = "aws:eks/addon:Addon"
_DRIVER: Final = "aws-ebs-csi-driver"
_VERSION: Final = re.compile(r"\d+\.\d+")
_NO_DEFAULT_SINCE: Final = "1.30"
"""https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-extended.html (from memory
of its notes on 1.30, not re-read: unverified)"""

_CHOOSES: Final = ("storageClassName", "volumeName")
_WAITS: Final = (
    "it names no storageClassName, and clusters that EKS makes from version 1.30 on have no "
    "default StorageClass, so the claim waits and no disk is made: name a class, or mark one of "
    "this stack as the default"
)


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
    is_encrypted = flag(storage_class.parameters.get("encrypted"))
    if is_encrypted is True or isinstance(is_encrypted, Unknown):
        return is_encrypted
    by_default = is_encrypted_by_default(resource, index)
    return any_of((by_default, UNKNOWN)) if claim.is_from_source else by_default


def _operations(
    iops: Decimal | Unknown | None, per_gib: Decimal | Unknown | None, gib: Decimal | Unknown
) -> Decimal | Unknown | None:
    """Return the IOPS of a volume; those by its size may be less where EBS has a maximum."""
    if per_gib is None:
        return iops
    if isinstance(per_gib, Unknown) or isinstance(gib, Unknown):
        return UNKNOWN
    by_size = per_gib * gib
    return max(iops, by_size) if isinstance(iops, Decimal) else by_size


def waiting_faults(resource: Resource, index: Index) -> Iterator[str]:
    """Yield why claims of an object wait for a class that the cluster does not have."""
    clusters = index.of_kind(resource_types.EKS_CLUSTER)
    if (
        clusters
        and all(_comes_without_default(cluster) for cluster in clusters)
        and not is_elsewhere(resource, index, resource_types.EKS_CLUSTER)
        and not any(_may_make_default(claim) for claim in index)
        and declares_default(index) is False
        and any(map(_names_no_class, specs_of(resource)))
    ):
        yield _WAITS


def _names_no_class(spec: Any) -> bool:
    return isinstance(spec, Mapping) and all(spec.get(key) is None for key in _CHOOSES)


def _comes_without_default(cluster: Resource) -> bool:
    """Return whether EKS makes a cluster without a default class, as of its newest version."""
    version = text(cluster.inputs.get("version"))
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        return version is None
    return is_at_least(version, _NO_DEFAULT_SINCE)


def _may_make_default(resource: Resource) -> bool:
    """Return whether a resource is the driver with settings, of which one makes a default class.

    https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/charts/aws-ebs-csi-driver/values.yaml
    (defaultStorageClass, storageClasses)
    """
    inputs = resource.inputs
    if resource.type == _ADDON:
        return inputs.get("addonName") == _DRIVER and inputs.get("configurationValues") is not None
    chart = inputs.get("chart") if resource.type == RELEASE else None
    return isinstance(chart, str) and chart.endswith(_DRIVER) and inputs.get("values") is not None
