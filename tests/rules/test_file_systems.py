"""File systems of three clouds beside their machines: zone, speed, labels, what is refused."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, FileSystem, faults_of
from gpuinfra.planning import from_resources
from tests.rules.cases import azure_cluster, gcp_cluster
from tests.rules.cases.cluster import cluster
from tests.rules.cases.file_systems import amlfs, managed_lustre
from tests.rules.cases.judging import RICH, findings, of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.static_checks import files
from tests.rules.cases.verdicts import outcome_of


def files_of(program: Program, moment: Any = "created") -> FileSystem:
    seen = from_resources(program.resources(moment), name="shop", caps=RICH)
    (file_system,) = seen.file_systems
    return file_system


def efs(**inputs: Any) -> Program:
    case = cluster()
    case.program.add("aws:efs/fileSystem:FileSystem", "home", **inputs)
    return case.program


def test_efs_stands_in_every_zone_and_is_encrypted_where_it_says_so():
    files = files_of(efs())
    assert (files.kind, files.cloud, files.region) == ("efs", "aws", "us-east-1")
    assert (files.one_zone, files.group, files.encrypted) == (True, "workers", False)
    assert (files.size_gib, files.throughput_mbs, files.labels) == (None, None, frozenset())
    told = files_of(efs(encrypted=True, tags={"Owner": "me"}))
    assert (told.encrypted, told.labels) == (True, {"Owner"})
    assert files_of(efs(encrypted=UNKNOWN)).encrypted is UNKNOWN


@pytest.mark.parametrize(
    ("zone", "known"), [("us-east-1a", True), ("us-east-1b", False), (UNKNOWN, UNKNOWN)]
)
def test_efs_of_one_zone(zone, known):
    assert files_of(efs(availabilityZoneName=zone)).one_zone is known


def test_efs_is_as_fast_as_it_is_told():
    files = files_of(efs(throughputMode="provisioned", provisionedThroughputInMibps=1000))
    assert files.throughput_mbs == Decimal("1048.576")
    hidden = efs(throughputMode="provisioned", provisionedThroughputInMibps=UNKNOWN)
    assert files_of(hidden).throughput_mbs is UNKNOWN


@both
def test_openzfs_beside_and_away_from_its_machines(moment):
    case = cluster()
    zfs = case.program.add(
        "aws:fsx/openZfsFileSystem:OpenZfsFileSystem",
        "home",
        deploymentType="SINGLE_AZ_2",
        storageCapacity=1024,
        throughputCapacity=2560,
        subnetIds=case.subnet.id,
    )
    files = files_of(case.program, moment)
    assert (files.kind, files.size_gib, files.throughput_mbs) == ("openzfs", 1024, 2560)
    assert (files.one_zone, files.group, files.encrypted) == (True, "workers", True)
    # 32 H100 at 58 MB/s each
    assert outcome_of(case.program, "storage-speed", moment) == "fine"
    case.program.change(zfs, throughputCapacity=1280)
    assert outcome_of(case.program, "storage-speed", moment) == "violated"
    other = case.program.add("aws:ec2/subnet:Subnet", "b", availabilityZone="us-east-1b")
    case.program.change(zfs, subnetIds=other.id)
    assert outcome_of(case.program, "shared-storage-zone", moment) == "violated"


def test_managed_lustre_beside_its_machines():
    files = files_of(managed_lustre(labels={"owner": "me"}))
    assert (files.kind, files.region, files.size_gib) == ("lustre", "us-central1", 18_000)
    assert files.throughput_mbs == 1000 * 18_000 / 1024
    assert (files.one_zone, files.group, files.encrypted) == (True, "workers", True)
    assert (faults_of(files.faults, "shared-storage-settings"), files.labels) == ((), {"owner"})
    assert outcome_of(managed_lustre(), "storage-speed") == "fine"
    slow = managed_lustre(capacityGib=9000, perUnitStorageThroughput="125")
    assert outcome_of(slow, "storage-speed") == "violated"


@pytest.mark.parametrize(
    "hidden", [{"capacityGib": UNKNOWN}, {"perUnitStorageThroughput": UNKNOWN}]
)
def test_a_speed_that_is_hidden_is_not_known(hidden):
    assert files_of(managed_lustre(**hidden)).throughput_mbs is UNKNOWN
    gone = dict.fromkeys(hidden)
    assert files_of(managed_lustre(**gone)).throughput_mbs is None


def test_filestore_of_a_region_is_in_every_zone_and_parallelstore_in_one():
    case = gcp_cluster.roce()
    share = case.program.add(
        "filestore/instance:Instance",
        "home",
        location="us-central1",
        tier="BASIC_HDD",
        fileShares={"name": "home", "capacityGb": 1024},
    )
    files = files_of(case.program)
    assert (files.kind, files.size_gib, files.one_zone) == ("filestore", 1024, True)
    assert (files.throughput_mbs, files.group) == (None, "workers")
    case.program.drop(share)
    case.program.add(
        "parallelstore/instance:Instance", "fast", location="us-central1-a", capacityGib=12_000
    )
    files = files_of(case.program)
    assert (files.kind, files.one_zone, files.group) == ("parallelstore", False, None)


def test_lustre_of_azure_beside_its_machines():
    files = files_of(amlfs(tags={"team": "a"}))
    assert (files.kind, files.region, files.size_gib) == ("lustre", "eastus", 8192)
    assert (files.throughput_mbs, files.one_zone, files.group) == (2000, True, "workers")
    assert (files.encrypted, faults_of(files.faults, "shared-storage-settings"), files.labels) == (
        True,
        (),
        {"team"},
    )
    assert outcome_of(amlfs(), "storage-speed") == "fine"
    assert outcome_of(amlfs(storageCapacityTiB=4), "storage-speed") == "violated"


@pytest.mark.parametrize(
    ("sku", "size", "speed"),
    [
        ("AMLFS-Durable-Premium-40", 48, 1920),
        ("another", 8, None),
        (UNKNOWN, 8, UNKNOWN),
        ("AMLFS-Durable-Premium-40", UNKNOWN, UNKNOWN),
        ("AMLFS-Durable-Premium-40", None, None),
    ],
)
def test_speeds_of_lustre_of_azure(sku, size, speed):
    files = files_of(amlfs(sku={"name": sku}, storageCapacityTiB=size))
    assert files.throughput_mbs == speed


@pytest.mark.parametrize(
    ("level", "speed"),
    [("Ultra", "536.870912"), ("standard", "67.108864"), ("Other", None)],
)
def test_a_pool_of_netapp(level, speed):
    case = azure_cluster.cluster()
    case.program.add(
        "azure-native:netapp:CapacityPool", "pool", serviceLevel=level, size=4 * 2**40
    )
    files = files_of(case.program)
    assert (files.kind, files.size_gib, files.one_zone) == ("netapp", 4096, UNKNOWN)
    assert files.throughput_mbs == (None if speed is None else Decimal(speed))


def test_of_two_groups_nobody_knows_which_mounts_it():
    case = cluster()
    case.program.add("aws:efs/fileSystem:FileSystem", "home")
    case.program.add(
        "aws:ec2/instance:Instance",
        "box",
        instanceType="g6.xlarge",
        ami="ami-1",
        subnetId=case.subnet.id,
    )
    assert files_of(case.program).group is None


def test_machines_whose_zone_nobody_knows_may_stand_beside_it():
    case = cluster()
    case.program.add("aws:efs/fileSystem:FileSystem", "home", availabilityZoneName="us-east-1b")
    case.program.add("aws:ec2/instance:Instance", "box", instanceType="g6.xlarge", ami="ami-1")
    assert files_of(case.program).one_zone is UNKNOWN


@both
def test_a_stranger_s_file_system_belongs_to_the_machines_in_its_subnet(moment):
    case = cluster()
    case.program.add(
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        "files",
        region="us-east-1",
        subnetIds=case.subnet.id,
        deploymentType="SCRATCH_2",
        storageCapacity=12_000,
    )
    seen = of_resources(case.program.resources(moment))

    (file_system,) = seen.file_systems
    assert (file_system.group, file_system.one_zone) == (seen.groups[0].name, True)
    assert outcomes(seen, "shared-storage-zone") == ["fine"]
    assert "2,400 MB/s" in findings(seen, "storage-speed")[0].message


def test_alone_it_is_unknown_which_machines_mount_it():
    seen = of_resources(files().resources())

    assert outcomes(seen, "shared-storage-settings") == ["fine"]
    assert outcomes(seen, "shared-storage-zone") == ["not-knowable"]
