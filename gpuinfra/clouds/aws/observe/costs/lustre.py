"""FSx for Lustre file systems as declared: their price items, speed and refused settings."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from gpuinfra.clouds.aws.lustre.file_system_faults import faults
from gpuinfra.clouds.aws.lustre.tiers import (
    INTELLIGENT_TIERING,
    PERSISTENT_2,
    FileSystemRequest,
    spell,
)
from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.launch.group_requests import group_request_of
from gpuinfra.clouds.aws.observe.network import traffic
from gpuinfra.clouds.aws.observe.tag_keys import resource_tag_keys
from gpuinfra.clouds.observing.fault_texts import joined_faults, rule_faults
from gpuinfra.clouds.observing.rows import service_item, unjudged_rows, unpriced_rows
from gpuinfra.clouds.observing.values import amount, at, flag, text, whole_number
from gpuinfra.model import NOWHERE, UNKNOWN, FileSystem, Known, Resource, Rows, Unknown, Usage

_KIND: Final = "lustre"
_MACHINES: Final = (resource_types.GROUP, resource_types.FLEET, resource_types.INSTANCE)
_MOST_LINKS: Final = 8
"""https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html"""

_NAMES: Final[Mapping[str | int, str]] = {
    "deployment": "deployment_type",
    "storage": "storage_type",
    "throughput": "per_unit_storage_throughput",
    "size": "storage_capacity",
    "metadata_iops": "metadata_configuration.iops",
    "efa": "efa_enabled",
}
_OLD_LINKS: Final = {
    "importPath": "import_path",
    "exportPath": "export_path",
    "autoImportPolicy": "auto_import_policy",
    "importedFileChunkSize": "imported_file_chunk_size",
}
_TIERED_NEEDS: Final = {
    "metadataConfiguration": "metadata_configuration",
    "dataReadCacheConfiguration": "data_read_cache_configuration",
}
_NO_DRIVE_CACHE: Final = {None, "NONE"}
_LNET: Final = 988
_RULE: Final = "shared-storage-settings"


def lustre(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return a file system with its price items, as far as its own resource shows them."""
    request = _request_of(resource)
    if isinstance(request, str):
        return unjudged_rows(resource, request)
    region = locations.region_of(resource, index)
    wrong = (*_refusals(request, region), *_settings(resource, request))
    files = FileSystem(
        name=resource.name,
        subject=resource.urn,
        cloud="aws",
        kind=_KIND,
        region=region,
        size_gib=request.size,
        throughput_mbs=request.total_throughput,
        encrypted=True,  # at rest always, with any key: LustreGuide, encryption-at-rest.html
        faults=rule_faults(_RULE, wrong),
        labels=resource_tag_keys(resource),
    )
    if request.tier is None:
        return replace(_unpriced_file_system(resource, request), file_systems=(files,))
    rows = (
        service_item("aws", resource, "file system", item, unit, quantity, region)
        for item, unit, quantity in request.price_items()
    )
    return Rows(items=tuple(rows), file_systems=(files,))


def whole_of(files: FileSystem, index: Index) -> FileSystem:
    """Return a file system completed with the rest of the stack, once all of it is known."""
    resource = next(
        (
            candidate
            for candidate in index.of_kind(resource_types.LUSTRE)
            if candidate.urn == files.subject
        ),
        None,
    )
    if resource is None:
        return files
    wrong = (*_links(resource, index), *_firewall(resource, index))
    group = _sole_workload_in_subnet(resource, index)
    return replace(
        files,
        faults=joined_faults(files.faults, rule_faults(_RULE, wrong)),
        group=None if group is None else group.name,
        one_zone=_one_zone(resource, group, index),
    )


def _unpriced_file_system(resource: Resource, request: FileSystemRequest) -> Rows:
    if request.kinds and not isinstance(request.throughput, int):
        return unjudged_rows(resource, "its throughput, which determines its price, is unknown")
    name = f"{request.deployment} on {request.storage}"
    speed = f" with {request.throughput} MB/s per TiB" if request.kinds else ""
    return unpriced_rows(resource, f"FSx for Lustre {name}{speed}")


def _request_of(resource: Resource) -> FileSystemRequest | str:
    """Return the request for a file system, or why it is not known."""
    inputs = resource.inputs
    kind = text(inputs.get("deploymentType")) or "SCRATCH_1"
    media = text(inputs.get("storageType")) or "SSD"
    if isinstance(kind, Unknown) or isinstance(media, Unknown):
        return "its deployment, which determines its price, is not known yet"
    is_tiered = media == INTELLIGENT_TIERING
    speed = "throughputCapacity" if is_tiered else "perUnitStorageThroughput"
    cache = inputs.get("dataReadCacheConfiguration")
    return FileSystemRequest(
        deployment=kind,
        storage=media,
        size=whole_number(inputs.get("storageCapacity")),
        throughput=whole_number(inputs.get(speed)),
        efa=flag(inputs.get("efaEnabled")) is True,
        metadata=whole_number(at(inputs.get("metadataConfiguration"), "iops")),
        backups=bool(amount(inputs.get("automaticBackupRetentionDays"))),
        cache=(text(at(cache, "sizingMode")) or UNKNOWN) if is_tiered else None,
        cache_size=whole_number(at(cache, "size")),
        drives_cached=text(inputs.get("driveCacheType")) not in _NO_DRIVE_CACHE,
    )


def _refusals(request: FileSystemRequest, region: str) -> Iterator[str]:
    """Yield what AWS refuses of its type, size and speed, by the names of the SDK."""
    for fault in faults(request, region):
        allowed = f": {fault.allowed}" if fault.allowed else ""
        yield f"{_NAMES[fault.key[-1]]}: {fault.message}{allowed}"


