"""Declares one hardened bucket: private, encrypted, TLS only, with lifecycle rules."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from gpuinfra.clouds.aws.declare import bucket_policies
from gpuinfra.clouds.aws.declare.bucket_rules import days
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.statements import Statement, text
from gpuinfra.graph import Options, Resource, format_values
from gpuinfra.records import record
from gpuinfra.specs.storage import ObjectLock


@record
class BucketSpec:
    """The settings of a bucket.

    Attributes:
        part: how its children's names end; empty for the component's own bucket.
        name: its physical name.
        region: its region.
        versioned: whether old versions are kept.
        rules: the lifecycle rules.
        key: the customer's key; None for S3's own.
        lock: how long Object Lock keeps versions from deletion; None for no lock.
        policy_statements: further statements of its policy.
        expendable: its content goes with it; a bucket of data that has some is not deleted.
    """

    part: str
    name: Any
    region: str
    versioned: bool
    rules: Sequence[Mapping[str, Any]]
    key: Any = None
    lock: ObjectLock | None = None
    policy_statements: Sequence[Any] = ()
    expendable: bool = False


@record
class DeclaredBucket:
    """A bucket with the resources that must precede uses of its versions or its policy."""

    bucket: Resource
    versioning: Resource
    policy: Resource


def make(children: Children, spec: BucketSpec) -> DeclaredBucket:
    """Declare a bucket and its companions."""
    name_part = spec.part
    bucket = children.make(
        "aws:s3/bucket:Bucket",
        f"bucket{name_part}",
        bucket=spec.name,
        forceDestroy=True if spec.expendable else None,
        region=spec.region,
    )
    bucket_inputs = {"bucket": bucket["bucket"], "region": spec.region}
    access = children.make(
        "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
        f"public_access{name_part}",
        blockPublicAcls=True,
        blockPublicPolicy=True,
        ignorePublicAcls=True,
        restrictPublicBuckets=True,
        **bucket_inputs,
    )
    children.make(
        "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
        f"ownership{name_part}",
        rule={"objectOwnership": "BucketOwnerEnforced"},
        **bucket_inputs,
    )
    children.make(
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
        f"encryption{name_part}",
        rules=[_encryption(spec.key)],
        **bucket_inputs,
    )
    versioning = children.make(
        "aws:s3/bucketVersioning:BucketVersioning",
        f"versioning{name_part}",
        versioningConfiguration={"status": "Enabled" if spec.versioned else "Suspended"},
        **bucket_inputs,
    )
    children.make(
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        f"lifecycle{name_part}",
        Options(depends_on=(versioning.key,)),
        rules=list(spec.rules),
        **bucket_inputs,
    )
    policy = children.make(
        "aws:s3/bucketPolicy:BucketPolicy",
        f"policy{name_part}",
        Options(depends_on=(access.key,)),
        policy=format_values(
            partial(_policy, partition_of(spec.region)),
            bucket["bucket"],
            spec.key,
            spec.policy_statements,
        ),
        **bucket_inputs,
    )
    if spec.lock is not None:
        _lock(children, name_part, spec.lock, versioning, bucket_inputs)
    return DeclaredBucket(bucket=bucket, versioning=versioning, policy=policy)


def _encryption(key: Any) -> dict[str, Any]:
    """Return the encryption: S3's own key, or the customer's with a bucket key to save calls."""
    if key is None:
        return {"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}
    return {
        "applyServerSideEncryptionByDefault": {"sseAlgorithm": "aws:kms", "kmsMasterKeyId": key},
        "bucketKeyEnabled": True,
    }


def _policy(partition: str, name: str, key: str | None, statements: Sequence[Statement]) -> str:
    return text([*statements, *bucket_policies.private(partition, name, key)])


def _lock(
    children: Children,
    name_part: str,
    lock: ObjectLock,
    versioning: Resource,
    bucket_inputs: Mapping[str, Any],
) -> None:
    """Declare the object lock of everything that is written from now on.

    An existing bucket takes a lock as a new one does, so it says nothing of locks itself: a
    change of that word would replace the bucket.
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock-configure.html
    """
    children.make(
        "aws:s3/bucketObjectLockConfiguration:BucketObjectLockConfiguration",
        f"object_lock{name_part}",
        Options(depends_on=(versioning.key,)),
        rule={"defaultRetention": {"mode": lock.mode.upper(), "days": days(lock.keep)}},
        **bucket_inputs,
    )
