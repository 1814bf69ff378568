"""Attached disks: in the zone of their machine, of a type that it takes, cached where it can."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from gpuinfra.rules import Finding
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


def limits(program: Program, moment: Any = "created") -> Finding:
    """What is said of the disks of the one group; disks are told by themselves, besides."""
    judged = of_resources(program.resources(moment))
    (group,) = judged.groups
    (finding,) = (
        finding for finding in findings(judged, "disk-limits") if finding.subject == group.subject
    )
    return finding


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


def joined(way: str, **disk: Any) -> GcpProgram:
    """A machine of Google Cloud with a disk, attached inline or by a resource of its own."""
    program = GcpProgram()
    data = program.add("compute/disk:Disk", "data", size=100, **disk)
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
    return program


@both
@pytest.mark.parametrize("way", ["inline", "apart"])
@pytest.mark.parametrize(
    ("zone", "outcome"), [("us-central1-a", "fine"), ("us-central1-f", "violated")]
)
def test_a_disk_of_google_cloud_in_another_zone(zone, outcome, way, moment):
    assert limits(joined(way, zone=zone), moment).outcome == outcome


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
    program = joined(way, zone="us-central1-a", type=kind)
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


@both
@pytest.mark.parametrize(
    ("caching", "kind", "outcome"),
    [
        ("ReadOnly", "PremiumV2_LRS", "violated"),
        ("ReadWrite", "UltraSSD_LRS", "violated"),
        ("ReadOnly", "Premium_LRS", "fine"),
        ("ReadOnly", UNKNOWN, "fine"),
        ("None", "PremiumV2_LRS", "fine"),
        (None, "UltraSSD_LRS", "fine"),
    ],
)
def test_an_attached_disk_of_azure_that_no_machine_caches(caching, kind, outcome, moment):
    program = AzureProgram()
    data = program.add("azure-native:compute:Disk", "data", diskSizeGB=100, sku={"name": kind})
    disk = {"createOption": "Attach", "caching": caching, "managedDisk": {"id": data.id}}
    program.add(
        "azure-native:compute:VirtualMachine",
        "box",
        hardwareProfile={"vmSize": "Standard_NC4as_T4_v3"},
        storageProfile={"dataDisks": [disk]},
    )
    assert limits(program, moment).outcome == outcome


def test_a_machine_in_an_unknown_zone_takes_any_disk():
    program = Program()
    box = program.add("aws:ec2/instance:Instance", "box", ami="ami-1", instanceType="g6.xlarge")
    data = program.add("aws:ebs/volume:Volume", "data", availabilityZone="us-east-1b", size=100)
    program.add(
        "aws:ec2/volumeAttachment:VolumeAttachment", "j", instanceId=box.id, volumeId=data.id
    )
    assert limits(program).outcome == "fine"
