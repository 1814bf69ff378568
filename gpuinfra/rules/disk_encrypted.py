"""Disks are encrypted."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_groups


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group."""
    words = Words(
        "disks are encrypted",
        "a disk is not declared encrypted",
        "whether every disk is encrypted is not known; the root disk may be undeclared",
    )
    return of_groups(judged, lambda group: group.safety.disks_encrypted, words)


RULE = Rule(
    id="disk-encrypted",
    family="security",
    title="Disks are encrypted",
    why="Checkpoints and data on a disk outlive the machine in snapshots and spare parts.",
    fix="declare every disk with encrypted, the root disk too",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption.html",
    check=check,
    alone=True,
)
