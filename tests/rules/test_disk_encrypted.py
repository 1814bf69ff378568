"""Disks of machines and those that stand by themselves are encrypted."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Disk, Safety
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.changed import azure
from tests.rules.cases.cluster import cluster
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts


@pytest.mark.parametrize(
    ("volume", "outcome", "words"),
    [
        ({"encrypted": True}, "fine", "encrypted"),
        ({}, "violated", "it is not declared as encrypted"),
        ({"encrypted": UNKNOWN}, "not-knowable", "its encryption is unknown"),
        ({"snapshotId": "snap-1"}, "not-knowable", "its encryption is unknown"),
        ({"snapshotId": "snap-1", "encrypted": True}, "fine", "encrypted"),
    ],
)
def test_a_disk_that_stands_alone_is_encrypted_too(volume, outcome, words):
    program = Program()
    program.add("aws:ebs/volume:Volume", "data", size=100, **volume)
    judged = of_resources(program.resources())
    assert verdicts(judged, "disk-encrypted") == [(outcome, words)]
    program.add("aws:ebs/encryptionByDefault:EncryptionByDefault", "all", enabled=True)
    assert outcomes(of_resources(program.resources()), "disk-encrypted") == ["fine"]


def test_machines_and_disks_are_judged_each():
    case = cluster()
    case.program.add("aws:ebs/volume:Volume", "data", size=100)
    judged = of_resources(case.program.resources())
    assert outcomes(judged, "disk-encrypted") == ["fine", "violated"]
    assert outcomes(plan(), "disk-encrypted") == ["not-applicable"]


def test_google_and_azure_encrypt_every_disk():
    google, microsoft = GcpProgram(), AzureProgram()
    google.add("compute/disk:Disk", "data", size=100, zone="us-central1-a")
    microsoft.add("azure-native:compute:Disk", "data", diskSizeGB=100)
    for program in (google, microsoft):
        assert outcomes(of_resources(program.resources()), "disk-encrypted") == ["fine"]


def test_disks_that_stand_by_themselves_are_judged_beside_machines_and_without_them():
    safe = group(safety=Safety(disks_encrypted=True))
    disk = Disk(name="spare", subject="urn:spare", cloud="aws", encrypted=False)

    def seen(judged):
        return [
            (finding.subject, finding.outcome) for finding in findings(judged, "disk-encrypted")
        ]

    machines, spare = ("training.trainer", "fine"), ("urn:spare", "violated")
    assert seen(plan(safe, disks=(disk,))) == [machines, spare]
    assert seen(plan(safe)) == [machines]
    assert seen(plan(disks=(disk,))) == [spare]
    assert seen(plan()) == [("shop", "not-applicable")]


@pytest.mark.parametrize(
    ("host", "message"),
    [
        (None, "disks are encrypted"),
        (UNKNOWN, "disks are encrypted"),
        (True, "disks, temporary disks and host caches are encrypted"),
    ],
)
def test_encryption_says_whether_it_is_the_host_s_too(host: Any, message: str) -> None:
    judged = group(safety=Safety(disks_encrypted=True, host_encrypted=host))

    (finding,) = findings(plan(judged), "disk-encrypted")

    assert finding.message == message


def test_encryption_at_host_that_is_off_is_a_warning() -> None:
    disks = [(True, "advisory"), (False, "mandatory"), (UNKNOWN, "mandatory")]
    for encrypted, level in disks:
        judged = group(safety=Safety(disks_encrypted=encrypted, host_encrypted=False))
        (finding,) = findings(plan(judged), "disk-encrypted")
        assert finding.level == level
        assert ("encryption at host is off" in finding.message) == (encrypted is True)
        assert ("encryptionAtHost: true" in finding.fix) == (encrypted is True)


def confidential(encryption: str, kind: str = "ConfidentialVM") -> dict[str, Any]:
    managed = {"securityProfile": {"securityEncryptionType": encryption}}
    return {
        "securityProfile": {"securityType": kind},
        "storageProfile": {"osDisk": {"managedDisk": managed}},
    }


ENCRYPTS_ITSELF = {"extensions": [{"name": "a", "type": "AzureDiskEncryptionForLinux"}]}


@pytest.mark.parametrize(
    ("machine", "profile", "outcome"),
    [
        ("Standard_NC24ads_A100_v4", {}, "violated"),
        ("Standard_NC24ads_A100_v4", {"securityProfile": {"encryptionAtHost": True}}, "fine"),
        ("Standard_NC24ads_A100_v4", {"extensionProfile": ENCRYPTS_ITSELF}, "fine"),
        ("Standard_NC24ads_A100_v4", confidential("DiskWithVMGuestState"), "fine"),
        ("Standard_NC24ads_A100_v4", confidential("VMGuestStateOnly"), "violated"),
        (
            "Standard_NC24ads_A100_v4",
            confidential("DiskWithVMGuestState", "TrustedLaunch"),
            "violated",
        ),
        ("Standard_ND96isr_H100_v5", {}, "fine"),
        ("Standard_ND96isr_H100_v5", {"securityProfile": {"encryptionAtHost": "no"}}, "fine"),
        (
            "Standard_ND96isr_H100_v5",
            {"securityProfile": {"encryptionAtHost": False}},
            "violated",
        ),
    ],
    ids=str,
)
def test_a_size_that_is_known_to_encrypt_at_host_is_asked_to(
    machine: str, profile: dict[str, Any], outcome: str
) -> None:
    assert outcomes(azure(profile, machine), "disk-encrypted") == [outcome]


DATABASE = "aws:rds/instance:Instance"
DEFAULT = "aws:ebs/encryptionByDefault:EncryptionByDefault"
AURORA = "aws:rds/cluster:Cluster"
CACHE = "aws:elasticache/replicationGroup:ReplicationGroup"


@pytest.mark.parametrize(
    ("kind", "inputs", "expected"),
    [
        (DATABASE, {}, "violated"),
        (DATABASE, {"storageEncrypted": False}, "violated"),
        (DATABASE, {"storageEncrypted": "true"}, None),
        (DATABASE, {"storageEncrypted": UNKNOWN}, "not-knowable"),
        (DATABASE, {"storageEncrypted": "maybe"}, "not-knowable"),
        (DATABASE, {"snapshotIdentifier": UNKNOWN}, None),
        (DATABASE, {"snapshotIdentifier": "s", "storageEncrypted": False}, "violated"),
        ("aws:docdb/cluster:Cluster", {}, "violated"),
        (CACHE, {"atRestEncryptionEnabled": False}, "violated"),
        (CACHE, {}, "violated"),
        (CACHE, {"engine": "valkey"}, None),
        (CACHE, {"engine": UNKNOWN}, "not-knowable"),
        (CACHE, {"globalReplicationGroupId": "g"}, None),
        (AURORA, {"engine": "aurora-postgresql"}, None),
        (AURORA, {"engine": "aurora-postgresql", "storageEncrypted": False}, "violated"),
        (AURORA, {"engine": "postgres"}, "violated"),
        (AURORA, {"engine": UNKNOWN}, "not-knowable"),
        ("aws:opensearch/domain:Domain", {"encryptAtRest": {"enabled": False}}, "violated"),
        ("aws:opensearch/domain:Domain", {}, "violated"),
        ("aws:opensearch/domain:Domain", {"encryptAtRest": UNKNOWN}, "not-knowable"),
        ("aws:opensearch/domain:Domain", {"encryptAtRest": {"enabled": True}}, None),
        (DEFAULT, {"enabled": False}, "violated"),
        (DEFAULT, {}, None),
    ],
)
def test_a_service_and_an_account_s_default_are_warned_about(kind, inputs, expected):
    program = Program()
    made = program.add(kind, "it", **inputs)
    judged = findings(of_resources(program.resources()), "disk-encrypted")
    found = [each for each in judged if each.subject == made.urn]
    assert [each.outcome for each in found] == ([] if expected is None else [expected])
    assert all(each.level == "advisory" for each in found)
