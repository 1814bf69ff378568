"""Buckets are encrypted at rest."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_buckets


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every bucket."""
    words = Words(
        "it is encrypted at rest",
        "its encryption configuration names no algorithm",
        "its encryption is unknown",
    )
    return of_buckets(judged, lambda bucket: bucket.encrypted, words)


RULE = Rule(
    id="bucket-encrypted",
    family="security",
    title="Buckets are encrypted at rest",
    why="A disk that is stolen or copied can be read where its data is not encrypted.",
    fix="name an algorithm in the encryption configuration, or remove it: S3 encrypts by default",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/default-encryption-faq.html",
    check=check,
)
