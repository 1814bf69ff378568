"""Buckets are encrypted at rest."""

from gpuinfra.rules.rule import Rule, of_buckets

RULE = Rule(
    id="bucket-encrypted",
    family="security",
    title="Buckets are encrypted at rest",
    why="A disk that is stolen or copied can be read where its data is not encrypted.",
    fix="name an algorithm in the encryption configuration, or remove it: S3 encrypts by default",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/default-encryption-faq.html",
    check=of_buckets(
        lambda bucket: bucket.encrypted,
        good="it is encrypted at rest",
        bad="its encryption configuration names no algorithm",
        unknown="its encryption is unknown",
    ),
)
