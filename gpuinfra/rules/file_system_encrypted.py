"""File systems are encrypted at rest."""

from typing import Final

from gpuinfra.rules.rule import Rule, Words, each_file_system, fact

WORDS: Final = Words(
    good="encrypted at rest",
    bad="it is not declared as encrypted, and can't be encrypted later",
    unknown="its encryption at rest is unknown",
)


RULE = Rule(
    id="file-system-encrypted",
    family="security",
    title="File systems are encrypted at rest",
    why="Data and checkpoints on a shared file system outlive the machines that wrote them.",
    fix="recreate it with encrypted: true (EFS); other file systems are always encrypted",
    source="https://docs.aws.amazon.com/efs/latest/ug/encryption-at-rest.html",
    check=lambda judged, _: each_file_system(
        judged, lambda files: fact(files.subject, files.encrypted, WORDS)
    ),
    alone=True,
)
