"""A bucket, with the settings that its companion resources declare."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.name_faults import NAMES
from gpuinfra.clouds.aws.observe.rights import access_lists
from gpuinfra.clouds.aws.observe.storage import bucket_retention
from gpuinfra.clouds.aws.observe.storage.bucket_tls import tls_only
from gpuinfra.clouds.aws.observe.tag_keys import resource_tag_keys
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, equals, is_on
from gpuinfra.model import UNKNOWN, Bucket, Known, Resource, Unknown, Usage
from gpuinfra.model.resource import is_of_account

_DEFAULT: Final = (
    "no block of public access is declared: S3's default blocks it only on buckets created since "
    "April 2023"
)
"""https://aws.amazon.com/blogs/aws/heads-up-amazon-s3-security-changes-are-coming-in-april-of-2023/
(all four settings, for buckets that the API, the CLI, SDKs or CloudFormation create, too)"""
_BLOCKED_SINCE: Final = "2023-05"
"""In all regions by the end of April 2023:
https://docs.aws.amazon.com/AmazonS3/latest/userguide/create-bucket-faq.html
(not re-read: unverified)"""

_BLOCKS: Final = (
    "blockPublicAcls",
    "blockPublicPolicy",
    "ignorePublicAcls",
    "restrictPublicBuckets",
)


def bucket_of(resource: Resource, index: Index, usage: Usage) -> Bucket:
    """Return the row of a bucket; undeclared settings are false, except for S3's defaults."""
    expiry, abort = "noncurrentVersionExpiration", "abortIncompleteMultipartUpload"
    blocked = any_of((_is_blocked(resource, index), _account_blocks(resource, index)))
    return Bucket(
        name=resource.name,
        subject=resource.urn,
        cloud="aws",
        region=locations.region_of(resource, index),
        size_gb=usage.gigabytes.get(resource.name),
        encrypted=_is_encrypted(resource, index),
        public_blocked=blocked,
        public_access=_public_access_remark(resource, index) if blocked is False else "",
        tls_only=tls_only(resource, index),
        owner_enforced=access_lists.owner_enforced(resource, index),
        versioned=_is_versioned(resource, index),
        expires_noncurrent=_lifecycle(resource, index, expiry),
        aborts_uploads=_lifecycle(resource, index, abort),
        expires=_expires(resource, index),
        labels=resource_tag_keys(resource),
        faults=rule_faults("valid-names", NAMES.faults(resource)),
        force_destroy=bucket_retention.force_destroy(resource, index),
        safeguards=bucket_retention.safeguards_of(resource, index),
    )


def _companion_passes(
    bucket: Resource, index: Index, kind: str, test: Callable[[Resource], Known]
) -> Known:
    """Return whether a bucket's companion passes a test; of several, only the last applies."""
    companions = index.referrers(bucket, kind, "bucket")
    verdicts = {test(companion) for companion in companions.certain}
    passed: Known = UNKNOWN if len(verdicts) > 1 else any_of(verdicts)
    return passed if passed is True or companions.complete else UNKNOWN


def _is_blocked(bucket: Resource, index: Index) -> Known:
    """Return whether a bucket blocks public access: by its declared block, or by S3's default.

    The default is for a bucket that the update creates, or that the state dates late enough; the
    date of an imported one is not known.
    """
    kind = resource_types.BUCKET_PUBLIC_ACCESS_BLOCK
    blocks = index.referrers(bucket, kind, "bucket")
    has_default = bucket.created_in_update or bucket.created >= _BLOCKED_SINCE
    if has_default and not blocks.certain:
        return True if blocks.complete else UNKNOWN
    return _companion_passes(bucket, index, kind, _blocks_all)


def _account_blocks(bucket: Resource, index: Index) -> Known:
    """Return whether the account blocks public access for all of its buckets, existing ones too.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/configuring-block-public-access-account.html
    """
    return any_of(
        all_of((_blocks_all(block), _is_of_account(block, bucket)))
        for block in index.of_kind(resource_types.ACCOUNT_PUBLIC_ACCESS_BLOCK)
    )


def _is_of_account(block: Resource, bucket: Resource) -> Known:
    """Return whether a block belongs to a bucket's account, which it may name."""
    account_id = block.inputs.get("accountId")
    if not account_id:
        return is_of_account(block, bucket)
    return UNKNOWN if bucket.account is None else equals(account_id, bucket.account)


def _blocks_all(block: Resource) -> Known:
    return all_of(is_on(block.inputs.get(key)) for key in _BLOCKS)


