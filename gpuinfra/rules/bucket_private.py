"""Buckets are closed to the public, and their owner owns every object."""

from gpuinfra.model import UNKNOWN, Bucket
from gpuinfra.rules.rule import Finding, Rule, each_bucket, fine, for_each, not_knowable, violated


def _bucket(bucket: Bucket) -> Finding:
    if bucket.public_blocked is False:
        return violated(bucket.subject, "public access is not blocked")
    if bucket.owner_enforced is False:
        return violated(
            bucket.subject,
            "others may own objects in it, and open them by access lists",
            fix="let the bucket's owner own every object (BucketOwnerEnforced)",
        )
    if UNKNOWN in (bucket.public_blocked, bucket.owner_enforced):
        return not_knowable(bucket.subject, "whether public access is blocked is not known")
    return fine(bucket.subject, "closed to the public")


RULE = Rule(
    id="bucket-private",
    family="security",
    title="Buckets are closed to the public",
    why="One policy or access list written later can open a bucket that blocks nothing.",
    fix="block public access: in all four ways (S3), public_access_prevention enforced and "
    "uniform access (Google Cloud), allow_blob_public_access false (Azure)",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html",
    check=for_each(each_bucket, _bucket),
)
