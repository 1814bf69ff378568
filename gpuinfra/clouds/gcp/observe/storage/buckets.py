"""A bucket, with the settings that it and its companion resources declare."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.label_keys import own_label_keys
from gpuinfra.clouds.gcp.observe.launch.locations import bucket_region
from gpuinfra.clouds.gcp.observe.name_faults import NAMES
from gpuinfra.clouds.gcp.observe.rights.identity import (
    ANYONE,
    PUBLIC_ACLS,
    is_everybody,
    lets_anyone_in,
    members_of,
)
from gpuinfra.clouds.observing.bucket_expiry import whole_bucket_expiry
from gpuinfra.clouds.observing.fault_texts import Remark, reach_from, rule_faults
from gpuinfra.clouds.observing.grants import GrantFault, grant_rows
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    is_on,
    opposite,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Bucket, Known, Resource, Rows, Unknown, Usage

_NARROW: Final = (
    *("matchesPrefixes", "matchesSuffixes", "matchesStorageClasses"),
    *("sizeAboveBytes", "sizeBelowBytes", "createdBefore", "customTimeBefore"),
    *("daysSinceCustomTime", "noncurrentTimeBefore"),
)
"""Conditions that leave a part of a bucket alone:
https://docs.cloud.google.com/storage/docs/lifecycle#conditions"""

_PUBLIC_GRANT_FAULT: Final = "grants everyone access to a bucket"
_INHERITED_PREVENTION: Final = (
    "public access prevention is inherited, so that only an organization policy that is not seen "
    "here would refuse a grant to everyone"
)
_REFUSED_PUBLIC_GRANT: Final = (
    "it grants everyone access, which public access prevention refuses where it is enforced"
)
"""https://docs.cloud.google.com/storage/docs/public-access-prevention"""
_TIMES: Final = ("daysSinceNoncurrentTime", "numNewerVersions", "age")


def bucket_of(resource: Resource, index: Index, usage: Usage) -> Bucket:
    """Return the row of a bucket; Cloud Storage encrypts everything at rest.

    https://docs.cloud.google.com/storage/docs/encryption
    It has no setting for TLS; who owns an object decides nothing under uniform access. Enforced
    prevention refuses a grant to everyone, so that an unknown member opens nothing.
    """
    inputs = resource.inputs
    closed = equals(inputs.get("publicAccessPrevention"), "enforced")
    is_public = any_of(
        _opens_publicly(resource, index, kind, test) for kind, test in _OPENERS.items()
    )
    blocked = all_of((closed, is_public is not True))
    access_text = _REFUSED_PUBLIC_GRANT if is_public is True else _INHERITED_PREVENTION
    return Bucket(
        name=resource.name,
        subject=resource.urn,
        cloud="gcp",
        region=bucket_region(resource),
        size_gb=usage.gigabytes.get(resource.name),
        encrypted=True,
        public_blocked=blocked,
        public_access=access_text if blocked is False else "",
        tls_only=None,
        owner_enforced=is_on(inputs.get("uniformBucketLevelAccess")),
        versioned=_is_versioned(resource),
        recoverable=_is_recoverable(resource),
        expires_noncurrent=_lifecycle(resource, _expires),
        aborts_uploads=_lifecycle(resource, _aborts_uploads),
        expires=any_of(
            (
                _lifecycle(resource, _deletes_or_moves),
                is_on(at(resource.inputs.get("autoclass"), "enabled")),
            )
        ),
        labels=own_label_keys(resource),
        faults=rule_faults("valid-names", NAMES.faults(resource)),
        force_destroy=is_on(inputs.get("forceDestroy")),
        safeguards=reach_from("bucket-safeguards", _expiry_faults(resource)),
    )


def _is_versioned(bucket: Resource) -> Known | None:
    """Return whether objects have versions; None with a hierarchical namespace, which has none.

    https://docs.cloud.google.com/storage/docs/hns-overview
    """
    if is_on(at(bucket.inputs.get("hierarchicalNamespace"), "enabled")) is True:
        return None
    return is_on(at(bucket.inputs.get("versioning"), "enabled"))


def _is_recoverable(bucket: Resource) -> Known:
    """Return whether soft delete or a locked retention keeps overwritten and deleted objects.

    Soft delete is on for 7 days unless a bucket or its organization says otherwise, and Google
    recommends it "instead of Object Versioning to protect against permanent data loss".
    https://docs.cloud.google.com/storage/docs/object-versioning (read 2026-11-28)
    https://docs.cloud.google.com/storage/docs/soft-delete (read 2026-11-28)
    https://docs.cloud.google.com/storage/docs/bucket-lock (not re-read: unverified)
    """
    seconds = whole_number(at(bucket.inputs.get("softDeletePolicy"), "retentionDurationSeconds"))
    restorable: Known = UNKNOWN if isinstance(seconds, Unknown) else seconds != 0
    return any_of((restorable, is_on(at(bucket.inputs.get("retentionPolicy"), "isLocked"))))


