"""Declares a data bucket: an account of its own with one private container and its rules."""

import re
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.azure.declare.children import SUBSCRIPTION, Children
from gpuinfra.clouds.build_spec import BucketOutputs, BuildSpec
from gpuinfra.clouds.declaring import names
from gpuinfra.clouds.declaring.children import BUCKET
from gpuinfra.clouds.declaring.inputs import ORGANIZATION, PROJECT, STACK
from gpuinfra.clouds.declaring.pinned_values import pin_value
from gpuinfra.graph import Expression, Options, ResourceGraph, compute, format_values
from gpuinfra.specs.storage import Bucket

NAME_OUTPUTS: Final = {
    "resource_group": "resourceGroupName",
    "account": "accountName",
    "bucket": "containerName",
}
"""The inputs that name the bucket's parts, by child."""

CONTAINER: Final = "data"
"""The container's name; its account's tells whose bucket it is."""

ACCOUNT: Final = 24
"""Characters of a storage account's name, of a-z and 0-9, unique in the world:
https://learn.microsoft.com/azure/storage/common/storage-account-overview"""

RECOVERABLE_DAYS: Final = 7
"""Days in which a deleted container can be restored, while its account exists:
https://learn.microsoft.com/azure/storage/blobs/soft-delete-container-overview"""

LONGEST_DAYS: Final = 365
"""Maximum days that Azure keeps deleted data:
https://learn.microsoft.com/azure/storage/blobs/soft-delete-blob-overview"""

SETTINGS: Final[Mapping[str, Any]] = {
    "kind": "StorageV2",
    "sku": {"name": "Standard_LRS"},
    "accessTier": "Hot",
    "isHnsEnabled": False,
    "minimumTlsVersion": "TLS1_2",
    "enableHttpsTrafficOnly": True,
    "allowBlobPublicAccess": False,
    "allowSharedKeyAccess": False,
    "defaultToOAuthAuthentication": True,
    "allowCrossTenantReplication": False,
    "isLocalUserEnabled": False,
    "encryption": {"keySource": "Microsoft.Storage", "requireInfrastructureEncryption": True},
    "networkRuleSet": {"defaultAction": "Allow", "bypass": "AzureServices"},
}
"""What every account is. No keys, no anonymous reader, no user of its own: only identities with a
role on the container get in, from any network, since a bucket does not know who will mount it.
`customize` closes the network (`account`, `network_rule_set`). A hierarchical namespace would take
the versions away: https://learn.microsoft.com/azure/storage/blobs/storage-feature-support"""


def declare_bucket(spec: BuildSpec, bucket: Bucket, key: str) -> ResourceGraph:
    """Declare a bucket: a resource group, an account and a container.

    The name of the first two stays what it was at first, since Azure renames neither: with
    another one they are replaced, empty, and the full ones are deleted. A stack's, a project's
    or an organization's new name is no reason for that.
    https://learn.microsoft.com/azure/storage/common/storage-account-overview

    Azure deletes a container with what is in it. What has to outlive the stack is given
    `opts=ResourceOptions(protect=True)`, which its resource group, account and container inherit.
    """
    children = Children(spec, key, BUCKET)
    first = compute(
        partial(_generated_name, spec.stack, spec.name, spec.region),
        *(ORGANIZATION, PROJECT, STACK, SUBSCRIPTION),
    )
    name = pin_value(children, "name", [spec.region], first)
    children.make_resource_group(resourceGroupName=name)
    account = children.make(
        "azure-native:storage:StorageAccount", "account", accountName=name, **SETTINGS
    )
    service = children.make(
        "azure-native:storage:BlobServiceProperties",
        "blob_service",
        accountName=account["name"],
        blobServicesName="default",
        isVersioningEnabled=bucket.versioned,
        deleteRetentionPolicy=_retention(bucket),
        containerDeleteRetentionPolicy={"enabled": True, "days": RECOVERABLE_DAYS},
    )
    children.make(
        "azure-native:storage:ManagementPolicy",
        "lifecycle",
        Options(depends_on=(service.key,)),
        accountName=account["name"],
        managementPolicyName="default",
        policy={"rules": lifecycle(bucket)},
    )
    children.make(
        "azure-native:storage:BlobContainer",
        "bucket",
        Options(depends_on=(service.key,)),
        accountName=account["name"],
        containerName=CONTAINER,
        publicAccess="None",
    )
    children.graph.outputs[key] = bucket_outputs(children.graph, key)
    return children.graph


def bucket_outputs(graph: ResourceGraph, key: str) -> BucketOutputs:
    """Return a bucket's outputs, by its parts' declared or customised names.

    Mounts call it account/container, known at a preview; its id where a name is the caller's. The
    URN, known as early, lets what mounts the bucket wait for it.
    """
    bucket = graph.resources[f"{key}/bucket"]
    names = {
        name: graph.resources[f"{key}/{child}"].inputs.get(name)
        for child, name in NAME_OUTPUTS.items()
    }
    account = names["accountName"]
    is_own_bucket = (
        isinstance(account, Expression)
        and isinstance(names["resourceGroupName"], Expression)
        and names["containerName"] == CONTAINER
    )
    return BucketOutputs(
        bucket_name=format_values(_mount_name, account, bucket["urn"])
        if is_own_bucket
        else bucket["id"],
        bucket_id=bucket["id"],
    )


def lifecycle(bucket: Bucket) -> list[dict[str, Any]]:
    """Return the rules for old versions and snapshots; Azure drops unfinished uploads itself.

    It counts a version's age from the day it was written, not from the day it was replaced, so an
    old one may go at once. What goes is kept as deleted for the same time again, LONGEST_DAYS at
    most: up to that, no version is lost earlier than declared. Of a longer `keep_noncurrent`
    only those days are guaranteed; the rest is for versions that are replaced soon after they are
    written.
    https://learn.microsoft.com/azure/storage/blobs/lifecycle-management-policy-structure
    """
    aged = {"delete": {"daysAfterCreationGreaterThan": _days(bucket)}}
    return [
        {
            "name": "old-versions",
            "type": "Lifecycle",
            "enabled": True,
            "definition": {
                "filters": {"blobTypes": ["blockBlob"]},
                "actions": {"version": aged, "snapshot": aged},
            },
        }
    ]


def account_name(stack: str, name: str, identity: tuple[str, ...]) -> str:
    """Return a storage account's globally unique name; `identity` distinguishes equal names.

    It is the stack's and the bucket's name, cut to what Azure takes, and a digest of the whole.
    """
    readable = re.sub("[^a-z0-9]+", "", f"{stack}{name}".lower())
    return f"{readable[: ACCOUNT - names.DIGITS]}{names.digest([stack, name, *identity])}"


def _retention(bucket: Bucket) -> dict[str, Any]:
    """Return the retention of deleted objects; none for a bucket without versions."""
    if not bucket.versioned:
        return {"enabled": False}
    return {"enabled": True, "days": min(LONGEST_DAYS, _days(bucket))}


def _days(bucket: Bucket) -> int:
    return max(1, -(-bucket.keep_noncurrent // timedelta(days=1)))


def _generated_name(stack: str, name: str, region: str, *identity: str) -> str:
    """Return the name of a new bucket, from its stack, subscription and region."""
    organization, program, pulumi_stack, subscription = identity
    return account_name(stack, name, (organization, program, pulumi_stack, region, subscription))


def _mount_name(account: str, _: str) -> str:
    return f"{account}/{CONTAINER}"
