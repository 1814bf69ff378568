"""Machines that support secure boot use it."""

from typing import Final

from gpuinfra.model import Group
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    Words,
    each_group,
    fact,
    for_each,
    not_applicable,
    violated,
)

WORDS: Final = Words(
    good="secure boot is on",
    bad="its machine type supports secure boot, and it is off",
    unknown="the secure boot setting is unknown",
)

UNMEASURED: Final = "its boot is not measured: the virtual TPM or integrity monitoring is off"


def _group(group: Group) -> Finding:
    known, measured = group.safety.secure_boot, group.safety.measured_boot
    if known is None:
        return not_applicable(group.subject, "its machine type has no secure boot setting")
    if measured is False:
        return violated(group.subject, UNMEASURED)
    return fact(group.subject, known, WORDS)


RULE = Rule(
    id="secure-boot",
    family="security",
    title="Machines use secure boot where they support it",
    why="Without it a changed boot loader or kernel module persists undetected.",
    fix="turn secure boot on, with an image whose GPU driver is signed: unsigned drivers "
    "do not load",
    source="https://docs.cloud.google.com/compute/shielded-vm/docs/shielded-vm",
    check=for_each(each_group, _group),
    level="advisory",
    alone=True,
)
