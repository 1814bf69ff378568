"""The disks that claims of Kubernetes objects make, with the StorageClass of each."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds import digests, machineless_types
from gpuinfra.clouds.observing.aks_zones import is_in_one_zone
from gpuinfra.clouds.observing.cluster_services import clouds_of, is_in_cluster
from gpuinfra.clouds.observing.free_cases import gib_of, is_harmless
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.pods import scaled_replicas
from gpuinfra.clouds.observing.rows import unjudged_rows
from gpuinfra.clouds.observing.values import any_of, as_list, at, is_on, text, whole_number
from gpuinfra.model import UNKNOWN, Item, Known, Resource, Rows, Unknown
from gpuinfra.records import record

_TABLE: Final = Path(__file__).parents[1] / "storage_classes.json"
"""The classes that clusters come with, and the drivers whose disks have prices: its `about`."""

_CLAIM: Final = "kubernetes:core/v1:PersistentVolumeClaim"
_STATEFUL_SET: Final = "kubernetes:apps/v1:StatefulSet"
_VOLUME: Final = "kubernetes:core/v1:PersistentVolume"
_CLASS: Final = re.compile(r"kubernetes:storage\.k8s\.io/v1(?:beta1)?:StorageClass")
_DEFAULT: Final = "storageclass.kubernetes.io/is-default-class"
_TEMPLATES: Final = "volumeClaimTemplates"

_CLASS_UNKNOWN: Final = (
    "a disk of the class {}, which this stack does not declare and no cloud's cluster comes with, "
    "so its price is unknown: declare the StorageClass in this stack, and name it by its output"
)
_CLASS_LATER: Final = "a disk whose StorageClass is not known yet"
_CLASSES_DIFFER: Final = (
    "a disk whose StorageClass is one of several that differ: give each a name of its own, and "
    "name one in the claim"
)
_DRIVER_UNKNOWN: Final = "storage of the driver {}, whose prices are unknown"
_ATTRIBUTES_CLASS_UNKNOWN: Final = "a disk whose speed its VolumeAttributesClass sets"
_COPIES: Final = "disks for each pod, of which a scaler or unknown replicas make more"
_CLUSTER_UNKNOWN: Final = (
    "a disk whose region is not known, since its cluster is not in this stack"
)


@record
class StorageClass:
    """The driver of a StorageClass and its parameters, their names in lower case."""

    driver: str
    parameters: Mapping[str, Any]


@record
class DiskClaim:
    """A claim: whole GiB, the number of disks, their class, whether they start from other data.

    Drivers round the size up: RoundUpGiB in those of EBS and Azure, BytesToGbRoundUp in Google's.
    """

    gib: Decimal | Unknown
    count: int
    storage_class: StorageClass
    is_from_source: bool = False

    @property
    def cloud(self) -> str:
        """The cloud that makes the disks."""
        return str(_table()["drivers"][self.storage_class.driver])

    def times(self, quantity: Decimal | Unknown | None) -> Decimal | Unknown | None:
        """Return the quantity of all disks together."""
        return quantity * self.count if isinstance(quantity, Decimal) else quantity


def has_claims(resource: Resource) -> bool:
    """Return whether an object makes disks by claims of its own."""
    spec = resource.inputs.get("spec")
    return resource.type == _CLAIM or (
        resource.type == _STATEFUL_SET and isinstance(at(spec, _TEMPLATES), (list, tuple))
    )


def declares_default(index: Index) -> Known:
    """Return whether a StorageClass of the stack is the default one."""
    return any_of(is_on(_marked_default(each)) for each in _of_types(_CLASS, index))


def specs_of(resource: Resource) -> tuple[Any, ...]:
    """Return the claims of an object, as written."""
    spec = resource.inputs.get("spec")
    if resource.type == _CLAIM:
        return (spec,)
    return tuple(at(template, "spec") for template in as_list(at(spec, _TEMPLATES)))


def _marked_default(declared: Resource) -> Any:
    return at(declared.inputs, "metadata", "annotations", _DEFAULT)


def without_claims(resource: Resource) -> Resource:
    """Return a set of pods without the templates of its claims; a claim as it is."""
    if resource.type == _CLAIM:
        return resource
    spec = {k: v for k, v in resource.inputs["spec"].items() if k != _TEMPLATES}
    return replace(resource, inputs={**resource.inputs, "spec": spec})


def rows_of(
    silent: Rows,
    resource: Resource,
    index: Index,
    cloud: str,
    items_of: Callable[[DiskClaim], Iterable[Item]],
) -> Rows:
    """Return the price items of an object's disks, or why they are not known.

    Args:
        silent: the rows of the object without its claims; of a claim, those by its size.
        resource: has claims.
        index: of the stack.
        cloud: the one that is asked.
        items_of: returns the price items of the disks of a claim.
    """
    claims_or_reasons = list(claims_of(resource, index, cloud))
    reasons = [claim for claim in claims_or_reasons if isinstance(claim, str)]
    if reasons:
        return unjudged_rows(resource, "; ".join(dict.fromkeys(reasons)), by_type=True)
    claims = [claim for claim in claims_or_reasons if isinstance(claim, DiskClaim)]
    if not claims:
        return Rows() if resource.type == _CLAIM else silent
    small = _small_charge(claims)
    if small is not None:
        charged = (replace(row, hourly_maximum=small) for row in silent.not_judged)
        return replace(silent, not_judged=tuple(charged))
    if not is_in_cluster(resource, index):
        return unjudged_rows(resource, _CLUSTER_UNKNOWN, by_type=True)
    items = (item for claim in claims if claim.cloud == cloud for item in items_of(claim))
    not_judged = () if resource.type == _CLAIM else silent.not_judged
    return Rows(items=tuple(items), not_judged=not_judged)


def _small_charge(claims: list[DiskClaim]) -> Decimal | None:
    """Return what disks cost an hour at most, where that is little and by size alone."""
    cases = _table()["by_size"]
    sizes = [claim.times(claim.gib) for claim in claims]
    known = [size for size in sizes if isinstance(size, Decimal)]
    are_harmless = all(is_harmless(_inputs_of(claim.storage_class), cases) for claim in claims)
    inputs = {"spec": {"resources": {"requests": {"storage": str(sum(known) * 2**30)}}}}
    if (
        not are_harmless
        or len(known) < len(sizes)
        or machineless_types.fixed_price_reason(_CLAIM, inputs)
    ):
        return None
    return machineless_types.charge(_CLAIM, inputs)


def _inputs_of(storage_class: StorageClass) -> Mapping[str, Any]:
    return {"provisioner": storage_class.driver, "parameters": storage_class.parameters}


def claims_of(resource: Resource, index: Index, cloud: str) -> Iterator[DiskClaim | str]:
    """Yield the claims of an object, each as a cloud sees it, or why its price is unknown."""
    copies = 1 if resource.type == _CLAIM else _copies(resource, index)
    if isinstance(copies, Unknown):
        yield _COPIES
        return
    for spec in specs_of(resource):
        yield from _claim(resource, spec, copies, index, cloud)


def _copies(resource: Resource, index: Index) -> int | Unknown:
    """Return the pods of a set, each of which has disks of its own, which stay when it goes."""
    replicas = whole_number(at(resource.inputs.get("spec"), "replicas"))
    counts = [1 if replicas is None else replicas, *scaled_replicas(resource, index)]
    known = [count for count in counts if isinstance(count, int)]
    return UNKNOWN if len(known) < len(counts) else max(known)


def _claim(
    resource: Resource, spec: Any, count: int, index: Index, cloud: str
) -> Iterator[DiskClaim | str]:
    """Yield a claim, or why its price is unknown; nothing where no disk is made for it.

    Kubernetes refuses a claim without a size:
    https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/persistent-volume-claim-v1
    (not re-read: unverified)
    """
    sizes = (at(spec, "resources", key, "storage") for key in ("requests", "limits"))
    stated_size = next((size for size in sizes if size is not None), None)
    if at(spec, "storageClassName") == "" or stated_size is None:
        return
    if _names_volume(resource, spec, index):
        return
    storage_class = _class_of(resource, spec, index, cloud)
    if isinstance(storage_class, str):
        yield storage_class
    elif is_harmless(_inputs_of(storage_class), _table()["by_use"]):
        return
    elif at(spec, "volumeAttributesClassName") is not None:
        yield _ATTRIBUTES_CLASS_UNKNOWN
    elif not _has_price(storage_class, _clouds_of_cluster(resource, index)):
        yield _DRIVER_UNKNOWN.format(storage_class.driver)
    else:
        size = gib_of(stated_size)
        gib = UNKNOWN if size is None else Decimal(math.ceil(size))
        is_from_source = any(at(spec, key) is not None for key in ("dataSource", "dataSourceRef"))
        yield DiskClaim(
            gib=gib, count=count, storage_class=storage_class, is_from_source=is_from_source
        )


def _names_volume(resource: Resource, spec: Any, index: Index) -> bool:
    """Return whether a claim names a volume of this stack, so that no other is made for it.

    https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reserving-a-persistentvolume
    """
    name = text(spec.get("volumeName")) if isinstance(spec, Mapping) else None
    if isinstance(name, Unknown):
        return any(volume.type == _VOLUME for volume in index.related_resources(resource, "spec"))
    return name is not None and name in map(_name_of, index.of_kind(_VOLUME))


def _has_price(storage_class: StorageClass, clouds: tuple[str, ...]) -> bool:
    """Return whether the disks of a driver have prices, in a cluster of one of these clouds."""
    owner = _table()["drivers"].get(storage_class.driver)
    return owner is not None and (not clouds or owner in clouds)


def _class_of(resource: Resource, spec: Any, index: Index, cloud: str) -> StorageClass | str:
    """Return the class of a claim, or why it is not known."""
    name = text(at(spec, "storageClassName"))
    declared = index.memo("storage classes", lambda: _of_types(_CLASS, index))
    if isinstance(name, Unknown):
        related = index.related_resources(resource, "spec")
        referenced = [each for each in related if each in declared]
        return _declared_class(referenced[0]) if len(referenced) == 1 else _CLASS_LATER
    if name is None:
        facts = [is_on(_marked_default(each)) for each in declared]
        if UNKNOWN in facts:
            return _CLASS_LATER
        declared = [each for each, fact in zip(declared, facts, strict=True) if fact]
    else:
        declared = [each for each in declared if _name_of(each) == name]
    classes = [_declared_class(each) for each in declared]
    if not classes:
        return _class_of_clouds(name, resource, index, cloud)
    return classes[0] if all(each == classes[0] for each in classes) else _CLASSES_DIFFER


def _of_types(types: re.Pattern[str], index: Index) -> list[Resource]:
    return [resource for resource in index if types.fullmatch(resource.type)]


def _name_of(resource: Resource) -> str | Unknown | None:
    return text(at(resource.inputs.get("metadata"), "name"))


def _class_of_clouds(
    name: str | None, resource: Resource, index: Index, cloud: str
) -> StorageClass | str:
    """Return a class that the cluster's cloud comes with; the default one where none is named.

    A cluster that is not in the stack may be of any cloud.
    """
    rows = [row for row in _table()["classes"] if name in {row["name"], None}]
    owners = _clouds_of_cluster(resource, index)
    if name is None:
        rows = [row for row in rows if row["default"] and row["cloud"] in (owners or (cloud,))]
    elif owners:
        rows = [row for row in rows if row["cloud"] in owners]
    if len(rows) == 1:
        (row,) = rows
        one_zone = "in_one_zone" in row and bool(owners) and is_in_one_zone(index)
        parameters = row["in_one_zone" if one_zone else "parameters"]
        return StorageClass(driver=row["provisioner"], parameters=parameters)
    return _CLASS_LATER if rows else _CLASS_UNKNOWN.format(name)


def _clouds_of_cluster(resource: Resource, index: Index) -> tuple[str, ...]:
    """Return the clouds whose clusters an object may be in; empty for a cluster of elsewhere."""
    return clouds_of(resource, index) if is_in_cluster(resource, index) else ()


def _declared_class(resource: Resource) -> StorageClass | str:
    driver = text(resource.inputs.get("provisioner"))
    parameters = resource.inputs.get("parameters") or {}
    if not isinstance(driver, str) or not isinstance(parameters, Mapping):
        return _CLASS_LATER
    lowered = {str(key).lower(): value for key, value in parameters.items()}
    return StorageClass(driver=driver, parameters=lowered)


def _table() -> Mapping[str, Any]:
    return digests.table(_TABLE)
