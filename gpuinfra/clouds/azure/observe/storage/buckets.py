"""Containers as buckets, with the settings of their account, blob service and lifecycle."""

from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.azure.metered import bucket_items
from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch import locations
from gpuinfra.clouds.azure.observe.launch.name_faults import NAMES
from gpuinfra.clouds.azure.observe.storage.storage_account_settings import (
    expires_or_moves,
    expires_versions,
    is_recoverable,
    is_versioned,
    safeguards_of,
)
from gpuinfra.clouds.azure.observe.tag_keys import own_tag_keys
from gpuinfra.clouds.billing import BucketUsage
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.rows import surcharge_reasons, unjudged_rows, unpriced_rows
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    at,
    equals,
    flag,
    is_on,
    opposite,
    text,
)
from gpuinfra.model import UNKNOWN, Bucket, Item, Known, Resource, Rows, Unknown, Usage

_FILES: Final = "FileStorage"
_GENERAL_PURPOSE_V1: Final = "Storage"
_SAFE_TLS: Final = frozenset({None, "TLS1_2", "TLS1_3"})
_TIERS: Final = frozenset({"Hot", "Cool", "Cold", "Premium"})


def buckets(index: Index, usage: Usage) -> tuple[Bucket, ...]:
    """Return a row for each container, or one for an account that is one bucket as a whole."""
    rows = [
        _bucket(account, account, index, usage)
        for account in index.of_kind(resource_types.ACCOUNT)
        if account.inputs.get("kind") != _FILES and _is_whole(account, index, usage)
    ]
    for container in index.of_kind(resource_types.CONTAINER):
        account = _account(container, index)
        if account is None or not _is_whole(account, index, usage):
            rows.append(_bucket(container, account, index, usage))
    return tuple(rows)


