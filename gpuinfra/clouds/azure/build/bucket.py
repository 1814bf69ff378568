"""Builds a data bucket: a storage account of its own with one container, private and tidied up."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

import pulumi
import pulumi_azure_native as azure

from gpuinfra.clouds.azure.build.children import GROUPED, Children
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.customize import plain
from gpuinfra.clouds.declaring import names
from gpuinfra.clouds.order import Given, Order, Stored
from gpuinfra.stackfile.storage import Bucket

KINDS: Final[Kinds] = {
    **GROUPED,
    "account": azure.storage.StorageAccount,
    "blob_service": azure.storage.BlobServiceProperties,
    "lifecycle": azure.storage.ManagementPolicy,
    "bucket": azure.storage.BlobContainer,
}

NAMED: Final = {
    "resource_group": "resource_group_name",
    "account": "account_name",
    "bucket": "container_name",
}
"""The arguments that name the bucket's parts, by child."""

CONTAINER: Final = "data"
"""The container's name; its account's tells whose bucket it is."""

ACCOUNT: Final = 24
"""Characters of a storage account's name, of a-z and 0-9, unique in the world:
https://learn.microsoft.com/azure/storage/common/storage-account-overview"""

RECOVERABLE_DAYS: Final = 7
"""Days in which a container that somebody deleted can be had back, while its account stands:
https://learn.microsoft.com/azure/storage/blobs/soft-delete-container-overview"""

LONGEST_DAYS: Final = 365
"""Days that Azure keeps what was deleted, at most:
https://learn.microsoft.com/azure/storage/blobs/soft-delete-blob-overview"""

SETTINGS: Final[Mapping[str, Any]] = {
    "kind": "StorageV2",
    "sku": {"name": "Standard_LRS"},
    "access_tier": "Hot",
    "is_hns_enabled": False,
    "minimum_tls_version": "TLS1_2",
    "enable_https_traffic_only": True,
    "allow_blob_public_access": False,
    "allow_shared_key_access": False,
    "default_to_o_auth_authentication": True,
    "allow_cross_tenant_replication": False,
    "is_local_user_enabled": False,
    "encryption": {"key_source": "Microsoft.Storage", "require_infrastructure_encryption": True},
    "network_rule_set": {"default_action": "Allow", "bypass": "AzureServices"},
}
"""What every account is. No keys, no anonymous reader, no user of its own: only identities with a
role on the container get in, from any network, since a bucket does not know who will mount it.
`customize` closes the network (`account`, `network_rule_set`). A hierarchical namespace would take
the versions away: https://learn.microsoft.com/azure/storage/blobs/storage-feature-support"""


def build_bucket(order: Order, wanted: Bucket, given: Given) -> Stored:
    """Register a bucket: a resource group, an account and a container.

    Azure deletes a container with what is in it. What has to outlive the stack is given
    `opts=ResourceOptions(protect=True)`, which its resource group, account and container inherit.

    Raises:
        InputError: the customised children do not fit.
    """
    children = Children(order, given, KINDS)
    name = _account_name(children)
    children.make_resource_group(resource_group_name=name)
    account = children.make(azure.storage.StorageAccount, "account", account_name=name, **SETTINGS)
    service = children.make(
        azure.storage.BlobServiceProperties,
        "blob_service",
        account_name=account.name,
        blob_services_name="default",
        is_versioning_enabled=wanted.versioned,
        delete_retention_policy=_kept(wanted),
        container_delete_retention_policy={"enabled": True, "days": RECOVERABLE_DAYS},
    )
    children.make(
        azure.storage.ManagementPolicy,
        "lifecycle",
        opts=children.options(depends_on=[service]),
        account_name=account.name,
        management_policy_name="default",
        policy={"rules": lifecycle(wanted)},
    )
    made = children.make(
        azure.storage.BlobContainer,
        "bucket",
        opts=children.options(depends_on=[service]),
        account_name=account.name,
        container_name=CONTAINER,
        public_access="None",
    )
    children.finish()
    return Stored(bucket_name=_mount_name(name, made, given), bucket_id=made.id)


def lifecycle(wanted: Bucket) -> list[dict[str, Any]]:
    """What Azure tidies up by itself: old versions, and snapshots; unfinished uploads it drops.

    It counts a version's age from the day it was written, not from the day it was replaced, so an
    old one may go at once. What goes is kept as deleted for the same time again, LONGEST_DAYS at
    most: up to that, nobody loses a version earlier than promised. Of a longer `keep_noncurrent`
    only those days are sure, and the rest is for versions that are replaced young.
    https://learn.microsoft.com/azure/storage/blobs/lifecycle-management-policy-structure
    """
    aged = {"delete": {"days_after_creation_greater_than": _days(wanted)}}
    return [
        {
            "name": "old-versions",
            "type": "Lifecycle",
            "enabled": True,
            "definition": {
                "filters": {"blob_types": ["blockBlob"]},
                "actions": {"version": aged, "snapshot": aged},
            },
        }
    ]


def account_name(stack: str, name: str, identity: tuple[str, ...]) -> str:
    """An account's name, unique in the world: `identity` tells whose bucket it is.

    It is the stack's and the bucket's name, cut to what Azure takes, and a digest of the whole.
    """
    readable = re.sub("[^a-z0-9]+", "", f"{stack}{name}".lower())
    return f"{readable[: ACCOUNT - names.DIGITS]}{names.digest([stack, name, *identity])}"


def _kept(wanted: Bucket) -> dict[str, Any]:
    """How long what was deleted can be had back; nothing of a bucket that keeps no versions."""
    if not wanted.versioned:
        return {"enabled": False}
    return {"enabled": True, "days": min(LONGEST_DAYS, _days(wanted))}


def _days(wanted: Bucket) -> int:
    return max(1, -(-wanted.keep_noncurrent // timedelta(days=1)))


def _account_name(children: Children) -> pulumi.Output[str]:
    """The same name for the same bucket of the same stack in the same subscription and region."""
    order = children.order
    place = (
        pulumi.get_organization() or "",
        pulumi.get_project(),
        pulumi.get_stack(),
        order.region,
    )
    return children.subscription.apply(
        lambda known: account_name(order.stack, order.name, (*place, known))
    )


def _mount_name(
    account: pulumi.Output[str], made: azure.storage.BlobContainer, given: Given
) -> pulumi.Output[str]:
    """What mounts call the bucket, known at a preview; its id where a name is the caller's.

    The URN, known as early, lets what mounts the bucket wait for it.
    """
    own = plain(given.customize)
    if any(key in own.get(child, {}) for child, key in NAMED.items()):
        whole: pulumi.Output[str] = made.id
        return whole
    return pulumi.Output.all(account, made.urn).apply(lambda known: f"{known[0]}/{CONTAINER}")
