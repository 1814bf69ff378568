"""Disks are encrypted."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.model import Group
from gpuinfra.rules.fault_findings import judge_rule_faults, with_faults
from gpuinfra.rules.machine_rules import DEFAULT_OF_STACK
from gpuinfra.rules.rule import FactMessages, Finding, Rule, RuleInput, each_group, fact, violated

MACHINE_DISK_MESSAGES: Final = FactMessages(
    good="disks are encrypted",
    bad="a disk is not declared as encrypted",
    unknown="it is unknown whether all disks are encrypted: for a disk that is not declared "
    f"(often the root disk) the account decides{DEFAULT_OF_STACK}",
)
HOST_ENCRYPTION_MESSAGES: Final = FactMessages(
    good="disks, temporary disks and host caches are encrypted",
    bad=MACHINE_DISK_MESSAGES.bad,
    unknown=MACHINE_DISK_MESSAGES.unknown,
)
HOST_UNENCRYPTED: Final = (
    "its temporary disks and host caches are not encrypted: encryption at host is off"
)
ENCRYPT_HOST: Final = (
    "register the subscription for the feature EncryptionAtHost, and set "
    "securityProfile.encryptionAtHost: true"
)
"""https://learn.microsoft.com/azure/virtual-machines/linux/disks-enable-host-based-encryption-cli"""
STANDALONE_DISK_MESSAGES: Final = FactMessages(
    good="encrypted",
    bad="it is not declared as encrypted",
    unknown="its encryption is unknown",
)


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group, and each disk that belongs to no group.

    The storage of a service, and the default of an account, are warnings.
    """
    if rule_input.plan.groups or not rule_input.plan.disks:
        yield from each_group(rule_input, _group)
    for disk in rule_input.plan.disks:
        yield fact(disk.subject, disk.encrypted, STANDALONE_DISK_MESSAGES)
    for defect in with_faults(rule_input.plan.defects, RULE.id):
        finding = judge_rule_faults(
            defect.subject, defect.faults, RULE.id, STANDALONE_DISK_MESSAGES
        )
        yield replace(finding, level="advisory")


def _group(group: Group) -> Finding:
    """Judge one group; what only its host leaves open is a warning."""
    by_host = group.safety.host_encrypted
    if group.safety.disks_encrypted is True and by_host is False:
        return violated(group.subject, HOST_UNENCRYPTED, fix=ENCRYPT_HOST, level="advisory")
    encryption_messages = HOST_ENCRYPTION_MESSAGES if by_host is True else MACHINE_DISK_MESSAGES
    return fact(group.subject, group.safety.disks_encrypted, encryption_messages)


RULE = Rule(
    id="disk-encrypted",
    family="security",
    title="Disks are encrypted",
    why="Checkpoints and data outlive the machine in snapshots and on replaced drives.",
    fix="declare every disk as encrypted, the root disk too",
    fix_by_cloud={
        "aws": "set encrypted: true in rootBlockDevice, in ebs of each of blockDeviceMappings, "
        "or, as text, in the parameters of a StorageClass"
    },
    source="https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption.html",
    check=check,
    alone=True,
)
