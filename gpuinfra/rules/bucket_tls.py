"""Buckets refuse unencrypted connections."""

from gpuinfra.rules.rule import Rule, of_buckets

RULE = Rule(
    id="bucket-tls",
    family="security",
    title="Buckets require TLS",
    why="Otherwise data and checkpoints can be read and written over plain HTTP.",
    fix="require TLS",
    ways={
        "aws": "a bucket policy that denies aws:SecureTransport false",
        "azure": "enableHttpsTrafficOnly: true and minimumTlsVersion: TLS1_2",
    },
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/security-best-practices.html",
    check=of_buckets(
        lambda bucket: bucket.tls_only,
        good="only TLS 1.2 or newer is accepted",
        bad="connections without TLS, or with TLS older than 1.2, are not denied",
        unknown="the TLS requirement is unknown",
    ),
    texts=("policy",),
)