def _opens_publicly(
    bucket: Resource, index: Index, kind: str, test: Callable[[Resource, Index], Known]
) -> Known:
    companions = index.referrers(bucket, kind, "bucket")
    is_public = any_of(test(resource, index) for resource in companions.certain)
    if companions.complete or is_public is not False:
        return is_public
    return (
        UNKNOWN
        if any(test(resource, index) is not False for resource in index.of_kind(kind))
        else False
    )


def _policy_opens(policy: Resource, _: Index) -> Known:
    return any_of(map(is_everybody, members_of(policy.inputs.get("policyData"))))


def _acl_opens(acl: Resource, _: Index) -> Known:
    predefined = text(acl.inputs.get("predefinedAcl"))
    entries = as_list(acl.inputs.get("roleEntities"))
    return any_of(
        (
            UNKNOWN if isinstance(predefined, Unknown) else predefined in PUBLIC_ACLS,
            *(
                UNKNOWN if not isinstance(entry, str) else entry.rpartition(":")[2] in ANYONE
                for entry in entries
            ),
        )
    )


_OPENERS: Final[dict[str, Callable[[Resource, Index], Known]]] = {
    resource_types.BUCKET_MEMBER: lambda grant, index: lets_anyone_in(grant, "member", index),
    resource_types.BUCKET_BINDING: lambda grant, index: lets_anyone_in(grant, "members", index),
    resource_types.BUCKET_POLICY: _policy_opens,
    resource_types.BUCKET_ACCESS: lambda grant, _: is_everybody(grant.inputs.get("entity")),
    resource_types.BUCKET_ACL: _acl_opens,
}
"""Companion resources of a bucket that may grant public access."""


def grant(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the grants on buckets that may be another stack's; those of this have their rows."""
    buckets = index.targets(resource, "bucket", resource_types.BUCKET)
    if buckets.certain:
        return Rows()
    is_public = _OPENERS[resource_types.canonical(resource.type)](resource, index)
    faults: dict[Known, tuple[GrantFault, ...]] = {
        True: (_PUBLIC_GRANT_FAULT,),
        False: (),
        UNKNOWN: (UNKNOWN,),
    }
    return grant_rows("gcp", resource, faults[is_public])


def _lifecycle(bucket: Resource, acts: Callable[[Any], Known]) -> Known:
    rules = bucket.inputs.get("lifecycleRules")
    return any_of(UNKNOWN if isinstance(rule, Unknown) else acts(rule) for rule in as_list(rules))


def _expires(rule: Any) -> Known:
    """Return whether a rule deletes old versions: by their own time or number, or by age."""
    condition = at(rule, "condition")
    state = at(condition, "withState")
    live = equals(state, "LIVE")
    timed = any_of(_is_set(at(condition, key)) for key in _TIMES)
    return all_of((_is(rule, "Delete"), timed, opposite(live), _whole_bucket(condition)))


def _expiry_faults(bucket: Resource) -> Iterator[Remark]:
    """Yield the faults of rules that delete current objects of the whole bucket by age."""
    for rule in as_list(bucket.inputs.get("lifecycleRules")):
        condition = at(rule, "condition")
        is_for_old_versions = at(condition, "withState") == "ARCHIVED" or any(
            at(condition, key) for key in _TIMES if key != "age"
        )
        if (
            not is_for_old_versions
            and all_of((_is(rule, "Delete"), _whole_bucket(condition))) is True
        ):
            yield from whole_bucket_expiry(whole_number(at(condition, "age")))


def _aborts_uploads(rule: Any) -> Known:
    condition = at(rule, "condition")
    aborts = _is(rule, "AbortIncompleteMultipartUpload")
    return all_of((aborts, _is_set(at(condition, "age")), _whole_bucket(condition)))


def _deletes_or_moves(rule: Any) -> Known:
    """Return whether a rule, for all objects or some, deletes or moves them to another class."""
    return any_of((_is(rule, "Delete"), _is(rule, "SetStorageClass")))


def _is(rule: Any, action: str) -> Known:
    return equals(at(rule, "action", "type"), action)


def _is_set(value: Any) -> Known:
    number = whole_number(value)
    return UNKNOWN if isinstance(number, Unknown) else number is not None


def _whole_bucket(condition: Any) -> Known:
    if isinstance(condition, Unknown):
        return UNKNOWN
    condition_inputs = condition if isinstance(condition, Mapping) else {}
    values = [condition_inputs.get(key) for key in _NARROW]
    return all_of(map(opposite, values))
