"""A parallel file system is in the zone of the machines that mount it."""

from typing import Final

from gpuinfra.rules.rule import Rule, Words, each_file_system, fact

WORDS: Final = Words(
    good="it stands beside its machines",
    bad="it stands in another zone than the machines",
    unknown="nobody says which machines mount it, or where they stand",
)


RULE = Rule(
    id="shared-storage-zone",
    family="fabric",
    title="A parallel file system stands in the machines' zone",
    why="What goes between zones is slower, and each byte is paid for in both directions.",
    fix="give it the machines' own subnet",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html",
    check=lambda judged, _: each_file_system(
        judged, lambda files: fact(files.subject, files.one_zone, WORDS)
    ),
    level="advisory",
)
