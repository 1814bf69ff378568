"""File systems of three clouds beside their machines: zone, speed, labels, what is refused."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, FileSystem, faults_of
from gpuinfra.planning import from_resources
from gpuinfra.rules import Finding
from tests.rules.cases import azure_cluster, gcp_cluster
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.cluster import cluster
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import RICH, findings, of_resources, outcomes
from tests.rules.cases.program import Program

both = pytest.mark.parametrize("moment", ["preview", "created"])


def files_of(program: Program, moment: Any = "created") -> FileSystem:
    seen = from_resources(program.resources(moment), name="shop", caps=RICH)
    (file_system,) = seen.file_systems
    return file_system


def outcome_of(program: Program, rule: str, moment: Any = "created") -> str:
    (outcome,) = outcomes(of_resources(program.resources(moment)), rule)
    return outcome


def limits(program: Program, moment: Any = "created") -> Finding:
    """What is said of the disks of the one group; disks are told by themselves, besides."""
    judged = of_resources(program.resources(moment))
    (group,) = judged.groups
    (finding,) = (
        finding for finding in findings(judged, "disk-limits") if finding.subject == group.subject
    )
    return finding


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


def managed_lustre(**inputs: Any) -> Program:
    case = gcp_cluster.roce()
    case.program.add(
        "lustre/instance:Instance",
        "scratch",
        **{
            "location": "us-central1-b",
            "capacityGib": 18_000,
            "perUnitStorageThroughput": "1000",
            **inputs,
        },
    )
    return case.program


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
    ("location", "outcome"),
    [("us-central1-a", "violated"), (UNKNOWN, "not-knowable"), ("us-central1-b", "fine")],
)
def test_managed_lustre_in_another_zone(location, outcome):
    assert outcome_of(managed_lustre(location=location), "shared-storage-zone") == outcome


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"perUnitStorageThroughput": "200"}, "200; allowed: 125, 250, 500, 1000"),
        ({"capacityGib": 8999}, "8,999 is not between 9,000 and 7,632,000"),
        ({"capacityGib": 9000}, ""),
        ({"capacityGib": 7_632_000}, ""),
        ({"capacityGib": 7_632_001}, "is not between"),
        ({"capacityGib": UNKNOWN, "perUnitStorageThroughput": UNKNOWN}, ""),
    ],
)
def test_sizes_and_speeds_that_google_refuses(inputs, words):
    judged = of_resources(managed_lustre(**inputs).resources())
    (finding,) = findings(judged, "shared-storage-settings")
    assert finding.outcome == ("violated" if words else "fine")
    assert words in finding.message


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


def amlfs(**inputs: Any) -> Program:
    case = azure_cluster.cluster()
    case.program.add(
        "azure-native:storagecache:AmlFilesystem",
        "scratch",
        **{
            "sku": {"name": "AMLFS-Durable-Premium-250"},
            "storageCapacityTiB": 8,
            "zones": ["1"],
            **inputs,
        },
    )
    return case.program


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
    ("inputs", "outcome"),
    [
        ({"zones": ["2"]}, "violated"),
        ({"zones": ["1"]}, "fine"),
        ({"zones": UNKNOWN}, "not-knowable"),
        ({"zones": None}, "not-knowable"),
    ],
)
def test_lustre_of_azure_in_another_zone(inputs, outcome):
    assert outcome_of(amlfs(**inputs), "shared-storage-zone") == outcome


def test_lustre_of_azure_stands_in_one_zone():
    (finding,) = findings(
        of_resources(amlfs(zones=["1", "2"]).resources()), "shared-storage-settings"
    )
    assert "2 are named; it is in one" in finding.message


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


def test_without_machines_nobody_knows():
    program = Program()
    program.add("aws:efs/fileSystem:FileSystem", "home", availabilityZoneName="us-east-1b")
    assert outcome_of(program, "shared-storage-zone") == "not-knowable"


@both
@pytest.mark.parametrize(
    ("zone", "outcome"),
    [("us-east-1a", "fine"), ("us-east-1b", "violated"), (UNKNOWN, "fine")],
)
def test_a_volume_of_aws_in_another_zone(zone, outcome, moment):
    program = Program()
    box = program.add(
        "aws:ec2/instance:Instance",
        "box",
        ami="ami-1",
        instanceType="g6.xlarge",
        availabilityZone="us-east-1a",
    )
    data = program.add("aws:ebs/volume:Volume", "data", availabilityZone=zone, size=100)
    program.add(
        "aws:ec2/volumeAttachment:VolumeAttachment",
        "joined",
        deviceName="/dev/sdf",
        instanceId=box.id,
        volumeId=data.id,
    )
    finding = limits(program, moment)
    assert finding.outcome == outcome
    if outcome == "violated":
        assert "the disk data is in us-east-1b, its machine in us-east-1a" in finding.message


@both
@pytest.mark.parametrize("way", ["inline", "apart"])
@pytest.mark.parametrize(
    ("zone", "outcome"), [("us-central1-a", "fine"), ("us-central1-f", "violated")]
)
def test_a_disk_of_google_cloud_in_another_zone(zone, outcome, way, moment):
    program = GcpProgram()
    data = program.add("compute/disk:Disk", "data", zone=zone, size=100)
    inline = {"attachedDisks": [{"source": data.id}]} if way == "inline" else {}
    box = program.add(
        "compute/instance:Instance",
        "box",
        machineType="g2-standard-4",
        zone="us-central1-a",
        bootDisk={"initializeParams": {"size": 100}},
        **inline,
    )
    if way == "apart":
        program.add("compute/attachedDisk:AttachedDisk", "joined", disk=data.id, instance=box.id)
    assert limits(program, moment).outcome == outcome


@both
@pytest.mark.parametrize("way", ["inline", "apart"])
@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("pd-ssd", "fine"),
        ("zones/us-central1-a/diskTypes/hyperdisk-ml", "fine"),
        ("hyperdisk-extreme", "violated"),
        ("zones/us-central1-a/diskTypes/hyperdisk-balanced", "violated"),
        (None, "fine"),
        (UNKNOWN, "fine"),
    ],
)
def test_a_disk_of_google_cloud_of_a_type_that_its_machine_does_not_take(
    kind, outcome, way, moment
):
    program = GcpProgram()
    data = program.add("compute/disk:Disk", "data", zone="us-central1-a", size=100, type=kind)
    inline = {"attachedDisks": [{"source": data.id}]} if way == "inline" else {}
    box = program.add(
        "compute/instance:Instance",
        "box",
        machineType="g2-standard-4",
        zone="us-central1-a",
        bootDisk={"initializeParams": {"size": 100}},
        **inline,
    )
    if way == "apart":
        program.add("compute/attachedDisk:AttachedDisk", "joined", disk=data.id, instance=box.id)
    assert limits(program, moment).outcome == outcome


@both
@pytest.mark.parametrize(
    ("zones", "outcome"),
    [(["1"], "fine"), (["2"], "violated"), (None, "fine"), (UNKNOWN, "fine")],
)
def test_a_disk_of_azure_in_another_zone(zones, outcome, moment):
    program = AzureProgram()
    data = program.add("azure-native:compute:Disk", "data", diskSizeGB=100, zones=zones)
    disk = {"createOption": "Attach", "managedDisk": {"id": data.id}}
    program.add(
        "azure-native:compute:VirtualMachine",
        "box",
        hardwareProfile={"vmSize": "Standard_NC4as_T4_v3"},
        zones=["1"],
        storageProfile={"dataDisks": [disk]},
    )
    assert limits(program, moment).outcome == outcome


def test_a_machine_whose_zone_nobody_knows_takes_any_disk():
    program = Program()
    box = program.add("aws:ec2/instance:Instance", "box", ami="ami-1", instanceType="g6.xlarge")
    data = program.add("aws:ebs/volume:Volume", "data", availabilityZone="us-east-1b", size=100)
    program.add(
        "aws:ec2/volumeAttachment:VolumeAttachment", "j", instanceId=box.id, volumeId=data.id
    )
    assert limits(program).outcome == "fine"


def test_the_limits_of_disks_on_google_cloud():
    case = gcp_cluster.roce()
    disk = {"boot": True, "sourceImage": "own", "diskType": "hyperdisk-balanced"}
    for more, words in (
        ({"diskSizeGb": 500}, ""),
        ({"diskSizeGb": 2}, "does not support 2 GiB: 4 to 65,536"),
        ({"provisionedIops": 200_000}, "does not support 200,000 IOPS: 3,000 to 160,000"),
        ({"provisionedThroughput": 100}, "does not support 100 MiB/s: 140 to 2,400"),
    ):
        case.program.change(case.template, disks=[{**disk, **more}])
        (finding,) = findings(of_resources(case.program.resources()), "disk-limits")
        assert finding.outcome == ("violated" if words else "fine")
        assert words in finding.message
    plain = gcp_cluster.tcpx()
    slow = {**disk, "diskType": "pd-ssd", "provisionedIops": 3000}
    plain.program.change(plain.template, disks=[slow])
    (finding,) = findings(of_resources(plain.program.resources()), "disk-limits")
    assert "the IOPS of a pd-ssd disk can't be set" in finding.message
    plain.program.change(plain.template, disks=UNKNOWN)
    assert outcome_of(plain.program, "disk-limits") == "not-knowable"


@pytest.mark.parametrize(
    ("storage", "words"),
    [
        ({"osDisk": {"diskSizeGB": 4095}}, ""),
        ({"osDisk": {"diskSizeGB": 4096}}, "4,096 GiB exceed its limit of 4,095"),
        (
            {"osDisk": {"managedDisk": {"storageAccountType": "UltraSSD_LRS"}}},
            "machines can't start from a UltraSSD_LRS disk",
        ),
        ({"dataDisks": [{"diskSizeGB": 32_768}]}, ""),
        (
            {
                "dataDisks": [
                    {"diskSizeGB": 32_768, "managedDisk": {"storageAccountType": "Premium_LRS"}}
                ]
            },
            "limit of 32,767",
        ),
        (
            {
                "dataDisks": [
                    {
                        "diskSizeGB": 100,
                        "diskIOPSReadWrite": 5000,
                        "managedDisk": {"storageAccountType": "Premium_LRS"},
                    }
                ]
            },
            "sets its IOPS and MB/s",
        ),
        (
            {
                "dataDisks": [
                    {
                        "diskSizeGB": 100,
                        "diskIOPSReadWrite": 90_000,
                        "managedDisk": {"storageAccountType": "PremiumV2_LRS"},
                    }
                ]
            },
            "90,000 IOPS exceed its limit of 80,000",
        ),
    ],
)
def test_the_limits_of_disks_on_azure(storage, words):
    case = azure_cluster.cluster()
    case.profile(storageProfile=storage)
    (finding,) = findings(of_resources(case.program.resources()), "disk-limits")
    assert finding.outcome == ("violated" if words else "fine")
    assert words in finding.message


def test_disks_that_are_hidden_on_azure_are_not_knowable():
    case = azure_cluster.cluster()
    case.profile(storageProfile=UNKNOWN)
    assert outcome_of(case.program, "disk-limits") == "not-knowable"
