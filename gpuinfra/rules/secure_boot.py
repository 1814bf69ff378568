"""Machines that support secure boot use it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.model import Group
from gpuinfra.rules.rule import (
    FactMessages,
    Finding,
    Rule,
    RuleInput,
    as_note,
    each_group,
    fact,
    not_applicable,
    violated,
)

WORDS: Final = FactMessages(
    good="secure boot is on",
    bad="its machine type supports secure boot, and it is off",
    unknown="the secure boot setting is unknown",
)

UNMEASURED_BOOT: Final = "its boot is not measured: the virtual TPM or integrity monitoring is off"

MEASURE_BOOT: Final = (
    "remove enableVtpm: false and enableIntegrityMonitoring: false from shieldedInstanceConfig; "
    "both are on by default"
)

UNSIGNED_DRIVER: Final = (
    "no key of a stack file turns secure boot on: the image's GPU driver may be unsigned, and an "
    "unsigned driver does not load with it"
)


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every group; with a stack file, which has no key for it, secure boot is only noted."""
    for finding in each_group(rule_input, _group):
        if rule_input.plan.from_file and finding.message == WORDS.bad:
            yield as_note(finding, UNSIGNED_DRIVER)
        else:
            yield finding


def _group(group: Group) -> Finding:
    secure_boot, measured = group.safety.secure_boot, group.safety.measured_boot
    if secure_boot is None:
        return not_applicable(group.subject, "its machine type has no secure boot setting")
    if measured is False:
        return violated(group.subject, UNMEASURED_BOOT, fix=MEASURE_BOOT)
    return fact(group.subject, secure_boot, WORDS)


RULE = Rule(
    id="secure-boot",
    family="security",
    title="Machines use secure boot, a virtual TPM and integrity monitoring if supported",
    why="Without it a changed boot loader or kernel module persists undetected.",
    fix="use an image whose GPU driver is signed (an unsigned one does not load), and turn secure "
    "boot on",
    fix_by_cloud={
        "gcp": "set shieldedInstanceConfig.enableSecureBoot: true",
        "azure": "set securityProfile.uefiSettings.secureBootEnabled: true, with securityType: "
        "TrustedLaunch",
    },
    source="https://docs.cloud.google.com/compute/shielded-vm/docs/shielded-vm",
    check=check,
    level="advisory",
    alone=True,
)
