"""A machine's disks are within the limits of their kind and of the machine."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_faults, reported

WORDS: Final = Words(
    good="its disks are within their limits",
    bad="",
    unknown="its disks are not known yet",
)

ALONE: Final = Words(
    good="it is within its limits",
    bad="",
    unknown="its size, operations or throughput are not known yet",
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the disks of every group, and each that stands by itself."""
    disks = judged.plan.disks
    if judged.plan.groups or not disks:
        yield from of_faults(judged, RULE.id, WORDS)
    yield from (reported(disk.subject, disk.faults, RULE.id, ALONE) for disk in disks)


RULE = Rule(
    id="disk-limits",
    family="hygiene",
    title="Disks are within their limits",
    why="A disk beyond its limits is refused; what is beyond its machine's is paid for and idle.",
    fix="take a size, operations and throughput that the message allows",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html",
    check=check,
    alone=True,
)
