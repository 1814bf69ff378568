"""The versions of an account's blobs, and the lifecycle rules by which its content expires."""

from collections.abc import Callable, Mapping
from typing import Any

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, equals, flag, is_on
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown


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
    if isinstance(types, Unknown) or any(isinstance(value, Unknown) for value in narrowed):
        return UNKNOWN
    covers_block_blobs = any_of(equals(blob_type, "blockBlob") for blob_type in as_list(types))
    return all_of((covers_block_blobs, not any(narrowed)))
