"""Azure's names of the buckets that machines mount, and their resource ids."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gpuinfra.clouds.declaring.buckets import BucketGrant, NameForm
from gpuinfra.errors import InputError
from gpuinfra.graph import compute

_ACCOUNT: Final = r"(?P<account>[a-z0-9]{3,24})"
_CONTAINER: Final = r"(?P<container>[a-z0-9](?:-?[a-z0-9]){2,62})"
"""https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules"""

_SHORT_BUCKET_ID: Final = f"{_ACCOUNT}/{_CONTAINER}"
_FULL_BUCKET_ID: Final = (
    r"/(?i:subscriptions)/[^/]+/(?i:resourceGroups)/[^/]+/(?i:providers/Microsoft\.Storage)"
    rf"/(?i:storageAccounts)/{_ACCOUNT}/(?i:blobServices/default/containers)/{_CONTAINER}"
)

BUCKETS: Final = NameForm(
    pattern=re.compile(
        "|".join(
            re.sub(r"\?P<\w+>", "", pattern) for pattern in (_SHORT_BUCKET_ID, _FULL_BUCKET_ID)
        )
    ),
    cloud="Azure",
    allowed="account/container of a DataBucket, or a container's resource id "
    "(/subscriptions/…/blobServices/default/containers/…)",
)


def short_name(bucket: str) -> str:
    """Return a container's name for mounts: account/container.

    Raises:
        InputError: it is neither that nor a container's resource id.
    """
    parts = _parse_bucket_id(bucket)
    return f"{parts['account']}/{parts['container']}"


def container_id(bucket: str, subscription: str) -> str:
    """Return the resource id of a container.

    A DataBucket's resource group has the name of its account, so the short form is enough to find
    it in its subscription; any other container has to be given by its resource id.

    Raises:
        InputError: it is neither.
    """
    if bucket.startswith("/"):
        _parse_bucket_id(bucket)
        return bucket
    parts = _parse_bucket_id(bucket)
    account = parts["account"]
    return (
        f"/subscriptions/{subscription}/resourceGroups/{account}/providers/Microsoft.Storage"
        f"/storageAccounts/{account}/blobServices/default/containers/{parts['container']}"
    )


def with_mount_names(grants: Sequence[BucketGrant]) -> tuple[BucketGrant, ...]:
    """Return the grants with each bucket's mount name."""
    return tuple(replace(grant, bucket=compute(short_name, grant.bucket)) for grant in grants)


def _parse_bucket_id(bucket: str) -> re.Match[str]:
    match = re.fullmatch(_FULL_BUCKET_ID if bucket.startswith("/") else _SHORT_BUCKET_ID, bucket)
    if match is None:
        raise InputError.of(f"{bucket!r} is not an Azure bucket", allowed=BUCKETS.allowed)
    return match
