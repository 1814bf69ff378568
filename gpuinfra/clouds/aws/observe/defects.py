"""Resource settings that AWS refuses or ignores, alone or with other resources."""

from collections.abc import Callable, Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import (
    names,
    policies,
    principals,
    resource_types,
    settings,
    subnet_layout,
    vpc_members,
)
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.faults import rule_faults
from gpuinfra.clouds.observing.names import name_defects
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.lazy import LazyTable
from gpuinfra.model import Defect, Resource


def _unversioned(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the source and target buckets of this stack that have no versioning."""
    if resource_types.canonical(resource.type) != resource_types.BUCKET_COPY:
        return
    rules = as_list(resource.inputs.get("rules"))
    goals = [at(rule, "destination", "bucket") for rule in rules]
    for prop, value in (("bucket", resource.inputs.get("bucket")), ("rules", goals)):
        for bucket in index.targets(resource, prop, resource_types.BUCKET, value).certain:
            told = index.referrers(bucket, resource_types.BUCKET_VERSIONING, "bucket")
            own = at(bucket.inputs.get("versioning"), "enabled")
            locked = bucket.inputs.get("objectLockEnabled")
            if told.complete and not told.certain and not own and not locked:
                yield f"versioning is off in the bucket {bucket.name}; replication requires it"


_BY_ITSELF: Final[tuple[Callable[[Resource], Iterator[str]], ...]] = (
    settings.faults_of,
    policies.faults_of,
)
_BESIDE: Final[tuple[Callable[[Resource, Index], Iterator[str]], ...]] = (
    subnet_layout.faults_of,
    principals.faults_of,
    vpc_members.faults_of,
    _unversioned,
)
OF_TYPE: Final = LazyTable[Callable[[Resource, Index], Iterator[str]]](
    "gpuinfra.clouds.aws.observe",
    {
        resource_types.LUSTRE: "lustre_ports:faults_of",
        resource_types.EKS_CLUSTER: "start_places:of_cluster",
        resource_types.NODE_GROUP: "node_drivers:faults_of",
    },
)


def defects(index: Index) -> Iterator[Defect]:
    """Yield the resources that AWS refuses, or that have no effect, with the reasons."""
    yield from name_defects("aws", index, names.ALONE, resource_types.canonical)
    for resource in index:
        faults = [words for read in _BY_ITSELF for words in read(resource)]
        faults += [words for read in _BESIDE for words in read(resource, index)]
        kind = resource_types.canonical(resource.type)
        faults += OF_TYPE[kind](resource, index) if kind in OF_TYPE else ()
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
