"""Resource settings that AWS refuses or ignores, alone or with other resources."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types, setting_faults
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.name_faults import NAMES
from gpuinfra.clouds.aws.observe.network import start_places, subnet_layout
from gpuinfra.clouds.aws.observe.rights import policy_typos, principals
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.values import as_list, at, equals, flag, text
from gpuinfra.lazy import LazyTable
from gpuinfra.model import UNKNOWN, Defect, Known, Resource


def _unversioned_replication_buckets(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the source and target buckets of this stack that have no versioning."""
    if resource_types.canonical(resource.type) != resource_types.BUCKET_REPLICATION:
        return
    rules = as_list(resource.inputs.get("rules"))
    destinations = [at(rule, "destination", "bucket") for rule in rules]
    for prop, value in (("bucket", resource.inputs.get("bucket")), ("rules", destinations)):
        for bucket in index.targets(resource, prop, resource_types.BUCKET, value).certain:
            versioning = index.referrers(bucket, resource_types.BUCKET_VERSIONING, "bucket")
            is_inline_enabled = at(bucket.inputs.get("versioning"), "enabled")
            has_object_lock = bucket.inputs.get("objectLockEnabled")
            if (
                versioning.complete
                and not versioning.certain
                and not is_inline_enabled
                and not has_object_lock
            ):
                yield f"versioning is off in the bucket {bucket.name}; replication requires it"


_SINGLE_RESOURCE_CHECKS: Final[tuple[Callable[[Resource], Iterator[str]], ...]] = (
    setting_faults.faults_of,
    policy_typos.faults_of,
)
_RELATED_RESOURCE_CHECKS: Final[tuple[Callable[[Resource, Index], Iterator[str]], ...]] = (
    subnet_layout.faults_of,
    principals.faults_of,
    start_places.foreign_group_faults,
    _unversioned_replication_buckets,
)
CHECK_BY_TYPE: Final = LazyTable[Callable[[Resource, Index], Iterator[str]]](
    "gpuinfra.clouds.aws.observe",
    {
        resource_types.LUSTRE: "network.lustre_ports:faults_of",
        resource_types.BALANCER: "network.balancer_places:faults_of",
        resource_types.EKS_CLUSTER: "network.start_places:single_zone_cluster_faults",
        resource_types.NODE_GROUP: "machines.node_drivers:faults_of",
        "kubernetes:networking.k8s.io/v1:Ingress": "network.balancer_places:ingress_faults",
        "kubernetes:core/v1:PersistentVolumeClaim": "storage.claimed_disks:waiting_faults",
        "kubernetes:apps/v1:StatefulSet": "storage.claimed_disks:waiting_faults",
    },
)


@cache
def _switches() -> tuple[Mapping[str, Any], ...]:
    return tuple(TABLES.rows("switches"))


def _switch_defects(index: Index) -> Iterator[Defect]:
    """Yield the resources with a setting that is a fault by itself, or one not known yet."""
    for row in _switches():
        for resource in index.of_kind(row["type"]):
            is_faulty = _is_switched_wrong(resource, row)
            if is_faulty is not False:
                messages = UNKNOWN if is_faulty is UNKNOWN else (row["words"],)
                yield Defect(
                    name=resource.name,
                    subject=resource.urn,
                    cloud="aws",
                    faults=rule_faults(row["rule"], messages),
                )


def _is_switched_wrong(resource: Resource, row: Mapping[str, Any]) -> Known:
    stated = at(resource.inputs, *row["path"].split("."))
    value = flag(stated) if isinstance(row["faulty"], bool) else text(stated)
    if value is None:
        is_decided_instead = any(resource.inputs.get(key) is not None for key in row["instead"])
        return False if is_decided_instead else _is_wrong_unstated(resource, row["unstated"])
    return equals(value, row["faulty"])


def _is_wrong_unstated(resource: Resource, unstated: bool | Mapping[str, Any]) -> Known:
    """Return whether a setting that is not stated is a fault: always, never, or in a case."""
    if isinstance(unstated, bool):
        return unstated
    from gpuinfra.clouds.observing.free_cases import (  # noqa: PLC0415  (few stacks have any)
        matches_case,
        values_at,
    )

    values = (value for path in unstated for value in values_at(resource.inputs, path))
    return UNKNOWN if UNKNOWN in values else matches_case(resource.inputs, unstated)


def defects(index: Index) -> Iterator[Defect]:
    """Yield the resources that AWS refuses, or that have no effect, with the reasons."""
    yield from NAMES.defects(index)
    yield from _switch_defects(index)
    for resource in index:
        faults = [fault_text for read in _SINGLE_RESOURCE_CHECKS for fault_text in read(resource)]
        faults += [text for read in _RELATED_RESOURCE_CHECKS for text in read(resource, index)]
        kind = resource_types.canonical(resource.type)
        faults += CHECK_BY_TYPE[kind](resource, index) if kind in CHECK_BY_TYPE else ()
        if faults:
            noun = resource.type.rpartition(":")[2]
            yield Defect(
                name=resource.name,
                subject=resource.urn,
                cloud="aws",
                faults=rule_faults(
                    "resource-settings", (f"{noun} {resource.name}: {fault}" for fault in faults)
                ),
            )
