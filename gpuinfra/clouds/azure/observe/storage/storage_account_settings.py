"""What a storage account keeps, versions and expiry, and access to it other than by roles."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.bucket_expiry import whole_bucket_expiry
from gpuinfra.clouds.observing.fault_texts import Remark, reach_from
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    flag,
    is_on,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, Reachability, Resource, Unknown
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
    for key, fault_text in _EXTRA_ACCESS_SETTINGS.items():
        if flag(account.inputs.get(key)) is True:
            yield False, fault_text


def _recovery(account: Resource, index: Index) -> Iterator[Remark]:
    for service in index.referrers(account, resource_types.BLOB_SERVICE, "accountName").certain:
        for key, fault_text in _SOFT_DELETE_SETTINGS.items():
            policy: Any = service.inputs.get(key)
            days = whole_number(at(policy, "days"))
            if flag(at(policy, "enabled")) is True:
                span = format_count(days, "day") if isinstance(days, int) else "a time"
                yield True, f"{fault_text} can be restored for {span}"
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


def is_versioned(account: Resource, index: Index) -> Known | None:
    """Return whether blobs have versions; None with a hierarchical namespace, which has none.

    https://learn.microsoft.com/azure/storage/blobs/storage-feature-support-in-storage-accounts
    """
    if flag(account.inputs.get("isHnsEnabled")) is True:
        return None
    return _companion(
        account,
        index,
        resource_types.BLOB_SERVICE,
        lambda service: is_on(service.inputs.get("isVersioningEnabled")),
    )


def is_recoverable(account: Resource, index: Index) -> Known:
    """Return whether soft delete keeps blobs; it protects from "accidental deletes or overwrites".

    https://learn.microsoft.com/azure/storage/blobs/soft-delete-blob-overview (read 2026-11-28)
    """
    return _companion(
        account,
        index,
        resource_types.BLOB_SERVICE,
        lambda service: is_on(at(service.inputs.get("deleteRetentionPolicy"), "enabled")),
    )


def expires_versions(account: Resource, index: Index) -> Known:
    """Return whether a lifecycle rule deletes old versions of all blobs."""
    return _companion(account, index, resource_types.LIFECYCLE, _expires_versions)


def expires_or_moves(account: Resource, index: Index) -> Known:
    """Return whether a lifecycle rule deletes any blobs or moves them to another tier."""
    return _companion(account, index, resource_types.LIFECYCLE, _moves_anything)


def _companion(
    account: Resource, index: Index, kind: str, test: Callable[[Resource], Known]
) -> Known:
    companions = index.referrers(account, kind, "accountName")
    passed = any_of(test(companion) for companion in companions.certain)
    return passed if passed is True or companions.complete else UNKNOWN


def _expires_versions(lifecycle: Resource) -> Known:
    rules = as_list(at(lifecycle.inputs.get("policy"), "rules"))
    return any_of(_expires(rule) for rule in rules)


def _moves_anything(lifecycle: Resource) -> Known:
    """Return whether a rule, for all blobs or some, deletes them or moves them to another tier."""
    rules = at(lifecycle.inputs.get("policy"), "rules")
    return any_of(_moves_objects(rule) for rule in as_list(rules))


def _moves_objects(rule: Any) -> Known:
    enabled, actions = flag(at(rule, "enabled")), at(rule, "definition", "actions")
    if isinstance(actions, Unknown):
        return UNKNOWN
    action_values = actions.values() if isinstance(actions, Mapping) else ()
    return all_of((True if enabled is None else enabled, any(action_values)))


def _expires(rule: Any) -> Known:
    enabled = flag(at(rule, "enabled"))
    deleted = at(rule, "definition", "actions", "version", "delete")
    return all_of(
        (
            True if enabled is None else enabled,
            UNKNOWN if isinstance(deleted, Unknown) else deleted is not None,
            _covers_all_blobs(at(rule, "definition", "filters")),
        )
    )


def _covers_all_blobs(filters: Any) -> Known:
    """Return whether a rule covers all block blobs: no prefix or index tag narrows it."""
    if not isinstance(filters, Mapping):
        return UNKNOWN if isinstance(filters, Unknown) else True
    narrowed = [filters.get(key) for key in ("prefixMatch", "blobIndexMatch")]
    types = filters.get("blobTypes")
    if isinstance(types, Unknown) or UNKNOWN in narrowed:
        return UNKNOWN
    covers_block_blobs = any_of(equals(blob_type, "blockBlob") for blob_type in as_list(types))
    return all_of((covers_block_blobs, not any(narrowed)))
