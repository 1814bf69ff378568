"""Builds the parallel file system beside a training workload: FSx for Lustre, in its subnet."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.build.payload import Shared
from gpuinfra.clouds.aws.lustre.tiers import PORTS, TIERED, VERSION, WITH_METADATA, Asked, asked
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.network import Place
from gpuinfra.stackfile.schema import Training
from gpuinfra.stackfile.storage import SharedStorage

_SIDES: Final = (
    ("inside", "shared", "shared"),
    ("from_machines", "shared", "machines"),
    ("to_machines", "machines", "shared"),
)
"""Who is talked to, and by whom: the file system's servers among themselves, machines to them,
and they to machines, of whom they take locks back."""

_WAYS: Final = (
    ("ingress", aws.vpc.SecurityGroupIngressRule),
    ("egress", aws.vpc.SecurityGroupEgressRule),
)


def _rules() -> Iterator[tuple[str, Any]]:
    for side, _, _ in _SIDES:
        for way, kind in _WAYS:
            for part in ("", "_servers"):
                yield f"shared_{side}_{way}{part}", kind


KINDS: Final[Kinds] = {
    "shared": aws.fsx.LustreFileSystem,
    "shared_firewall": aws.ec2.SecurityGroup,
    "shared_bucket": aws.fsx.DataRepositoryAssociation,
    **dict(_rules()),
}

READ_CACHE: Final = "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"
"""What is read often lies on SSD, as much as the throughput wants:
https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-ssd-read-cache.html"""

CHANGES: Final = ("NEW", "CHANGED", "DELETED")
"""What of a bucket shows in the file system, and goes back where that is asked for."""


def linked(workload: Training) -> tuple[str, ...]:
    """The bucket that shows in the file system, by its name in the stack; or none."""
    wish = workload.shared_storage
    return () if wish is None or wish.bucket is None else (wish.bucket,)


def make_shared(
    children: Children,
    workload: Training,
    place: Place,
    machines: aws.ec2.SecurityGroup,
    buckets: Mapping[str, Any],
) -> Shared | None:
    """Register the file system, its firewall, and its link to a bucket.

    A persistent one that is not linked to a bucket leaves a final backup when it is deleted, which
    is paid for until somebody deletes it; of all others the content is gone. Automatic backups are
    off: they cost, and a run saves itself to its checkpoints.

    Args:
        children: of the component.
        workload: the workload.
        place: where its machines stand; the file system stands in the same subnet.
        machines: their firewall.
        buckets: physical names.
    """
    wish = workload.shared_storage
    if wish is None:
        return None
    wanted = asked(wish)
    firewall = children.make(
        aws.ec2.SecurityGroup,
        "shared_firewall",
        vpc_id=place.vpc_id,
        description=f"File system of {children.order.name}",
    )
    groups = {"shared": firewall.id, "machines": machines.id}
    rules = [*_open(children, groups, everything=wish.efa)]
    made = children.make(
        aws.fsx.LustreFileSystem,
        "shared",
        opts=children.options(
            # FSx looks at the rules when it is asked for a file system.
            depends_on=rules,
            # The provider would ask for another speed, which FSx refuses where EFA is on.
            replace_on_changes=["perUnitStorageThroughput"] if wish.efa else None,
        ),
        subnet_ids=place.subnet_ids[0],
        security_group_ids=[firewall.id],
        deployment_type=wanted.deployment,
        storage_type=wanted.storage,
        file_system_type_version=VERSION,
        data_compression_type="LZ4",
        **_sized(wanted),
        **_kept(wanted, linked=wish.bucket is not None),
    )
    if wish.bucket is not None:
        _link(children, made, wish, buckets[wish.bucket])
    return Shared(dns_name=made.dns_name, mount_name=made.mount_name, efa=wish.efa)


def _sized(wanted: Asked) -> dict[str, Any]:
    """What it takes of size, speed and metadata."""
    if wanted.storage == TIERED:
        return {
            "throughput_capacity": wanted.throughput,
            "metadata_configuration": {"mode": "USER_PROVISIONED", "iops": wanted.metadata},
            "data_read_cache_configuration": {"sizing_mode": READ_CACHE},
            **({"efa_enabled": True} if wanted.efa else {}),
        }
    found: dict[str, Any] = {"storage_capacity": wanted.size}
    if wanted.throughput is not None:
        found["per_unit_storage_throughput"] = wanted.throughput
    if wanted.storage == "HDD":
        found["drive_cache_type"] = "NONE"
    if wanted.deployment == WITH_METADATA:
        found["metadata_configuration"] = (
            {"mode": "AUTOMATIC"}
            if wanted.metadata is None
            else {"mode": "USER_PROVISIONED", "iops": wanted.metadata}
        )
    if wanted.efa:
        found["efa_enabled"] = True
    return found


def _kept(wanted: Asked, *, linked: bool) -> dict[str, Any]:
    """Backups, where it takes any: https://docs.aws.amazon.com/fsx/latest/LustreGuide/."""
    tier = wanted.tier
    if tier is None or not tier.backups:
        return {}
    return {"automatic_backup_retention_days": 0, "skip_final_backup": linked}


def _open(
    children: Children, groups: Mapping[str, pulumi.Output[str]], *, everything: bool
) -> Iterator[pulumi.Resource]:
    """Let servers and machines talk: by Lustre's ports or, for EFA, in every way."""
    ports: Sequence[tuple[int, int] | None] = (None,) if everything else PORTS
    for side, owner, peer in _SIDES:
        for way, kind in _WAYS:
            here, there = (owner, peer) if way == "ingress" else (peer, owner)
            for part, span in zip(("", "_servers"), ports, strict=False):
                yield children.make(
                    kind,
                    f"shared_{side}_{way}{part}",
                    security_group_id=groups[here],
                    referenced_security_group_id=groups[there],
                    **_span(span),
                )


def _span(ports: tuple[int, int] | None) -> dict[str, Any]:
    if ports is None:
        return {"ip_protocol": "-1"}
    first, last = ports
    return {"ip_protocol": "tcp", "from_port": first, "to_port": last}


def _link(
    children: Children,
    made: aws.fsx.LustreFileSystem,
    wish: SharedStorage,
    bucket: pulumi.Input[str],
) -> None:
    """Show a part of a bucket in the file system. Its files stay in the bucket when it goes.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html
    """
    way: dict[str, Any] = {"auto_import_policy": {"events": list(CHANGES)}}
    if wish.export:
        way["auto_export_policy"] = {"events": list(CHANGES)}
    children.make(
        aws.fsx.DataRepositoryAssociation,
        "shared_bucket",
        file_system_id=made.id,
        file_system_path="/",
        data_repository_path=pulumi.Output.concat(
            "s3://", bucket, f"/{wish.prefix}" if wish.prefix else ""
        ),
        batch_import_meta_data_on_create=True,
        s3=way,
    )
