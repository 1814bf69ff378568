"""Buckets declare their encryption."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_buckets


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every bucket."""
    words = Words(
        "default encryption is declared",
        "no default encryption is declared",
        "the default encryption is unknown",
    )
    return of_buckets(judged, lambda bucket: bucket.encrypted, words)


RULE = Rule(
    id="bucket-encrypted",
    family="security",
    title="Buckets declare their encryption",
    why="A declared default key can be reviewed; the cloud's own default can't.",
    fix="declare the bucket's default encryption",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-encryption.html",
    check=check,
)
