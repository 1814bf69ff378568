"""Old versions and unfinished uploads in a bucket expire."""

from gpuinfra.model import UNKNOWN, Bucket
from gpuinfra.rules.rule import Finding, Rule, each_bucket, fine, not_knowable, row_check, violated


def _bucket(bucket: Bucket) -> Finding:
    if bucket.versioned is True and bucket.expires_noncurrent is False:
        return violated(bucket.subject, "versioning is on and old versions never expire")
    if bucket.aborts_uploads is False:
        return violated(
            bucket.subject,
            "incomplete multipart uploads never expire",
            fix="add a lifecycle rule that aborts incomplete multipart uploads",
        )
    if bucket.versioned is False:
        return fine(bucket.subject, "incomplete uploads expire; versioning is off")
    if UNKNOWN in (bucket.versioned, bucket.expires_noncurrent, bucket.aborts_uploads):
        return not_knowable(bucket.subject, "its lifecycle rules are unknown")
    return fine(bucket.subject, "old versions and incomplete uploads expire")


RULE = Rule(
    id="bucket-versioned-expiry",
    family="hygiene",
    title="Buckets expire old versions and incomplete uploads",
    why="Every overwritten checkpoint is kept and billed, and object listings do not show it.",
    fix="add a lifecycle rule that expires noncurrent versions of the whole bucket",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/how-to-set-lifecycle-configuration-intro.html",
    check=row_check(each_bucket, _bucket),
    level="advisory",
)
