"""Rules on the facts, or the faults, of each bucket."""

from functools import partial
from typing import Final

from gpuinfra.clouds.observing.values import any_of, opposite
from gpuinfra.model import UNKNOWN, Bucket
from gpuinfra.rules.fault_findings import reachability_check, with_defects_check
from gpuinfra.rules.rule import (
    FactMessages,
    Finding,
    Rule,
    each_bucket,
    fact,
    fact_check,
    fine,
    not_applicable,
    not_knowable,
    row_check,
    violated,
)

_NO_SETTING: Final = "buckets of {} have no such setting"
_fact_check: Final = partial(fact_check, each_bucket, unjudged=_NO_SETTING)

BUCKET_ENCRYPTED = Rule(
    id="bucket-encrypted",
    family="security",
    title="Buckets are encrypted at rest",
    why="Stored objects that are not encrypted can be read from a stolen or copied disk.",
    fix="name an algorithm in the encryption configuration, or remove it: S3 encrypts by default",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/default-encryption-faq.html",
    check=_fact_check(
        lambda bucket: bucket.encrypted,
        good="it is encrypted at rest",
        bad="its encryption configuration names no algorithm",
        unknown="its encryption is unknown",
    ),
)


def _tls(bucket: Bucket) -> Finding:
    if bucket.tls_only is None:
        return not_applicable(bucket.subject, _NO_SETTING.format(bucket.cloud))
    messages = FactMessages(
        good="only TLS 1.2 or newer is accepted",
        bad=bucket.tls_remark
        or "connections without TLS, or with TLS older than 1.2, are not denied",
        unknown="the TLS requirement is unknown",
    )
    return fact(bucket.subject, bucket.tls_only, messages)


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
    check=_fact_check(
        lambda bucket: bucket.expires,
        good="a lifecycle rule expires objects or moves them to a cheaper class",
        bad="no lifecycle rule expires objects or moves them to a cheaper class",
        unknown="its lifecycle rules are not known yet",
    ),
    level="advisory",
)


def _privacy(bucket: Bucket) -> Finding:
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


BUCKET_PRIVATE = Rule(
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
    check=row_check(each_bucket, _privacy),
)

BUCKET_SAFEGUARDS = Rule(
    id="bucket-safeguards",
    family="hygiene",
    title="Buckets keep current objects, and admit no local users or other tenants",
    why="A lifecycle rule of a few days deletes the checkpoints that a run resumes from. A local "
    "user's key bypasses every role, and object replication to another tenant copies data out of "
    "the company.",
    fix="change the setting that the message names",
    fix_by_cloud={
        "aws": "set a prefix in the filter of the lifecycle rule",
        "gcp": "set matchesPrefixes in the condition of the lifecycle rule",
        "azure": "set prefixMatch in the filters of the lifecycle rule, isLocalUserEnabled: false "
        "or allowCrossTenantReplication: false",
    },
    source="https://learn.microsoft.com/azure/storage/common/object-replication-prevent-cross-tenant-policies",
    check=reachability_check(
        each_bucket,
        lambda bucket: bucket.safeguards,
        "bucket-safeguards",
        unjudged="this rule does not apply to its cloud",
        unknown="its local users and replication settings are not known yet",
        good="no local users, and no replication to another tenant",
    ),
    level="advisory",
)


def _expiry(bucket: Bucket) -> Finding:
    if bucket.versioned is True and bucket.expires_noncurrent is False:
        return violated(bucket.subject, "versioning is on and old versions never expire")
    if bucket.aborts_uploads is False:
        return violated(
            bucket.subject,
            "incomplete multipart uploads never expire",
            fix="add a lifecycle rule that aborts incomplete multipart uploads",
        )
    if bucket.versioned in (False, None):
        return fine(bucket.subject, "incomplete uploads expire; versioning is off")
    if UNKNOWN in (bucket.versioned, bucket.expires_noncurrent, bucket.aborts_uploads):
        return not_knowable(bucket.subject, "its lifecycle rules are unknown")
    return fine(bucket.subject, "old versions and incomplete uploads expire")


BUCKET_VERSIONED_EXPIRY = Rule(
    id="bucket-versioned-expiry",
    family="hygiene",
    title="Buckets expire old versions and incomplete uploads",
    why="Every overwritten checkpoint is kept and billed, and object listings do not show it.",
    fix="add a lifecycle rule that expires noncurrent versions of the whole bucket",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/how-to-set-lifecycle-configuration-intro.html",
    check=row_check(each_bucket, _expiry),
    level="advisory",
)


def _versions(bucket: Bucket) -> Finding:
    if bucket.versioned is None:
        return not_applicable(bucket.subject, _NO_SETTING.format(bucket.cloud))
    messages = FactMessages(
        good="old versions of objects are kept"
        if bucket.versioned is True
        else "soft delete or a locked retention keeps overwritten and deleted objects for a time",
        bad="versioning is off",
        unknown="it is unknown whether versioning is on",
    )
    return fact(bucket.subject, any_of((bucket.versioned, bucket.recoverable)), messages)


BUCKET_VERSIONED = Rule(
    id="bucket-versioned",
    family="hygiene",
    title="Buckets keep old versions of objects",
    why="Without versions, soft delete or a locked retention an overwritten checkpoint or data "
    "set is lost.",
    fix="turn versioning on, with a lifecycle rule that expires old versions",
    fix_by_cloud={
        "aws": "add a BucketVersioning with status: Enabled",
        "gcp": "set versioning.enabled: true",
        "azure": "set isVersioningEnabled: true in the account's BlobServiceProperties",
    },
    stack_file_fix="set versioned: true",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/Versioning.html",
    check=row_check(each_bucket, _versions),
    level="advisory",
)

_UNKNOWN_DESTROY: Final = "it is not known yet whether a destroy deletes its objects"

FORCE_DESTROY = Rule(
    id="force-destroy",
    family="hygiene",
    title="Buckets that have objects are not deleted with their stack",
    why="Otherwise `pulumi destroy` of the wrong stack deletes every checkpoint and data set.",
    fix="remove forceDestroy; empty the bucket by hand when you want to delete it",
    source="https://www.pulumi.com/registry/packages/gcp/api-docs/storage/bucket/",
    check=with_defects_check(
        fact_check(
            each_bucket,
            lambda bucket: (
                None if bucket.force_destroy is None else opposite(bucket.force_destroy)
            ),
            unjudged="this rule does not apply to its cloud",
            good="a destroy keeps it while it has objects",
            bad="a destroy deletes all its objects, checkpoints and old versions too",
            unknown=_UNKNOWN_DESTROY,
        ),
        "force-destroy",
        FactMessages(good="", unknown=_UNKNOWN_DESTROY),
    ),
    level="advisory",
    alone=True,
)
