"""Rules on one fact of each bucket."""

from gpuinfra.model import Bucket
from gpuinfra.rules.rule import Finding, Rule, bucket_fact_check, each_bucket, one_fact, row_check

BUCKET_ENCRYPTED = Rule(
    id="bucket-encrypted",
    family="security",
    title="Buckets are encrypted at rest",
    why="Stored objects that are not encrypted can be read from a stolen or copied disk.",
    fix="name an algorithm in the encryption configuration, or remove it: S3 encrypts by default",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/default-encryption-faq.html",
    check=bucket_fact_check(
        lambda bucket: bucket.encrypted,
        good="it is encrypted at rest",
        bad="its encryption configuration names no algorithm",
        unknown="its encryption is unknown",
    ),
)


def _tls(bucket: Bucket) -> Finding:
    return one_fact(
        bucket,
        bucket.tls_only,
        good="only TLS 1.2 or newer is accepted",
        bad=bucket.tls_remark
        or "connections without TLS, or with TLS older than 1.2, are not denied",
        unknown="the TLS requirement is unknown",
    )


BUCKET_TLS = Rule(
    id="bucket-tls",
    family="security",
    title="Buckets require TLS",
    why="Otherwise data and checkpoints can be read and written over plain HTTP.",
    fix="require TLS",
    fix_by_cloud={
        "aws": "add a bucket policy that denies requests with aws:SecureTransport false",
        "azure": "set enableHttpsTrafficOnly: true and minimumTlsVersion: TLS1_2",
    },
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/security-best-practices.html",
    check=row_check(each_bucket, _tls),
    text_inputs=("policy",),
)

BUCKET_LIFECYCLE = Rule(
    id="bucket-lifecycle",
    family="hygiene",
    title="Buckets have a lifecycle rule",
    why="Without one, checkpoints of finished runs are billed every month.",
    fix="add a lifecycle rule that expires old objects, for example checkpoints of past "
    "runs, or moves them to a cheaper class",
    stack_file_fix="set versioned: true, whose old versions expire, or, on AWS, "
    "expire: [{prefix: checkpoints/, after: 30d}]",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lifecycle-mgmt.html",
    check=bucket_fact_check(
        lambda bucket: bucket.expires,
        good="a lifecycle rule expires objects or moves them to a cheaper class",
        bad="no lifecycle rule expires objects or moves them to a cheaper class",
        unknown="its lifecycle rules are not known yet",
    ),
    level="advisory",
)