def _public_access_remark(bucket: Resource, index: Index) -> str:
    """Return in what way a bucket's public access is not blocked.

    A declared setting that is omitted is off:
    https://www.pulumi.com/registry/packages/aws/api-docs/s3/bucketpublicaccessblock/
    """
    blocks = index.referrers(bucket, resource_types.BUCKET_PUBLIC_ACCESS_BLOCK, "bucket").certain
    missing = [key for key in _BLOCKS if any(not is_on(block.inputs.get(key)) for block in blocks)]
    return f"its block of public access leaves {', '.join(missing)} off" if missing else _DEFAULT


def _is_encrypted(bucket: Resource, index: Index) -> Known:
    """Return whether a declared encryption names an algorithm; S3 encrypts without any.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/default-encryption-faq.html
    """
    inline = bucket.inputs.get("serverSideEncryptionConfiguration")
    companions = index.referrers(bucket, resource_types.BUCKET_ENCRYPTION, "bucket").certain
    if inline is None and not companions:
        return True
    has_inline_rule = _is_present(
        at(inline, "rule", "applyServerSideEncryptionByDefault", "sseAlgorithm")
    )
    return any_of((has_inline_rule, *map(_encrypts, companions)))


def _encrypts(configuration: Resource) -> Known:
    rules = as_list(configuration.inputs.get("rules"))
    return any_of(
        _is_present(at(rule, "applyServerSideEncryptionByDefault", "sseAlgorithm"))
        for rule in rules
    )


def _is_versioned(bucket: Resource, index: Index) -> Known:
    """Return whether objects have versions, which Object Lock turns on by itself.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock-configure.html
    """
    inline = is_on(at(bucket.inputs.get("versioning"), "enabled"))
    companion = _companion_passes(
        bucket,
        index,
        resource_types.BUCKET_VERSIONING,
        lambda resource: equals(
            at(resource.inputs.get("versioningConfiguration"), "status"), "Enabled"
        ),
    )
    return any_of((inline, companion, is_on(bucket.inputs.get("objectLockEnabled"))))


def _lifecycle(bucket: Resource, index: Index, action: str) -> Known:
    companion = _companion_passes(
        bucket,
        index,
        resource_types.BUCKET_LIFECYCLE,
        lambda resource: any_of(
            _has_action(rule, action) for rule in as_list(resource.inputs.get("rules"))
        ),
    )
    inline_key = _INLINE_ACTIONS[action]
    inline = any_of(
        all_of(
            (is_on(at(rule, "enabled")), _is_present(at(rule, inline_key)), not at(rule, "prefix"))
        )
        for rule in as_list(bucket.inputs.get("lifecycleRules"))
    )
    return any_of((companion, inline))


def _expires(bucket: Resource, index: Index) -> Known:
    """Return whether any rule, for all objects or some, expires or moves objects."""
    companion = _companion_passes(
        bucket,
        index,
        resource_types.BUCKET_LIFECYCLE,
        lambda resource: any_of(
            all_of((equals(at(rule, "status"), "Enabled"), _is_present(at(rule, key))))
            for rule in as_list(resource.inputs.get("rules"))
            for key in _MOVES
        ),
    )
    inline = any_of(
        all_of((is_on(at(rule, "enabled")), _is_present(at(rule, key))))
        for rule in as_list(bucket.inputs.get("lifecycleRules"))
        for key in _MOVES
    )
    return any_of((companion, inline))


_MOVES: Final = (
    *("expiration", "transitions", "transition"),
    *("noncurrentVersionExpiration", "noncurrentVersionTransitions"),
)

_INLINE_ACTIONS: Final = {
    "noncurrentVersionExpiration": "noncurrentVersionExpiration",
    "abortIncompleteMultipartUpload": "abortIncompleteMultipartUploadDays",
}


def _has_action(rule: Any, action: str) -> Known:
    return all_of(
        (equals(at(rule, "status"), "Enabled"), _is_present(at(rule, action)), _whole_bucket(rule))
    )


def _whole_bucket(rule: Any) -> Known:
    """Return whether a rule covers the whole bucket: no prefix, tag or size narrows it."""
    rule_prefixes = (at(rule, "prefix"), at(rule, "filter"))
    if UNKNOWN in rule_prefixes:
        return UNKNOWN
    narrowed = rule_prefixes[1].values() if isinstance(rule_prefixes[1], Mapping) else ()
    return not rule_prefixes[0] and not any(narrowed)


def _is_present(value: Any) -> Known:
    return UNKNOWN if isinstance(value, Unknown) else value not in (None, "", [])
