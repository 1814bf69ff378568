"""A parallel file system is in the zone of the machines that mount it."""

from typing import Final

from gpuinfra.rules.rule import Rule, Words, each_file_system, fact

WORDS: Final = Words(
    good="it is in its machines' zone",
    bad="it is in another zone than its machines",
    unknown="the machines that mount it, or their zones, are unknown",
)


RULE = Rule(
    id="shared-storage-zone",
    family="fabric",
    title="Parallel file systems are in their machines' zone",
    why="Traffic between zones is slower, and each byte is billed in both directions.",
    fix="put it in the machines' subnet",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html",
    check=lambda judged, _: each_file_system(
        judged, lambda files: fact(files.subject, files.one_zone, WORDS)
    ),
    level="advisory",
)
