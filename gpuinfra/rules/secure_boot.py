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
    good="it boots securely",
    bad="secure boot is off, which the machine has",
    unknown="whether it boots securely is not known",
)

UNMEASURED: Final = "nothing measures how it boots: its virtual TPM or its monitoring is off"


def _group(group: Group) -> Finding:
    known, measured = group.safety.secure_boot, group.safety.measured_boot
    if known is None:
        return not_applicable(group.subject, "no setting turns secure boot on for it")
    if measured is False:
        return violated(group.subject, UNMEASURED)
    return fact(group.subject, known, WORDS)


RULE = Rule(
    id="secure-boot",
    family="security",
    title="Machines boot securely where they can",
    why="Without it a changed boot loader or kernel module stays, and nothing on top sees it.",
    fix="turn secure boot on, with an image whose GPU driver is signed: others do not load",
    source="https://docs.cloud.google.com/compute/shielded-vm/docs/shielded-vm",
    check=for_each(each_group, _group),
    level="advisory",
    alone=True,
)
