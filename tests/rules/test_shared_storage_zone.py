"""A file system in the zone of its machines."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.cluster import cluster
from tests.rules.cases.file_systems import FILES, amlfs, managed_lustre, mounted
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import outcome_of


@pytest.mark.parametrize(
    ("location", "outcome"),
    [("us-central1-a", "violated"), (UNKNOWN, "not-knowable"), ("us-central1-b", "fine")],
)
def test_managed_lustre_in_another_zone(location, outcome):
    assert outcome_of(managed_lustre(location=location), "shared-storage-zone") == outcome


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


def test_without_machines_it_is_unknown():
    program = Program()
    program.add("aws:efs/fileSystem:FileSystem", "home", availabilityZoneName="us-east-1b")
    assert outcome_of(program, "shared-storage-zone") == "not-knowable"


def test_one_in_another_zone_is_told():
    case = cluster()
    other = case.program.add(
        "aws:ec2/subnet:Subnet", "b", availabilityZone="us-east-1b", cidrBlock="10.0.2.0/24"
    )
    case.program.add(
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        "files",
        subnetIds=other.id,
        deploymentType="SCRATCH_2",
        storageCapacity=1200,
    )

    assert outcomes(of_resources(case.program.resources()), "shared-storage-zone") == ["violated"]


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, "fine"),
        ({"one_zone": False}, "violated"),
        ({"one_zone": UNKNOWN}, "not-knowable"),
    ],
    ids=str,
)
def test_a_file_system_is_in_the_zone_of_its_machines(changes, outcome):
    (finding,) = findings(mounted(**changes), "shared-storage-zone")
    assert (finding.outcome, finding.subject) == (outcome, FILES.subject)
    assert bool(finding.fix) == (outcome != "fine")


def test_without_a_file_system_shared_storage_zone_does_not_apply():
    assert outcomes(plan(group()), "shared-storage-zone") == ["not-applicable"]
