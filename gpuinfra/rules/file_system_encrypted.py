"""File systems are encrypted at rest."""

from typing import Final

from gpuinfra.rules.rule import Rule, Words, each_file_system, fact

WORDS: Final = Words(
    good="it is encrypted at rest",
    bad="it is not declared encrypted, and can't be encrypted later",
    unknown="whether it is encrypted at rest is not known",
)


RULE = Rule(
    id="file-system-encrypted",
    family="security",
    title="File systems are encrypted at rest",
    why="Data and checkpoints on a shared file system outlive every machine that wrote them.",
    fix="make it anew with encrypted: true (EFS); the other file systems are encrypted always",
    source="https://docs.aws.amazon.com/efs/latest/ug/encryption-at-rest.html",
    check=lambda judged, _: each_file_system(
        judged, lambda files: fact(files.subject, files.encrypted, WORDS)
    ),
    alone=True,
)
