"""Accounts and containers of Azure's storage: what they cost, and what they leave open."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.azure.metered import bucket_items
from gpuinfra.clouds.azure.observe import observe
from gpuinfra.clouds.billing import BucketUsage
from gpuinfra.model import UNKNOWN, Usage
from tests.clouds.azure.observe.observed import items, program_of, reasons
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.moments import both


@pytest.mark.parametrize(("enabled", "count"), [(True, 1), (UNKNOWN, 1), (False, 0), (None, 0)])
@pytest.mark.parametrize("container", [True, False])
def test_sftp_of_an_account_has_no_price(enabled, count, container):
    program = program_of("storage:StorageAccount", isSftpEnabled=enabled, accountName="a")
    if container:
        program.add("azure-native:storage:BlobContainer", "c", accountName="a")
    assert sum("SFTP" in reason for reason in reasons(program)) == count


def account(usage: Usage = Usage(), **inputs: Any) -> list[tuple[Any, ...]]:  # noqa: B008
    given = {"kind": "StorageV2", "sku": {"name": "Standard_LRS"}, **inputs}
    return [row[:3] for row in items(program_of("storage:StorageAccount", **given), usage)]


BIG = Usage(gigabytes={"it": Decimal(100_000)})


def test_an_account_costs_what_its_footprint_says():
    assert account(BIG) == [
        (row.item, row.unit, row.quantity)
        for row in bucket_items("it", "it", "eastus", BucketUsage(size_gb=Decimal(100_000)))
    ]
    assert account()[0] == ("blob-hot-lrs-first-50tb", "GB-month", None)


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"accessTier": "Cool"}, ["blob-cool-lrs", "blob-cool-lrs-write", "blob-cool-read"]),
        ({"accessTier": "Cold"}, ["blob-cold-lrs", "blob-cold-lrs-write", "blob-cold-read"]),
        (
            {"sku": {"name": "Standard_ZRS"}},
            ["blob-hot-zrs-first-50tb", "blob-hot-zrs-write", "blob-hot-read"],
        ),
        (
            {"isHnsEnabled": True},
            ["blob-hot-lrs-hns-first-50tb", "blob-hot-write", "blob-hot-read"],
        ),
        (
            {"kind": "BlockBlobStorage", "sku": {"name": "Premium_LRS"}},
            ["blob-premium-block-lrs", "blob-premium-block-lrs-write", "blob-premium-block-read"],
        ),
    ],
)
def test_other_tiers_have_prices_of_their_own(inputs, expected):
    assert [row[0] for row in account(**inputs)] == expected


def test_a_tier_without_prices_by_size_counts_its_content_once():
    (stored, *_) = account(BIG, accessTier="Cool")
    assert stored[0] == "blob-cool-lrs"
    assert round(stored[2]) == 93_132


@pytest.mark.parametrize(
    "inputs",
    [{"kind": "FileStorage"}, {"kind": "Storage"}, {"sku": UNKNOWN}, {"accessTier": UNKNOWN}],
)
def test_an_account_that_nobody_can_price(inputs):
    given = {"kind": "StorageV2", "sku": {"name": "Standard_LRS"}, **inputs}
    program = program_of("storage:StorageAccount", **given)
    assert items(program) == []
    assert len(reasons(program)) == 1


def test_an_account_of_files_is_no_bucket():
    program = program_of("storage:StorageAccount", kind="FileStorage", sku={"name": "Premium_LRS"})
    assert observe(program.resources()).buckets == ()


@both
def test_a_bucket_with_all_its_companions(moment):
    program, container, parts = stacks.good_bucket()
    (bucket,) = observe(program.resources(moment)).buckets
    assert (bucket.name, bucket.subject, bucket.region) == ("data", container.urn, "eastus")
    assert (bucket.versioned, bucket.expires_noncurrent) == (True, True)
    assert (bucket.owner_enforced, bucket.aborts_uploads) == (None, True)
    policy = parts["lifecycle"].inputs["policy"]["rules"][0]
    narrow = {
        **policy["definition"],
        "filters": {**policy["definition"]["filters"], "prefixMatch": ["data/logs"]},
    }
    program.change(parts["lifecycle"], policy={"rules": [{**policy, "definition": narrow}]})
    assert observe(program.resources(moment)).buckets[0].expires_noncurrent is False


def test_old_versions_expire_whether_or_not_new_ones_are_kept():
    program, _, parts = stacks.good_bucket()
    program.change(parts["service"], isVersioningEnabled=False)
    (bucket,) = observe(program.resources()).buckets
    assert (bucket.versioned, bucket.expires_noncurrent) == (False, True)


def test_defaults_of_an_account():
    program = program_of("storage:StorageAccount", kind="StorageV2", sku={"name": "Standard_LRS"})
    (bucket,) = observe(program.resources()).buckets
    assert (bucket.public_blocked, bucket.tls_only, bucket.versioned) == (True, True, False)


def test_an_older_api_version_may_have_opened_containers_by_default():
    token = "storage/v20190601:StorageAccount"
    program = program_of(token, kind="StorageV2", sku={"name": "Standard_LRS"})
    (bucket,) = observe(program.resources()).buckets
    assert bucket.public_blocked is UNKNOWN


@both
def test_the_containers_of_an_account_are_buckets_of_their_own(moment):
    program, _, parts = stacks.good_bucket()
    program.add(
        "azure-native:storage:BlobContainer", "logs", accountName=parts["account"].out("name")
    )
    usage = Usage(gigabytes={"data": Decimal(1000), "logs": Decimal(10)})
    seen = observe(program.resources(moment), usage)
    assert [(bucket.name, bucket.size_gb) for bucket in seen.buckets] == [
        ("data", 1000),
        ("logs", 10),
    ]
    stored = [(row.name, round(row.quantity)) for row in seen.items if row.quantity]
    assert stored == [("data", 931), ("logs", 9)]
    whole = observe(program.resources(moment), Usage(gigabytes={"tokens": Decimal(1000)}))
    assert [row.name for row in whole.items] == ["tokens"] * 3
    assert [bucket.name for bucket in whole.buckets] == ["tokens"]


def test_a_container_of_an_account_elsewhere():
    seen = observe(program_of("storage:BlobContainer", accountName="elsewhere").resources())
    assert seen.buckets[0].public_blocked is UNKNOWN
    assert "storage account is not in this stack" in seen.not_judged[0].reason


@pytest.mark.parametrize(
    ("inputs", "private"), [({}, False), ({"publicNetworkAccess": "Disabled"}, True)]
)
def test_a_website_of_an_account_is_public(inputs, private):
    program = AzureProgram()
    account = program.add(
        "azure-native:storage:StorageAccount",
        "it",
        kind="StorageV2",
        sku={"name": "Standard_LRS"},
        allowBlobPublicAccess=False,
        **inputs,
    )
    (closed,) = observe(program.resources()).buckets
    assert closed.public_blocked is True
    program.add(
        "azure-native:storage:StorageAccountStaticWebsite",
        "web",
        accountName=account.out("name"),
    )
    (bucket,) = observe(program.resources()).buckets
    assert bucket.public_blocked is private


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, True),
        ({"minimumTlsVersion": "TLS1_3"}, True),
        ({"minimumTlsVersion": "TLS1_0"}, False),
        ({"minimumTlsVersion": UNKNOWN}, UNKNOWN),
        ({"enableHttpsTrafficOnly": False}, False),
        ({"enableHttpsTrafficOnly": UNKNOWN}, UNKNOWN),
    ],
)
def test_an_account_that_states_no_tls_version_takes_none_of_old(given, expected):
    (bucket,) = observe(program_of("storage:StorageAccount", **given).resources("preview")).buckets
    assert bucket.tls_only is expected