def _settings(resource: Resource, request: FileSystemRequest) -> Iterator[str]:
    """Yield settings that contradict each other; unknown ones are left out."""
    if isinstance(resource.inputs.get("subnetIds"), list | tuple):
        yield "subnet_ids must be a string, not a list"
    yield from _deployment_faults(resource, request)
    yield from _storage_faults(resource, request)


def _deployment_faults(resource: Resource, request: FileSystemRequest) -> Iterator[str]:
    inputs, name = resource.inputs, spell(request.deployment)
    second, metadata = request.deployment == PERSISTENT_2, inputs.get("metadataConfiguration")
    if request.efa and metadata is None:
        yield "efa_enabled: requires a metadata_configuration"
    if not second and metadata is not None:
        yield f"metadata_configuration: not supported by {name}"
    tier = next(iter(request.kinds), None)
    if tier is not None and not tier.own_key and inputs.get("kmsKeyId"):
        yield f"kms_key_id: {name} does not support a customer key"
    if tier is not None and not tier.backups and request.backups:
        yield f"automatic_backup_retention_days: {name} does not support backups"
    for key, option in _OLD_LINKS.items() if second else ():
        if inputs.get(key):
            yield f"{option}: not supported by {name}; create a DataRepositoryAssociation"


def _storage_faults(resource: Resource, request: FileSystemRequest) -> Iterator[str]:
    cache = resource.inputs.get("driveCacheType")
    if request.storage == "HDD" and cache is None:
        yield "drive_cache_type: required by hdd storage: set NONE or READ"
    if request.storage == "SSD" and cache is not None:
        yield "drive_cache_type: only for hdd storage"
    for key, option in _TIERED_NEEDS.items() if request.storage == INTELLIGENT_TIERING else ():
        if resource.inputs.get(key) is None:
            yield f"{option}: required by intelligent-tiering"


def _links(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the faults of its associations with buckets."""
    links = index.referrers(resource, resource_types.REPOSITORY, "fileSystemId").certain
    if not links:
        return
    request = _request_of(resource)
    if isinstance(request, str):
        return
    name = spell(request.deployment)
    if request.storage == INTELLIGENT_TIERING:
        yield "intelligent-tiering does not support a DataRepositoryAssociation"
    elif any(not kind.repository for kind in request.kinds):
        yield f"{name} does not support a DataRepositoryAssociation: it has an import_path"
    if request.backups:
        yield (
            "automatic_backup_retention_days: a file system that is linked to a bucket "
            "can't have backups"
        )
    if any(resource.inputs.get(key) for key in ("importPath", "exportPath")):
        yield "import_path and export_path can't be combined with a DataRepositoryAssociation"
    if len(links) > _MOST_LINKS:
        yield f"{len(links)} DataRepositoryAssociations: at most {_MOST_LINKS}"
    region = locations.region_of(resource, index)
    for link in links:
        bucket = _bucket(link, index)
        bucket_region = NOWHERE if bucket is None else locations.region_of(bucket, index)
        if NOWHERE not in (region, bucket_region) and bucket_region != region:
            yield f"{link.name}: the bucket is in {bucket_region}, the file system in {region}"


def _bucket(link: Resource, index: Index) -> Resource | None:
    """Return the bucket that an association names, where it is in this stack."""
    path = text(link.inputs.get("dataRepositoryPath"))
    if isinstance(path, str):
        name = path.removeprefix("s3://").partition("/")[0]
        return next(iter(index.targets(link, "bucket", resource_types.BUCKET, name).certain), None)
    resources = index.targets(link, "dataRepositoryPath", resource_types.BUCKET).certain
    return resources[0] if len(resources) == 1 else None


def _firewall(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the traffic that its security groups block, where all of them are in this stack."""
    groups = index.targets(resource, "securityGroupIds", resource_types.SECURITY_GROUP)
    if not groups.certain or not groups.exact:
        return
    if groups.any_target(lambda group: traffic.port_open(group, _LNET, index)) is False:
        yield (
            "security_group_ids: they do not allow traffic between the file system's "
            "servers: open tcp 988 and 1018-1023 to the group itself"
        )
    request = _request_of(resource)
    if isinstance(request, str) or not request.efa:
        return
    for direction in traffic.DIRECTIONS:
        if (
            groups.any_target(partial(traffic.self_open, direction=direction, index=index))
            is False
        ):
            yield (
                f"security_group_ids: EFA requires a rule that allows all {direction} "
                "traffic, protocol -1, with the group itself as the peer"
            )


def _sole_workload_in_subnet(resource: Resource, index: Index) -> Resource | None:
    """Return the machines in the same subnet, if there is exactly one such workload."""
    own_subnets = {
        subnet.urn
        for subnet in index.targets(resource, "subnetIds", resource_types.SUBNET).certain
    }
    resources = [
        workload
        for kind in _MACHINES
        for workload in index.of_kind(kind)
        if own_subnets & {subnet.urn for subnet in locations.subnets_of(workload, index).certain}
    ]
    return resources[0] if len(resources) == 1 else None


def _one_zone(resource: Resource, group: Resource | None, index: Index) -> Known:
    """Return whether machines are in its zone; UNKNOWN without known machines."""
    if group is not None:
        return True
    zones = {
        zone
        for kind in _MACHINES
        for workload in index.of_kind(kind)
        for zone in _zones_of_machines(workload, index)
    }
    machine_zones = set(locations.zones_of(resource, index))
    return bool(machine_zones & zones) if machine_zones and zones else UNKNOWN


def _zones_of_machines(workload: Resource, index: Index) -> tuple[str, ...]:
    return locations.zones_of(workload, index, group_request_of(workload, index).launches)
