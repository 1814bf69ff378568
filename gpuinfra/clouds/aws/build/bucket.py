"""Builds a data bucket: private, encrypted, TLS only, versioned, tidied up."""

import json
from datetime import timedelta
from functools import partial
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build import names
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.build.policies import partition_of
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.order import Given, Order, Stored
from gpuinfra.stackfile.storage import Bucket

KINDS: Final[Kinds] = {
    "bucket": aws.s3.Bucket,
    "public_access": aws.s3.BucketPublicAccessBlock,
    "ownership": aws.s3.BucketOwnershipControls,
    "encryption": aws.s3.BucketServerSideEncryptionConfiguration,
    "versioning": aws.s3.BucketVersioning,
    "lifecycle": aws.s3.BucketLifecycleConfiguration,
    "policy": aws.s3.BucketPolicy,
}

UNFINISHED_DAYS: Final = 7
"""Days until the parts of an upload that never ended are removed; they are billed and unseen."""


def build_bucket(order: Order, wanted: Bucket, given: Given) -> Stored:
    """Register a bucket and its companions. A bucket with content is not deleted.

    Raises:
        InputError: the customised children do not fit.
    """
    children = Children(order, given, KINDS)
    made = children.make(aws.s3.Bucket, "bucket", bucket=_name(children))
    access = children.make(
        aws.s3.BucketPublicAccessBlock,
        "public_access",
        bucket=made.bucket,
        block_public_acls=True,
        block_public_policy=True,
        ignore_public_acls=True,
        restrict_public_buckets=True,
    )
    children.make(
        aws.s3.BucketOwnershipControls,
        "ownership",
        bucket=made.bucket,
        rule={"object_ownership": "BucketOwnerEnforced"},
    )
    children.make(
        aws.s3.BucketServerSideEncryptionConfiguration,
        "encryption",
        bucket=made.bucket,
        rules=[{"apply_server_side_encryption_by_default": {"sse_algorithm": "AES256"}}],
    )
    versioning = children.make(
        aws.s3.BucketVersioning,
        "versioning",
        bucket=made.bucket,
        versioning_configuration={"status": "Enabled" if wanted.versioned else "Suspended"},
    )
    children.make(
        aws.s3.BucketLifecycleConfiguration,
        "lifecycle",
        opts=children.options(depends_on=[versioning]),
        bucket=made.bucket,
        rules=lifecycle(wanted),
    )
    children.make(
        aws.s3.BucketPolicy,
        "policy",
        opts=children.options(depends_on=[access]),
        bucket=made.bucket,
        policy=made.bucket.apply(partial(tls_only, partition_of(order.region))),
    )
    children.finish()
    return Stored(bucket_name=made.bucket, bucket_id=made.arn)


def lifecycle(wanted: Bucket) -> list[dict[str, Any]]:
    """What S3 tidies up by itself: unfinished uploads, and old versions where there are any."""
    everything = {"prefix": ""}
    rules: list[dict[str, Any]] = [
        {
            "id": "unfinished-uploads",
            "status": "Enabled",
            "filter": everything,
            "abort_incomplete_multipart_upload": {"days_after_initiation": UNFINISHED_DAYS},
        }
    ]
    if wanted.versioned:
        days = max(1, -(-wanted.keep_noncurrent // timedelta(days=1)))
        rules.append(
            {
                "id": "old-versions",
                "status": "Enabled",
                "filter": everything,
                "noncurrent_version_expiration": {"noncurrent_days": days},
                "expiration": {"expired_object_delete_marker": True},
            }
        )
    return rules


def tls_only(partition: str, name: str) -> str:
    """The bucket policy that refuses whatever comes without TLS."""
    arn = f"arn:{partition}:s3:::{name}"
    statement = {
        "Sid": "TlsOnly",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [arn, f"{arn}/*"],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def _name(children: Children) -> pulumi.Output[str]:
    """The same name for the same bucket of the same stack in the same account and region."""
    order = children.order
    place = [
        pulumi.get_organization() or "",
        pulumi.get_project(),
        pulumi.get_stack(),
        order.region,
    ]
    account: pulumi.Output[str] = aws.get_caller_identity_output(opts=children.invoke()).account_id
    return account.apply(lambda known: names.bucket_name(order.stack, order.name, [*place, known]))
