"""One refused input per static check of AWS (A1 to A13), as strangers write them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.rules.cases import stacks
from tests.rules.cases.cluster import Cluster, cluster, current_nics
from tests.rules.cases.faults import changed
from tests.rules.cases.program import Program


@dataclass(frozen=True)
class Static:
    """A program with one thing in it that AWS refuses, the rule that says so, and its words.

    `early` says that the sandbox's provider refuses it by itself, before a policy is asked.
    """

    rule: str
    program: Program
    words: str
    early: bool = False


def broken(rule: str, words: str, spoil: Callable[[Cluster], None], **given: Any) -> Static:
    case = cluster(**given)
    spoil(case)
    return Static(rule, case.program, words)


def nics(make: Callable[[Any], list[dict[str, Any]]]) -> Callable[[Cluster], None]:
    def spoil(case: Cluster) -> None:
        case.program.change(case.template, networkInterfaces=make(case.group.id))

    return spoil


def first_nic(**inputs: Any) -> Callable[[Any], list[dict[str, Any]]]:
    def make(group: Any) -> list[dict[str, Any]]:
        first, *others = current_nics(32, group)
        return [{**first, **inputs}, *others]

    return make


def third_nic(**inputs: Any) -> Callable[[Any], list[dict[str, Any]]]:
    def make(group: Any) -> list[dict[str, Any]]:
        first, two, three, *others = current_nics(32, group)
        return [first, two, {**three, **inputs}, *others]

    return make


def second_zone(case: Cluster) -> None:
    other = case.program.add(
        "aws:ec2/subnet:Subnet", "b", availabilityZone="us-east-1b", cidrBlock="10.0.2.0/24"
    )
    case.program.change(case.scaling, vpcZoneIdentifiers=[case.subnet.id, other.id])


def block(*, placed: bool = False, named: bool = True) -> Callable[[Cluster], None]:
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}}

    def spoil(case: Cluster) -> None:
        more: dict[str, Any] = {"instanceMarketOptions": {"marketType": "capacity-block"}}
        if named:
            more["capacityReservationSpecification"] = target
        if not placed:
            more["placement"] = None
        case.program.change(case.template, **more)

    return spoil


def spot(behavior: str) -> Callable[[Cluster], None]:
    options = {"marketType": "spot", "spotOptions": {"instanceInterruptionBehavior": behavior}}
    return changed("template", instanceMarketOptions=options)


def disk(**ebs: Any) -> Callable[[Cluster], None]:
    return changed(
        "template",
        blockDeviceMappings=[
            {"deviceName": "/dev/sda1", "ebs": {"volumeType": "gp3", "encrypted": "true", **ebs}}
        ],
    )


def warm_pool() -> Program:
    program = stacks.mixed_pool(spotAllocationStrategy="price-capacity-optimized")
    (group,) = [handle for handle in program.handles.values() if handle.type.endswith(":Group")]
    program.change(group, warmPool={"minSize": 1})
    return program


def files(**inputs: Any) -> Program:
    """A file system for Lustre, with one thing in it that FSx refuses."""
    program = Program()
    subnet = program.add(
        "aws:ec2/subnet:Subnet", "a", availabilityZone="us-east-1a", cidrBlock="10.0.1.0/24"
    )
    program.add(
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        "files",
        region="us-east-1",
        **{
            "subnetIds": subnet.id,
            "deploymentType": "PERSISTENT_2",
            "perUnitStorageThroughput": 250,
            "storageCapacity": 2400,
            **inputs,
        },
    )
    return program


SCRATCH = {"deploymentType": "SCRATCH_2", "perUnitStorageThroughput": None}
LUSTRE: Mapping[str, tuple[dict[str, Any], str]] = {
    "capacity-step": ({"storageCapacity": 3000}, "2400GiB or 4800GiB"),
    "throughput-tier": ({"perUnitStorageThroughput": 200}, "125, 250, 500, 1000"),
    "efa-without-metadata": (
        {"efaEnabled": True, "storageCapacity": 19_200},
        "efa_enabled: requires a metadata_configuration",
    ),
    "efa-too-small": (
        {"efaEnabled": True, "metadataConfiguration": {"mode": "AUTOMATIC"}},
        "19200GiB",
    ),
    "key-on-scratch": (
        {**SCRATCH, "kmsKeyId": "arn:aws:kms:us-east-1:123456789012:key/1"},
        "does not support a customer key",
    ),
    "import-path": ({"importPath": "s3://theirs/"}, "create a DataRepositoryAssociation"),
    "list-of-subnets": (
        {"subnetIds": ["subnet-1a2b3c"]},
        "subnet_ids must be a string, not a list",
    ),
    "backups-of-scratch": (
        {**SCRATCH, "automaticBackupRetentionDays": 7},
        "does not support backups",
    ),
    "hdd-without-cache": (
        {
            "deploymentType": "PERSISTENT_1",
            "storageType": "HDD",
            "perUnitStorageThroughput": 12,
            "storageCapacity": 6000,
        },
        "drive_cache_type",
    ),
}


def cases() -> Iterator[tuple[str, Static]]:
    """Every case by its check and what is wrong; a check may have several."""
    yield (
        "a1-no-efa",
        broken("fabric-capable", "has no", changed("template", instanceType="g5.xlarge")),
    )
    yield (
        "a2-device-beyond-card",
        broken("fabric-cards", "has devices 0 to 1", nics(third_nic(deviceIndex=2))),
    )
    yield (
        "a2-card-beyond-machine",
        broken("fabric-cards", "has cards 0 to 31", nics(third_nic(networkCardIndex=40))),
    )
    yield (
        "a2-first-efa-only",
        broken(
            "fabric-interfaces", "can't be efa-only", nics(first_nic(interfaceType="efa-only"))
        ),
    )
    yield (
        "a2-two-efa-on-a-card",
        broken("fabric-cards", "a second EFA interface", nics(third_nic(networkCardIndex=0))),
    )
    yield (
        "a3-public-subnet",
        broken("fabric-public-ip", "public address", changed("subnet", mapPublicIpOnLaunch=True)),
    )
    yield (
        "a4-no-self-egress",
        broken("fabric-self-egress", "out", lambda case: case.program.drop(case.egress)),
    )
    yield (
        "a4-no-self-ingress",
        broken("fabric-self-ingress", "in", lambda case: case.program.drop(case.ingress)),
    )
    yield "a5-two-zones", broken("fabric-one-zone", "several zones", second_zone)
    yield "a6-placed-block", broken("capacity-block", "placement group", block(placed=True))
    yield (
        "a6-nameless-block",
        broken(
            "capacity-block",
            "the capacity block's reservation is not named: write",
            block(named=False),
        ),
    )
    yield (
        "a7-not-sold-so",
        broken(
            "market-offered",
            "trn2u.48xlarge is not offered on spot",
            spot("terminate"),
            machine="trn2u.48xlarge",
            cards=16,
        ),
    )
    yield "a8-stopped-in-a-group", broken("spot-settings", "set to stop", spot("stop"))
    plain = broken("launch-settings", "encrypted", disk(encrypted=True))
    yield "a9-plain-boolean", replace(plain, early=True)
    copied = broken("launch-settings", "snapshot_id", disk(snapshotId="snap-0123456789abcdef0"))
    yield "a9-snapshot", replace(copied, early=True)
    yield (
        "a10-too-many-operations",
        replace(broken("disk-limits", "80,000", disk(iops=90_000, volumeSize=500)), early=True),
    )
    yield (
        "a10-too-fast-for-its-operations",
        replace(
            broken("disk-limits", "MiB", disk(iops=3000, throughput=2000, volumeSize=500)),
            early=True,
        ),
    )
    yield (
        "a10-beyond-the-machine",
        broken(
            "disk-limits",
            "g6.xlarge supports 20,000 IOPS",
            disk(iops=30_000, volumeSize=500),
            machine="g6.xlarge",
            cards=1,
        ),
    )
    for name, (inputs, words) in LUSTRE.items():
        early = name != "efa-too-small"
        yield f"a11-{name}", Static("shared-storage-settings", files(**inputs), words, early)
    yield "a12-warm-pool", Static("scaling-settings", warm_pool(), "warm pool")
    yield (
        "a13-small-subnet",
        broken(
            "subnet-addresses", "need 128 addresses", changed("subnet", cidrBlock="10.0.1.0/26")
        ),
    )


CASES: Mapping[str, Static] = dict(cases())
