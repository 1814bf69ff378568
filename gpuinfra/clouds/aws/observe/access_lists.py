"""Whom the access list of a bucket lets in besides its owner."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.observing.grants import GrantFault, granted
from gpuinfra.clouds.observing.values import at, listed, text
from gpuinfra.model import UNKNOWN, Grant, Resource, Unknown

_CANNED: Final = {
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
    """Name the public grants of a bucket's access list."""
    canned = text(holder.inputs.get("acl"))
    policy = holder.inputs.get("accessControlPolicy")
    grants = at(policy, "grants") if policy is not None else holder.inputs.get("grants")
    if UNKNOWN in (canned, grants):
        yield UNKNOWN
    elif isinstance(canned, str) and canned in _CANNED:
        yield f"{_CANNED[canned]} ({canned})"
    for grant in () if isinstance(grants, Unknown) else listed(grants):
        yield from _granted(grant)


def of_bucket(bucket: Resource) -> tuple[Grant, ...]:
    """Return the row of a bucket's own access list, where it may grant public access."""
    public_grants = tuple(faults(bucket))
    return granted("aws", bucket, public_grants).grants if public_grants else ()


def _granted(grant: Any) -> Iterator[GrantFault]:
    named = (at(grant, "grantee", "uri"), at(grant, "uri"))
    allowed = at(grant, "permission") or at(grant, "permissions")
    if UNKNOWN in named:
        yield UNKNOWN
    for uri in named:
        if isinstance(uri, str) and uri in _GROUPS:
            words = ", ".join(str(permission) for permission in listed(allowed))
            yield f"grants {words or 'something'} to {_GROUPS[uri]}"
