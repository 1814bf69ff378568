"""Parallel file system settings are valid."""

from typing import Final

from gpuinfra.rules.faults import reported
from gpuinfra.rules.rule import Rule, Words, each_file_system, for_each

WORDS: Final = Words(
    good="its deployment type, size, throughput and links are valid together",
    unknown="its settings are not known yet",
)

RULE = Rule(
    id="shared-storage-settings",
    family="hygiene",
    title="Parallel file system settings are valid",
    why="Sizes come in steps, throughputs in tiers, and not every deployment type supports "
    "every option.",
    fix="choose one of the values that the message allows",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    check=for_each(
        each_file_system,
        lambda files: reported(files.subject, files.faults, "shared-storage-settings", WORDS),
    ),
    alone=True,
)
