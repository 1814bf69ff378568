"""Parallel file system settings are valid."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.faults import reported
from gpuinfra.rules.rule import Finding, Judged, Rule, Words, each_file_system

WORDS: Final = Words(
    good="its deployment type, size, throughput and links are valid together",
    bad="",
    unknown="its settings are not known yet",
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every file system."""
    return each_file_system(
        judged, lambda files: reported(files.subject, files.faults, RULE.id, WORDS)
    )


RULE = Rule(
    id="shared-storage-settings",
    family="hygiene",
    title="Parallel file system settings are valid",
    why="Sizes come in steps, throughputs in tiers, and not every deployment type supports "
    "every option.",
    fix="choose one of the values that the message allows",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    check=check,
    alone=True,
)
