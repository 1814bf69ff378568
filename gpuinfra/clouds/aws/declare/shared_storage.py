"""Declares the parallel file system of a training workload: FSx for Lustre, in its subnet."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.network import INGRESS, SECURITY_GROUP
from gpuinfra.clouds.aws.declare.payload import LustreMount
from gpuinfra.clouds.aws.declare.security_groups import EGRESS, rule, tcp
from gpuinfra.clouds.aws.lustre.tiers import (
    INTELLIGENT_TIERING,
    PERSISTENT_2,
    PORTS,
    VERSION,
    FileSystemRequest,
    request_of,
)
from gpuinfra.clouds.declaring.network import NetworkPlace
from gpuinfra.graph import Options, Resource, concat
from gpuinfra.specs.storage import SharedStorage

_SIDES: Final = (
    ("inside", "shared", "shared"),
    ("from_machines", "shared", "machines"),
    ("to_machines", "machines", "shared"),
)
"""Who is talked to, and by whom: the file system's servers among themselves, machines to them,
and they to machines, of whom they take locks back."""

CHANGES: Final = ("NEW", "CHANGED", "DELETED")
"""What of a bucket shows in the file system, and goes back where that is asked for."""


def make_shared(
    children: Children,
    spec: SharedStorage,
    network_place: NetworkPlace,
    machines: Resource,
    buckets: Mapping[str, Any],
) -> LustreMount:
    """Declare the file system, its security group, and its link to a bucket.

    A persistent one that is not linked to a bucket leaves a final backup when it is deleted, which
    is billed until the user deletes it; of all others the content is gone. Automatic backups are
    off: they cost, and a run saves itself to its checkpoints.

    Args:
        children: of the component.
        spec: the workload's shared_storage.
        network_place: the location of its machines; the file system is in their subnet.
        machines: their firewall.
        buckets: physical names.
    """
    request = request_of(spec)
    firewall = children.make(
        SECURITY_GROUP,
        "shared_firewall",
        vpcId=network_place.vpc_id,
        description=f"File system of {children.spec.name}",
    )
    groups = {"shared": firewall, "machines": machines}
    file_system = children.make(
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        "shared",
        Options(
            # FSx looks at the rules when it is asked for a file system.
            depends_on=tuple(
                resource.key for resource in _allow_traffic(children, groups, everything=spec.efa)
            ),
            # The provider would ask for another speed, which FSx refuses where EFA is on.
            replace_on_changes=("perUnitStorageThroughput",) if spec.efa else (),
        ),
        subnetIds=network_place.first_subnet,
        securityGroupIds=[firewall["id"]],
        deploymentType=request.deployment,
        storageType=request.storage,
        fileSystemTypeVersion=VERSION,
        dataCompressionType="LZ4",
        efaEnabled=request.efa or None,
        **_size_inputs(request),
        **_backup_inputs(request, linked=spec.bucket is not None),
    )
    link = (
        ()
        if spec.bucket is None
        else (_link(children, file_system, spec, buckets[spec.bucket]).key,)
    )
    return LustreMount(
        dns_name=file_system["dnsName"],
        mount_name=file_system["mountName"],
        efa=spec.efa,
        start_after=link,
    )


def _size_inputs(request: FileSystemRequest) -> dict[str, Any]:
    """Return the inputs for size, speed and metadata."""
    iops_inputs = {"mode": "USER_PROVISIONED", "iops": request.metadata}
    if request.storage == INTELLIGENT_TIERING:
        return {
            "throughputCapacity": request.throughput,
            "metadataConfiguration": iops_inputs,
            "dataReadCacheConfiguration": {"sizingMode": request.cache},
        }
    metadata = {"mode": "AUTOMATIC"} if request.metadata is None else iops_inputs
    return {
        "storageCapacity": request.size,
        "perUnitStorageThroughput": request.throughput,
        "driveCacheType": "NONE" if request.storage == "HDD" else None,
        "metadataConfiguration": metadata if request.deployment == PERSISTENT_2 else None,
    }


def _backup_inputs(request: FileSystemRequest, *, linked: bool) -> dict[str, Any]:
    """Return the backup inputs, if any: https://docs.aws.amazon.com/fsx/latest/LustreGuide/."""
    tier = request.tier
    if tier is None or not tier.backups:
        return {}
    return {"automaticBackupRetentionDays": 0, "skipFinalBackup": linked}


def _allow_traffic(
    children: Children, groups: Mapping[str, Resource], *, everything: bool
) -> Iterator[Resource]:
    """Allow traffic between servers and machines: Lustre's ports or, for EFA, all traffic."""
    spans: Sequence[Mapping[str, Any]] = [{}] if everything else [tcp(*port) for port in PORTS]
    for side, owner, peer in _SIDES:
        for direction, token in (("ingress", INGRESS), ("egress", EGRESS)):
            target, source = (owner, peer) if direction == "ingress" else (peer, owner)
            for part, span in zip(("", "_servers"), spans, strict=False):
                yield rule(
                    children,
                    token,
                    f"shared_{side}_{direction}{part}",
                    groups[target],
                    referencedSecurityGroupId=groups[source]["id"],
                    **span,
                )


def _link(children: Children, file_system: Resource, spec: SharedStorage, bucket: Any) -> Resource:
    """Link a part of a bucket to the file system; deleting the link keeps the bucket's files.

    It exists before machines read it and until the last one writes: what is
    written without it does not reach the bucket.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html
    """
    import_policy = {"autoImportPolicy": {"events": CHANGES}}
    if spec.export:
        import_policy["autoExportPolicy"] = {"events": CHANGES}
    return children.make(
        "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation",
        "shared_bucket",
        fileSystemId=file_system["id"],
        fileSystemPath="/",
        dataRepositoryPath=concat("s3://", bucket, f"/{spec.prefix}" if spec.prefix else ""),
        batchImportMetaDataOnCreate=True,
        s3=import_policy,
    )
