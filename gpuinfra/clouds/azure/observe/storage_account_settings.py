"""The deletion protection of a storage account, and access to it other than by roles."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.bucket_expiry import whole_bucket_expiry
from gpuinfra.clouds.observing.fault_texts import Remark, reach_from
from gpuinfra.clouds.observing.values import as_list, at, flag, text, whole_number
from gpuinfra.model import Reachability, Resource
from gpuinfra.units import format_count

_EXTRA_ACCESS_SETTINGS: Final = {
    "isLocalUserEnabled": "it has local users with keys and passwords (SFTP)",
    "allowCrossTenantReplication": "its objects may be copied to another tenant",
}
"""What opens an account beside roles, when it is on:
https://learn.microsoft.com/azure/storage/blobs/secure-file-transfer-protocol-support-authorize-access,
https://learn.microsoft.com/azure/storage/common/object-replication-prevent-cross-tenant-policies"""

_AGE_CONDITIONS: Final = (
    *("daysAfterModificationGreaterThan", "daysAfterCreationGreaterThan"),
    "daysAfterLastAccessTimeGreaterThan",
)
"""https://learn.microsoft.com/azure/storage/blobs/lifecycle-management-policy-structure"""

_SOFT_DELETE_SETTINGS: Final = {
    "deleteRetentionPolicy": "a deleted blob",
    "containerDeleteRetentionPolicy": "a deleted container",
}
"""https://learn.microsoft.com/azure/storage/blobs/soft-delete-blob-overview"""


def safeguards_of(account: Resource, index: Index) -> Reachability:
    """Return the settings that protect the content of an account, and those that open it."""
    findings = (
        *_access_findings(account),
        *_recovery(account, index),
        *_settings(account),
        *_deletion_faults(account, index),
    )
    return reach_from("bucket-safeguards", findings)


def _access_findings(account: Resource) -> Iterator[Remark]:
    for key, words in _EXTRA_ACCESS_SETTINGS.items():
        if flag(account.inputs.get(key)) is True:
            yield False, words


def _recovery(account: Resource, index: Index) -> Iterator[Remark]:
    for service in index.referrers(account, resource_types.BLOB_SERVICE, "accountName").certain:
        for key, words in _SOFT_DELETE_SETTINGS.items():
            policy: Any = service.inputs.get(key)
            days = whole_number(at(policy, "days"))
            if flag(at(policy, "enabled")) is True:
                span = format_count(days, "day") if isinstance(days, int) else "a time"
                yield True, f"{words} can be restored for {span}"
    for policy in index.referrers(account, resource_types.LIFECYCLE, "accountName").certain:
        for rule in as_list(at(policy.inputs.get("policy"), "rules")):
            if at(rule, "definition", "actions", "snapshot", "delete") is not None:
                yield True, "old snapshots expire"


def _deletion_faults(account: Resource, index: Index) -> Iterator[Remark]:
    """Yield the faults of rules that delete current blobs of the whole account by age."""
    for policy in index.referrers(account, resource_types.LIFECYCLE, "accountName").certain:
        for rule in as_list(at(policy.inputs.get("policy"), "rules")):
            filters, actions = (at(rule, "definition", key) for key in ("filters", "actions"))
            part = at(filters, "prefixMatch") or at(filters, "blobIndexMatch")
            if flag(at(rule, "enabled")) is not False and not part:
                for key in _AGE_CONDITIONS:
                    yield from whole_bucket_expiry(
                        whole_number(at(actions, "baseBlob", "delete", key))
                    )


def _settings(account: Resource) -> Iterator[Remark]:
    encryption = account.inputs.get("encryption")
    if flag(at(encryption, "requireInfrastructureEncryption")) is True:
        yield True, "it is encrypted twice"
    rules = account.inputs.get("networkRuleSet")
    default = text(at(rules, "defaultAction"))
    if default == "Deny":
        yield True, "only named networks can reach it"
