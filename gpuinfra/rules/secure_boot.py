"""Machines that can boot securely do."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.model import Group
from gpuinfra.rules.rule import (
    Finding,
    Judged,
    Rule,
    Words,
    each_group,
    fact,
    not_applicable,
    violated,
)

WORDS: Final = Words(
    good="it boots securely",
    bad="secure boot is off, which the machine has",
    unknown="whether it boots securely is not known",
)

UNMEASURED: Final = "nothing measures how it boots: its virtual TPM or its monitoring is off"


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group."""
    return each_group(judged, _group)


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
    check=check,
    level="advisory",
    alone=True,
)
