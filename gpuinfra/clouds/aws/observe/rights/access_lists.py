"""The access lists of buckets and objects, with the grants to others than the owner."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.grants import GrantFault, grant_rows
from gpuinfra.clouds.observing.values import all_of, as_list, at, equals, is_on, text
from gpuinfra.model import UNKNOWN, Grant, Known, Resource, Unknown

_CANNED_ACLS: Final = {
    "public-read": "lets everyone read",
    "public-read-write": "lets everyone read and write",
    "authenticated-read": "lets everyone with an AWS account read",
}
_GROUPS: Final = {
    "http://acs.amazonaws.com/groups/global/AllUsers": "everyone",
    "http://acs.amazonaws.com/groups/global/AuthenticatedUsers": "everyone with an AWS account",
}
"""https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html"""


def faults(holder: Resource) -> Iterator[GrantFault]:
    """Yield the public grants of a bucket's access list."""
    canned = text(holder.inputs.get("acl"))
    policy = holder.inputs.get("accessControlPolicy")
    grants = at(policy, "grants") if policy is not None else holder.inputs.get("grants")
    if UNKNOWN in (canned, grants):
        yield UNKNOWN
    elif isinstance(canned, str) and canned in _CANNED_ACLS:
        yield f"{_CANNED_ACLS[canned]} ({canned})"
    for grant in () if isinstance(grants, Unknown) else as_list(grants):
        yield from _grantee_faults(grant)


def bucket_acl_grants(bucket: Resource) -> tuple[Grant, ...]:
    """Return the row of a bucket's own access list, where it may grant public access."""
    public_grants = tuple(faults(bucket))
    return grant_rows("aws", bucket, public_grants).grants if public_grants else ()


def object_acl_grants(resource: Resource, index: Index) -> tuple[Grant, ...]:
    """Return the row of an object's access list, where it may grant public access.

    A bucket of the stack that takes none, or ignores them, keeps its objects private:
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html
    """
    public_grants = tuple(faults(resource))
    if not public_grants:
        return ()
    buckets = index.targets(resource, "bucket", resource_types.BUCKET)
    if (
        buckets.certain
        and buckets.exact
        and all(_ignores(bucket, index) for bucket in buckets.certain)
    ):
        return ()
    return grant_rows("aws", resource, public_grants).grants


def owner_enforced(bucket: Resource, index: Index) -> Known:
    """Return whether a bucket ignores access lists because its owner is enforced.

    Without ownership controls S3 enforces the owner of buckets made since April 2023, and an older
    bucket counts as one of these: when it was made is not looked at.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/create-bucket-faq.html
    """
    controls = index.referrers(bucket, resource_types.BUCKET_OWNERSHIP, "bucket")
    if not controls.certain:
        return True if controls.complete else UNKNOWN
    return all_of(
        equals(at(resource.inputs.get("rule"), "objectOwnership"), "BucketOwnerEnforced")
        for resource in controls.certain
    )


def _ignores(bucket: Resource, index: Index) -> bool:
    blocks = index.referrers(bucket, resource_types.BUCKET_PUBLIC_ACCESS_BLOCK, "bucket").certain
    are_ignored = any(is_on(block.inputs.get("ignorePublicAcls")) is True for block in blocks)
    return are_ignored or owner_enforced(bucket, index) is True


def _grantee_faults(grant: Any) -> Iterator[GrantFault]:
    grantee_uris = (at(grant, "grantee", "uri"), at(grant, "uri"))
    allowed = at(grant, "permission") or at(grant, "permissions")
    if UNKNOWN in grantee_uris:
        yield UNKNOWN
    for uri in grantee_uris:
        if isinstance(uri, str) and uri in _GROUPS:
            permissions_text = ", ".join(str(permission) for permission in as_list(allowed))
            yield f"grants {permissions_text or 'something'} to {_GROUPS[uri]}"