def container_rows(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return a container's storage, at the prices of its account."""
    account = _account(resource, index)
    if account is None:
        return unjudged_rows(
            resource, "its storage account is not in this stack, or not known yet"
        )
    if _is_whole(account, index, usage):
        return Rows()
    return _storage_rows(resource, account, index, usage)


_SFTP: Final = "its SFTP is billed by the hour, and the price is unknown"
"""https://learn.microsoft.com/azure/storage/blobs/secure-file-transfer-protocol-support
(2026-11-26, not re-read: unverified)"""


def account_rows(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return an account's storage, where its containers don't show theirs, and its SFTP."""
    sftp = () if is_on(resource.inputs.get("isSftpEnabled")) is False else (_SFTP,)
    reasons_text = surcharge_reasons(resource, sftp)
    if not _is_whole(resource, index, usage):
        return Rows(not_judged=reasons_text)
    rows = _storage_rows(resource, resource, index, usage)
    return replace(rows, not_judged=(*rows.not_judged, *reasons_text))


def _is_whole(account: Resource, index: Index, usage: Usage) -> bool:
    """Return whether an account is one bucket: no container is known, or its size is stated."""
    containers = index.referrers(account, resource_types.CONTAINER, "accountName").certain
    return not containers or account.name in usage.gigabytes


def _account(container: Resource, index: Index) -> Resource | None:
    return index.targets(container, "accountName", resource_types.ACCOUNT).only


def _bucket(resource: Resource, account: Resource | None, index: Index, usage: Usage) -> Bucket:
    """Return the row of a bucket; undeclared settings are false, except for Azure's defaults.

    Azure encrypts every account, and discards uncommitted blocks after a week:
    https://learn.microsoft.com/azure/storage/common/storage-service-encryption and
    https://learn.microsoft.com/rest/api/storageservices/put-block
    """
    hidden_bucket = Bucket(
        name=resource.name,
        subject=resource.urn,
        cloud="azure",
        region=locations.region_of(account or resource, index),
        size_gb=usage.gigabytes.get(resource.name),
        encrypted=True,
        owner_enforced=None,
        aborts_uploads=True,
        faults=rule_faults("valid-names", NAMES.faults(*filter(None, (resource, account)))),
    )
    if account is None:
        return hidden_bucket
    website = _is_website(account, index)
    blocked = all_of((_private(account), opposite(website)))
    access_text = _WEBSITE if website is True else _PUBLIC_ACCESS_FAULT.format(account.name)
    tls_only = _tls_only(account)
    return replace(
        hidden_bucket,
        public_blocked=blocked,
        public_access=access_text if blocked is False else "",
        public_access_fix=_CLOSE_WEBSITE if blocked is False and website is True else "",
        tls_only=tls_only,
        tls_remark=_OLD_OR_PLAIN.format(account.name) if tls_only is False else "",
        versioned=is_versioned(account, index),
        recoverable=is_recoverable(account, index),
        expires_noncurrent=expires_versions(account, index),
        expires=expires_or_moves(account, index),
        labels=own_tag_keys(account),
        safeguards=safeguards_of(account, index),
    )


def _storage_rows(resource: Resource, account: Resource, index: Index, usage: Usage) -> Rows:
    """Return the storage, where its size is stated, and the prices of its requests."""
    inputs = account.inputs
    kind, sku = text(inputs.get("kind")), text(at(inputs.get("sku"), "name"))
    tier = text(inputs.get("accessTier")) or ("Premium" if kind == "BlockBlobStorage" else "Hot")
    hierarchy = flag(inputs.get("isHnsEnabled"))
    if kind in {_FILES, _GENERAL_PURPOSE_V1}:
        return unpriced_rows(resource, f"a storage account of kind {kind}")
    if (
        not isinstance(sku, str)
        or isinstance(tier, Unknown)
        or tier not in _TIERS
        or isinstance(hierarchy, Unknown)
    ):
        return unjudged_rows(resource, "its redundancy, access tier or kind is not known yet")
    bucket_usage = BucketUsage.from_user_usage(resource.name, usage)
    rows = bucket_items(
        resource.name, resource.urn, locations.region_of(account, index), bucket_usage
    )
    items = _with_price_items(
        rows, sku.lower().removeprefix("standard_").removeprefix("premium_"), tier
    )
    if hierarchy:
        items = tuple(
            replace(row, item=row.item.replace("-first-50tb", "-hns-first-50tb")) for row in items
        )
    return Rows(items=tuple(replace(row, resource=resource.urn) for row in items))


def _with_price_items(rows: tuple[Item, ...], redundancy: str, tier: str) -> tuple[Item, ...]:
    """Return the rows of hot storage with the price items of another tier or redundancy.

    Only hot storage has prices by size; where a row has no price it is named as unpriced.
    """
    if tier == "Hot":
        return tuple(replace(row, item=_hot_item(row.item, redundancy)) for row in rows)
    start = "blob-premium-block" if tier == "Premium" else f"blob-{tier.lower()}"
    stored = [row for row in rows if row.unit == "GB-month"]
    known_quantities = [row.quantity for row in stored if isinstance(row.quantity, Decimal)]
    total = sum(known_quantities, Decimal(0)) if known_quantities else stored[0].quantity
    requests = {
        "blob-hot-write": f"{start}-{redundancy}-write",
        "blob-hot-read": f"{start}-read",
    }
    return (
        replace(stored[0], item=f"{start}-{redundancy}", quantity=total),
        *(replace(row, item=requests[row.item]) for row in rows if row.item in requests),
    )


def _hot_item(item: str, redundancy: str) -> str:
    if redundancy == "lrs" or item == "blob-hot-read":
        return item
    if item == "blob-hot-write":
        return f"blob-hot-{redundancy}-write"
    return item.replace("-lrs-", f"-{redundancy}-")


def _private(account: Resource) -> Known:
    """Return whether no container can be public, which is the default.

    "The default interpretation is false for this property" (pulumi-azure-native 3.29.0); older API
    versions allowed it, so it is not known for a resource of a version of its own.
    """
    allowed = flag(account.inputs.get("allowBlobPublicAccess"))
    if allowed is None:
        is_current_type = resource_types.canonical(account.type) == account.type
        closed: Known = True if is_current_type else UNKNOWN
    else:
        closed = opposite(allowed)
    return any_of((closed, equals(account.inputs.get("publicNetworkAccess"), "Disabled")))


_PUBLIC_ACCESS_FAULT: Final = (
    "allowBlobPublicAccess of the storage account {} is on, so that any container of it may be "
    "public"
)
_OLD_OR_PLAIN: Final = (
    "the storage account {} takes connections without TLS, or with TLS older than 1.2"
)
_WEBSITE: Final = (
    "its account serves a static website, which is public even if its containers are private"
)
_CLOSE_WEBSITE: Final = (
    "remove the static website, or set publicNetworkAccess: Disabled on its account; a site that "
    "is to be public needs a waiver"
)


def _is_website(account: Resource, index: Index) -> Known:
    """Return whether an account serves a website, which is public regardless of its blobs.

    https://learn.microsoft.com/azure/storage/blobs/storage-blob-static-website#impact-of-setting-the-access-level-on-the-web-container
    """
    websites = index.referrers(account, resource_types.WEBSITE, "accountName")
    serves: Known = bool(websites.certain) or (False if websites.complete else UNKNOWN)
    is_reached = opposite(equals(account.inputs.get("publicNetworkAccess"), "Disabled"))
    return all_of((serves, is_reached))


def _tls_only(account: Resource) -> Known:
    """Return whether an account takes HTTPS only, the default, and states no older TLS than 1.2.

    Since 3 February 2026 no account takes TLS 1.0 or 1.1, whatever it states (2026-11-27; the page
    was read in an older version that names a day before, the day in reports of others):
    https://learn.microsoft.com/azure/storage/common/transport-layer-security-configure-migrate-to-tls2
    """
    secure = flag(account.inputs.get("enableHttpsTrafficOnly"))
    version = text(account.inputs.get("minimumTlsVersion"))
    return all_of(
        (
            True if secure is None else secure,
            UNKNOWN if isinstance(version, Unknown) else version in _SAFE_TLS,
        )
    )
