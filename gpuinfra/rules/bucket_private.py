"""Buckets are closed to the public, and their owner owns every object."""

from gpuinfra.model import UNKNOWN, Bucket
from gpuinfra.rules.rule import Finding, Rule, each_bucket, fine, not_knowable, row_check, violated


def _bucket(bucket: Bucket) -> Finding:
    if bucket.public_blocked is False:
        statement = bucket.public_access or "public access is not blocked"
        return violated(bucket.subject, statement, fix=bucket.public_access_fix)
    if bucket.owner_enforced is False:
        return violated(
            bucket.subject,
            "other accounts may own objects in the bucket and open them by access lists",
            fix="let the bucket owner own every object (BucketOwnerEnforced)",
        )
    if UNKNOWN in (bucket.public_blocked, bucket.owner_enforced):
        return not_knowable(bucket.subject, "the public access settings are unknown")
    return fine(bucket.subject, "public access is blocked")


RULE = Rule(
    id="bucket-private",
    family="security",
    title="Buckets block public access",
    why="A declared block holds against a later policy or access list that opens the bucket to "
    "everyone. A cloud's default does not cover older buckets, and may be turned off unseen.",
    fix="block public access",
    fix_by_cloud={
        "aws": "add a BucketPublicAccessBlock with all four settings true",
        "gcp": "set publicAccessPrevention: enforced and uniformBucketLevelAccess: true",
        "azure": "set allowBlobPublicAccess: false",
    },
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html",
    check=row_check(each_bucket, _bucket),
)
