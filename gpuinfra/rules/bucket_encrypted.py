"""Buckets are encrypted at rest."""

from typing import Final

from gpuinfra.rules.rule import Rule, Words, of_buckets

WORDS: Final = Words(
    "it is encrypted at rest",
    "its encryption configuration names no algorithm",
    "its encryption is unknown",
)

RULE = Rule(
    id="bucket-encrypted",
    family="security",
    title="Buckets are encrypted at rest",
    why="A disk that is stolen or copied can be read where its data is not encrypted.",
    fix="name an algorithm in the encryption configuration, or remove it: S3 encrypts by default",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/default-encryption-faq.html",
    check=of_buckets(lambda bucket: bucket.encrypted, WORDS),
)
