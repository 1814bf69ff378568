"""Parallel file system settings are valid."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, each_file_system, reported

WORDS: Final = Words(
    good="its deployment, size, throughput and links go together",
    bad="",
    unknown="what is asked of it is not known yet",
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every file system."""
    return each_file_system(
        judged, lambda files: reported(files.subject, files.faults, RULE.id, WORDS)
    )


RULE = Rule(
    id="shared-storage-settings",
    family="hygiene",
    title="A parallel file system is one that the cloud makes",
    why="Sizes come in steps, throughputs in tiers, and no deployment takes every option.",
    fix="take what the message allows",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    check=check,
    alone=True,
)
