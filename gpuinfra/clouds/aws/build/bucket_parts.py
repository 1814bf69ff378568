"""Builds one hardened bucket: private, encrypted, TLS only and tidied up, whichever it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build import bucket_policies
from gpuinfra.clouds.aws.build.bucket_rules import days
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.statements import text
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.stackfile.storage import ObjectLock

KINDS: Final[Kinds] = {
    "bucket": aws.s3.Bucket,
    "public_access": aws.s3.BucketPublicAccessBlock,
    "ownership": aws.s3.BucketOwnershipControls,
    "encryption": aws.s3.BucketServerSideEncryptionConfiguration,
    "versioning": aws.s3.BucketVersioning,
    "lifecycle": aws.s3.BucketLifecycleConfiguration,
    "policy": aws.s3.BucketPolicy,
    "object_lock": aws.s3.BucketObjectLockConfiguration,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """How a bucket is to be.

    Attributes:
        part: how its children's names end; empty for the component's own bucket.
        name: its physical name.
        region: where it stands.
        versioned: whether old versions are kept.
        rules: what is tidied up.
        key: the customer's key; None for S3's own.
        lock: how long versions stay, whoever wants to delete them.
        allows: further statements of its policy.
        expendable: its content goes with it; a bucket of data that has some is not deleted.
    """

    part: str
    name: pulumi.Output[str]
    region: str
    versioned: bool
    rules: Sequence[Mapping[str, Any]]
    key: pulumi.Input[str] | None = None
    lock: ObjectLock | None = None
    allows: Sequence[pulumi.Input[Mapping[str, Any]]] = ()
    expendable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A bucket, with what has to be there before others build on its versions or its policy."""

    bucket: aws.s3.Bucket
    versioning: aws.s3.BucketVersioning
    policy: aws.s3.BucketPolicy


def kinds(part: str = "") -> Kinds:
    """Every child that such a bucket may have."""
    return {f"{name}{part}": kind for name, kind in KINDS.items()}


def make(children: Children, shelf: Shelf) -> Made:
    """Register a bucket and its companions."""
    part = shelf.part
    made = children.make(
        aws.s3.Bucket,
        f"bucket{part}",
        bucket=shelf.name,
        force_destroy=True if shelf.expendable else None,
        region=shelf.region,
    )
    access = children.make(
        aws.s3.BucketPublicAccessBlock,
        f"public_access{part}",
        bucket=made.bucket,
        block_public_acls=True,
        block_public_policy=True,
        ignore_public_acls=True,
        restrict_public_buckets=True,
        region=shelf.region,
    )
    children.make(
        aws.s3.BucketOwnershipControls,
        f"ownership{part}",
        bucket=made.bucket,
        rule={"object_ownership": "BucketOwnerEnforced"},
        region=shelf.region,
    )
    children.make(
        aws.s3.BucketServerSideEncryptionConfiguration,
        f"encryption{part}",
        bucket=made.bucket,
        rules=[_encryption(shelf.key)],
        region=shelf.region,
    )
    versioning = children.make(
        aws.s3.BucketVersioning,
        f"versioning{part}",
        bucket=made.bucket,
        versioning_configuration={"status": "Enabled" if shelf.versioned else "Suspended"},
        region=shelf.region,
    )
    children.make(
        aws.s3.BucketLifecycleConfiguration,
        f"lifecycle{part}",
        opts=children.options(depends_on=[versioning]),
        bucket=made.bucket,
        rules=list(shelf.rules),
        region=shelf.region,
    )
    policy = children.make(
        aws.s3.BucketPolicy,
        f"policy{part}",
        opts=children.options(depends_on=[access]),
        bucket=made.bucket,
        policy=_policy(shelf, made),
        region=shelf.region,
    )
    if shelf.lock is not None:
        _lock(children, shelf, shelf.lock, made, versioning)
    return Made(bucket=made, versioning=versioning, policy=policy)


def _encryption(key: pulumi.Input[str] | None) -> dict[str, Any]:
    """S3's own key or, with a bucket key that saves requests to it, the customer's."""
    if key is None:
        return {"apply_server_side_encryption_by_default": {"sse_algorithm": "AES256"}}
    return {
        "apply_server_side_encryption_by_default": {
            "sse_algorithm": "aws:kms",
            "kms_master_key_id": key,
        },
        "bucket_key_enabled": True,
    }


def _policy(shelf: Shelf, made: aws.s3.Bucket) -> pulumi.Output[str]:
    partition = partition_of(shelf.region)

    def written(known: Sequence[Any]) -> str:
        name, key, more = known
        statements = bucket_policies.private(partition, name, key)
        return text([*more, *statements])

    return pulumi.Output.all(made.bucket, shelf.key, list(shelf.allows)).apply(written)


def _lock(
    children: Children,
    shelf: Shelf,
    lock: ObjectLock,
    made: aws.s3.Bucket,
    versioning: aws.s3.BucketVersioning,
) -> None:
    """Lock what comes from now on.

    A bucket that stands takes a lock as a new one does, so it says nothing of locks itself: a
    change of that word would replace the bucket.
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock-configure.html
    """
    children.make(
        aws.s3.BucketObjectLockConfiguration,
        f"object_lock{shelf.part}",
        opts=children.options(depends_on=[versioning]),
        bucket=made.bucket,
        rule={"default_retention": {"mode": lock.mode.upper(), "days": days(lock.keep)}},
        region=shelf.region,
    )
