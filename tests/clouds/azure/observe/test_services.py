from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.azure.metered import bucket_items
from gpuinfra.clouds.azure.observe import TYPES, observe
from gpuinfra.clouds.azure.observe.resource_types import COSTED, FACTS
from gpuinfra.clouds.billing import BucketUsage
from gpuinfra.model import UNKNOWN, Usage
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_program import AzureProgram

both = pytest.mark.parametrize("moment", ["preview", "created"])


def program_of(token: str, **inputs: Any) -> AzureProgram:
    program = AzureProgram()
    program.add(f"azure-native:{token}", "it", **inputs)
    return program


def items(program: AzureProgram, usage: Usage = Usage()) -> list[tuple[Any, ...]]:  # noqa: B008
    rows = observe(program.resources(), usage).items
    return [(row.item, row.unit, row.quantity, row.region) for row in rows]


def reasons(program: AzureProgram) -> list[str]:
    return [missing.reason for missing in observe(program.resources()).not_judged]


def test_a_nat_gateway_and_its_address():
    assert items(program_of("network:NatGateway", sku={"name": "Standard"})) == [
        ("nat-gateway-hour", "hour", 1, "eastus"),
        ("nat-gateway-data", "GB", None, "eastus"),
    ]
    assert items(program_of("network:PublicIPAddress", sku={"name": "Standard"})) == [
        ("public-ip-standard-static-hour", "hour", 1, "eastus")
    ]


def test_addresses_of_other_kinds():
    wide = program_of("network:PublicIPAddress", sku={"name": "Standard", "tier": "Global"})
    assert items(wide)[0][0] == "public-ip-global-static-hour"
    assert items(program_of("network:PublicIPAddress", publicIPPrefix={"id": "/x"})) == []
    assert items(program_of("network:PublicIPPrefix", prefixLength=28))[0][2] == 16
    assert items(program_of("network:PublicIPPrefix", prefixLength=UNKNOWN))[0][2] is UNKNOWN


PLAN = {"id": "/subscriptions/x/ddosProtectionPlans/p"}


@pytest.mark.parametrize(
    ("settings", "is_priced"),
    [
        (None, True),
        ({"protectionMode": "VirtualNetworkInherited"}, True),
        ({"protectionMode": "Enabled", "ddosProtectionPlan": PLAN}, True),
        ({"protectionMode": "Enabled"}, False),
        (UNKNOWN, False),
    ],
)
def test_protection_of_one_address_has_no_price(settings: Any, is_priced: bool):
    address = program_of("network:PublicIPAddress", ddosSettings=settings)
    assert len(items(address)) == 1
    assert (reasons(address) == []) is is_priced


@both
@pytest.mark.parametrize(
    ("account", "share", "counts"),
    [
        ({"kind": "StorageV2", "sku": {"name": "Standard_LRS"}}, {"shareQuota": 100_000}, True),
        ({"kind": "StorageV2", "sku": {"name": "Standard_LRS"}}, {}, True),
        ({"kind": "FileStorage", "sku": {"name": "Premium_LRS"}}, {"shareQuota": 100_000}, False),
        (None, {"shareQuota": 100_000}, False),
        (None, {}, False),
    ],
)
def test_a_share_has_the_tier_of_its_account(
    account: Any,
    share: dict[str, Any],
    counts: bool,
    moment: Any,
):
    program = AzureProgram()
    name: Any = "elsewhere"
    if account is not None:
        name = program.add("azure-native:storage:StorageAccount", "own", **account).out("name")
    program.add("azure-native:storage:FileShare", "it", accountName=name, **share)
    missing = observe(program.resources(moment)).not_judged
    (row,) = (each for each in missing if each.type.endswith("FileShare"))
    assert row.may_start_machines is not counts
    assert row.small == 0


def balancer(rules: Any, **inputs: Any) -> AzureProgram:
    sku = {"name": "Standard"}
    return program_of(
        "network:LoadBalancer", **{"sku": sku, "loadBalancingRules": rules, **inputs}
    )


@pytest.mark.parametrize(
    ("rules", "hours"),
    [([], [None]), ([{}], [1, None]), ([{}] * 7, [1, None, 2]), (UNKNOWN, [UNKNOWN, None])],
)
def test_a_load_balancer_is_paid_by_its_rules(rules, hours):
    assert [row[2] for row in items(balancer(rules))] == hours


def test_a_load_balancer_is_met_by_a_rule_that_is_a_resource_of_its_own():
    program = AzureProgram()
    kind, sku = "azure-native:network:LoadBalancer", {"name": "Standard"}
    front = program.add(kind, "front", sku=sku)
    assert observe(program.resources()).listeners == ()
    rule = "azure-native:network:InboundNatRule"
    program.add(rule, "rule", loadBalancerName=front.out("name"), frontendPort=80)
    assert [row.name for row in observe(program.resources()).listeners] == ["front"]


@pytest.mark.parametrize("sku", [None, {"name": "Basic"}, {"name": "Gateway"}, UNKNOWN])
def test_a_load_balancer_of_another_tier_is_in_no_table(sku):
    assert "no price is known for a load balancer" in reasons(balancer([{}], sku=sku))[0]


@pytest.mark.parametrize(
    ("sku", "size", "expected"),
    [
        ("Premium_LRS", 128, ("disk-premium-p10", "month", 1)),
        ("Premium_LRS", 129, ("disk-premium-p15", "month", 1)),
        ("StandardSSD_LRS", 1024, ("disk-standard-ssd-e30", "month", 1)),
        ("Standard_LRS", 8, ("disk-standard-hdd-s4", "month", 1)),
        ("Premium_ZRS", 128, ("disk-premium-zrs-p10", "month", 1)),
        ("Premium_LRS", 99_999, ("disk-premium-p-none", "month", 1)),
        ("Premium_LRS", UNKNOWN, ("disk-premium-p6", "month", UNKNOWN)),
        ("Premium_LRS", None, ("disk-premium-p6", "month", UNKNOWN)),
        ("Quantum_LRS", 8, ("disk-quantum_lrs", "month", UNKNOWN)),
        (UNKNOWN, 8, ("disk-premium-p2", "month", UNKNOWN)),
    ],
)
def test_a_disk_is_paid_as_the_tier_that_holds_it(sku, size, expected):
    given = {} if size is None else {"diskSizeGB": size}
    (row,) = items(program_of("compute:Disk", sku={"name": sku}, **given))
    assert row == (*expected, "eastus")


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"tier": "P50"}, [("disk-premium-p50", 1)]),
        ({"tier": UNKNOWN}, [("disk-premium-p20", UNKNOWN)]),
        ({"maxShares": 1, "burstingEnabled": False}, [("disk-premium-p20", 1)]),
        ({"maxShares": 5}, [("disk-premium-p20", 1), ("disk-premium-p-shares", UNKNOWN)]),
        (
            {"burstingEnabled": True},
            [("disk-premium-p20", 1), ("disk-premium-p-bursting", UNKNOWN)],
        ),
    ],
)
def test_a_disk_is_paid_as_the_tier_that_is_chosen_and_for_shares_and_bursts(inputs, expected):
    disk = program_of("compute:Disk", sku={"name": "Premium_LRS"}, diskSizeGB=512, **inputs)
    assert [(row[0], row[2]) for row in items(disk)] == expected


def test_a_disk_that_is_paid_by_what_it_does():
    disk = program_of(
        "compute:Disk",
        sku={"name": "PremiumV2_LRS"},
        diskSizeGB=100,
        diskIOPSReadWrite=4000,
        diskMBpsReadWrite=125,
    )
    assert [row[:3] for row in items(disk)] == [
        ("disk-premium-ssd-v2-storage", "GB-month", 100),
        ("disk-premium-ssd-v2-iops", "IOPS-month", 1000),
    ]


@pytest.mark.parametrize(
    ("stated", "billed"), [(200, 256), (520, 1024), (1100, 2048), (4096, 4096)]
)
def test_an_ultra_disk_is_billed_as_the_next_larger_size(stated: int, billed: int):
    disk = program_of("compute:Disk", sku={"name": "UltraSSD_LRS"}, diskSizeGB=stated)
    assert [row[0::2][:2] for row in items(disk)] == [
        ("disk-ultra-storage", billed),
        ("disk-ultra-iops", UNKNOWN),
        ("disk-ultra-throughput", UNKNOWN),
    ]


@pytest.mark.parametrize(
    ("read_only", "iops", "throughput"),
    [
        ({"diskIOPSReadOnly": 2000, "diskMBpsReadOnly": 300}, 3000, 300),
        ({"diskIOPSReadOnly": 2000}, 3000, UNKNOWN),
        ({}, UNKNOWN, UNKNOWN),
    ],
)
def test_a_shared_disk_pays_for_its_read_only_mounts(
    read_only: dict[str, int], iops: Any, throughput: Any
):
    disk = program_of(
        "compute:Disk",
        sku={"name": "PremiumV2_LRS"},
        diskSizeGB=100,
        diskIOPSReadWrite=4000,
        maxShares=3,
        **read_only,
    )
    assert [(row[0], row[2]) for row in items(disk)[1:]] == [
        ("disk-premium-ssd-v2-iops", iops),
        ("disk-premium-ssd-v2-throughput", throughput),
    ]


def test_the_disks_of_a_machine():
    data = [
        {"lun": 0, "createOption": "Empty", "diskSizeGB": 1024},
        {"lun": 1, "createOption": "Attach", "managedDisk": {"id": "/x"}},
    ]
    program = AzureProgram()
    storage = {"osDisk": {"createOption": "FromImage"}, "dataDisks": data}
    stacks.scale_set(program, profile={"storageProfile": storage})
    rows = observe(program.resources()).items
    assert [(row.name, row.item, row.quantity, row.per_machine) for row in rows] == [
        ("OS disk, sized by its image", "disk-premium-p6", UNKNOWN, True),
        ("data disk 0", "disk-premium-p30", 1, True),
    ]


@pytest.mark.parametrize(
    ("image", "item", "count"),
    [
        ({"publisher": "Canonical", "offer": "ubuntu-24_04-lts"}, "disk-premium-p4", 1),
        ({"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc"}, "disk-premium-p6", 1),
        ({"publisher": "microsoft-dsvm", "offer": "dsvm-win-2022"}, "disk-premium-p15", 1),
        ({"publisher": "acme", "offer": "huge"}, "disk-premium-p6", UNKNOWN),
        ({"id": "/subscriptions/1/galleries/g/images/huge"}, "disk-premium-p6", UNKNOWN),
        (UNKNOWN, "disk-premium-p6", UNKNOWN),
    ],
)
def test_a_disk_is_as_large_as_its_image_where_a_table_has_that(image, item, count):
    program = AzureProgram()
    storage = {"imageReference": image, "osDisk": {"createOption": "FromImage"}}
    stacks.scale_set(program, profile={"storageProfile": storage})
    (row,) = observe(program.resources()).items
    assert (row.item, row.quantity) == (item, count)


def test_a_data_disk_of_an_image_is_of_any_size():
    program = AzureProgram()
    own = {"createOption": "FromImage", "diskSizeGB": 64}
    storage = {"osDisk": own, "dataDisks": [{"lun": 0, "createOption": "FromImage"}]}
    stacks.scale_set(program, profile={"storageProfile": storage})
    assert [row.quantity for row in observe(program.resources()).items] == [1, UNKNOWN]


@pytest.mark.parametrize(
    ("token", "inputs", "item"),
    [
        ("containerregistry:Registry", {"sku": {"name": "Basic"}}, "acr-basic-day"),
        ("containerregistry:Registry", {"sku": {"name": "standard"}}, "acr-standard-day"),
        ("containerregistry:Registry", {"sku": {"name": "Premium"}}, "acr-premium-day"),
        ("containerregistry:Replication", {"location": "westeurope"}, "acr-premium-day"),
    ],
)
def test_a_registry_and_its_copies_are_billed_by_the_day(token, inputs, item):
    region = inputs.get("location", "eastus")
    assert items(program_of(token, **inputs)) == [(item, "day", 1, region)]


@pytest.mark.parametrize("sku", [{"name": "Gold"}, {"name": UNKNOWN}, UNKNOWN])
def test_a_registry_of_an_unknown_tier_has_no_price(sku):
    program = program_of("containerregistry:Registry", sku=sku)
    assert (items(program), reasons(program)) == ([], ["the price of its tier is unknown"])


@pytest.mark.parametrize(("enabled", "count"), [(True, 1), (UNKNOWN, 1), (False, 0), (None, 0)])
@pytest.mark.parametrize("container", [True, False])
def test_sftp_of_an_account_has_no_price(enabled, count, container):
    program = program_of("storage:StorageAccount", isSftpEnabled=enabled, accountName="a")
    if container:
        program.add("azure-native:storage:BlobContainer", "c", accountName="a")
    assert sum("SFTP" in reason for reason in reasons(program)) == count


def test_a_disk_on_the_machine_s_own_storage_costs_nothing():
    program = AzureProgram()
    own = {"osDisk": {"diffDiskSettings": {"option": "Local"}}}
    stacks.scale_set(program, profile={"storageProfile": own})
    assert observe(program.resources()).items == ()


def test_disks_that_are_not_known_yet_are_one_unknown_row():
    program = AzureProgram()
    stacks.scale_set(program, profile={"storageProfile": UNKNOWN})
    (row,) = observe(program.resources()).items
    assert row.quantity is UNKNOWN


def test_a_lustre_file_system_by_its_tier():
    tier = {"name": "AMLFS-Durable-Premium-250"}
    assert items(program_of("storagecache:AmlFilesystem", sku=tier, storageCapacityTiB=8)) == [
        ("managed-lustre-250", "GB-month", 8192, "eastus")
    ]
    assert "no price is known" in reasons(program_of("storagecache:AmlFilesystem"))[0]


def test_a_pool_of_netapp_files_by_its_level():
    assert items(program_of("netapp:CapacityPool", serviceLevel="Premium", size=4 * 2**40)) == [
        ("netapp-files-premium", "GB-month", 4096, "eastus")
    ]
    double = program_of(
        "netapp:CapacityPool", serviceLevel="Premium", size=2**40, encryptionType="Double"
    )
    assert items(double) == []
    assert reasons(double) == ["no price is known for a pool with double encryption"]
    (row,) = items(program_of("netapp:CapacityPool", serviceLevel="Ultra"))
    assert row[2] is UNKNOWN
    assert "service level" in reasons(program_of("netapp:CapacityPool", size=1))[0]


def test_a_log_workspace_pays_for_what_it_takes_in():
    assert items(program_of("operationalinsights:Workspace", sku={"name": "PerGB2018"})) == [
        ("log-analytics-ingest", "GB", None, "eastus")
    ]
    assert "Free" in reasons(program_of("operationalinsights:Workspace", sku={"name": "Free"}))[0]


def test_a_private_endpoint():
    rows = items(program_of("network:PrivateEndpoint"))
    assert [row[:3] for row in rows] == [
        ("private-endpoint-hour", "hour", 1),
        ("private-endpoint-data-first-1pb", "GB", None),
    ]


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
    assert (bucket.public_blocked, bucket.tls_only, bucket.versioned) == (True, False, False)


def test_an_older_api_version_may_have_opened_containers_by_default():
    token = "storage/v20190601:StorageAccount"
    program = program_of(token, kind="StorageV2", sku={"name": "Standard_LRS"})
    (bucket,) = observe(program.resources()).buckets
    assert bucket.public_blocked is UNKNOWN


def budget(token: str = "consumption:Budget", **changes: Any) -> Any:  # noqa: S107
    given = {"category": "Cost", "timeGrain": "Monthly", "amount": 500, **changes}
    return observe(program_of(token, **given).resources()).cloud_budget


def test_budgets_of_the_cloud():
    assert budget() == 500
    assert budget("costmanagement:Budget") == 500
    assert budget(amount=UNKNOWN) is UNKNOWN
    assert budget(timeGrain="Annually") is None
    assert budget("costmanagement:Budget", category="ReservationUtilization") is None
    assert observe([]).cloud_budget is None


def test_an_unknown_type_and_a_component():
    assert reasons(program_of("search:Service")) == [
        "no table has its type, so machines may be in it"
    ]
    program = AzureProgram()
    program.add("mine:index:Cluster", "all")
    program.add("pulumi:providers:azure-native", "default")
    resources = [
        resource if resource.type.startswith("azure") else replace(resource, custom=False)
        for resource in program.resources()
    ]
    assert observe(resources).not_judged == ()


def test_the_types_are_those_of_any_api_version():
    assert "azure-native:compute:VirtualMachine" in TYPES
    assert "azure-native:compute/v20240301:VirtualMachine" in TYPES
    assert "azure-native:search:Service" not in TYPES
    assert 7 not in TYPES
    assert not COSTED & FACTS


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


EAST, WEST = {"locationName": "eastus"}, {"locationName": "westus"}
SERVERLESS = {"capabilities": [{"name": "EnableServerless"}]}


def of_cosmos(service: str, account: dict[str, Any], *parts: tuple[str, Any]) -> list[Any]:
    """What the last of some parts of an account costs as one that is small; None where none is."""
    program = AzureProgram()
    given = {"accountName": "mine", "databaseAccountOfferType": "Standard", **account}
    program.add(f"azure-native:{service}:DatabaseAccount", "account", **given)
    for kind, options in parts:
        token = f"azure-native:{service}:{kind}"
        program.add(token, kind, accountName="mine", databaseName="db", options=options)
    rows = [row for row in observe(program.resources()).not_judged if row.type == token]
    return [None if row.may_start_machines else row.small for row in rows]


@pytest.mark.parametrize("service", ["cosmosdb", "documentdb"])
@pytest.mark.parametrize(
    ("account", "throughput", "small"),
    [
        ({}, 400, "0.032"),
        ({"locations": [EAST]}, 400, "0.032"),
        ({"locations": [EAST, WEST]}, 400, "0.064"),
        ({"locations": [EAST, WEST], "enableMultipleWriteLocations": True}, 400, "0.128"),
        ({"locations": [EAST] * 10}, 1200, None),
        ({"locations": UNKNOWN}, 400, None),
        ({"enableMultipleWriteLocations": UNKNOWN}, 400, None),
        ({"accountName": "another"}, 400, None),
    ],
)
def test_request_units_are_paid_in_each_region(service, account, throughput, small):
    part = ("SqlResourceSqlDatabase", {"throughput": throughput})
    assert of_cosmos(service, account, part) == [None if small is None else Decimal(small)]


@pytest.mark.parametrize(
    ("account", "kind", "options", "shared", "small"),
    [
        ({}, "SqlResourceSqlContainer", None, None, "0.032"),
        ({}, "MongoDBResourceMongoDBCollection", {}, None, "0.032"),
        ({}, "TableResourceTable", None, None, "0.032"),
        ({}, "SqlResourceSqlContainer", {"throughput": 500}, None, "0.04"),
        ({}, "SqlResourceSqlContainer", UNKNOWN, None, None),
        ({}, "SqlResourceSqlContainer", None, {"throughput": 1000}, "0"),
        ({}, "SqlResourceSqlContainer", None, UNKNOWN, "0"),
        (SERVERLESS, "SqlResourceSqlContainer", None, None, "0"),
        ({"accountName": "another"}, "SqlResourceSqlContainer", None, None, None),
        ({}, "GremlinResourceGremlinDatabase", None, None, "0"),
    ],
)
def test_a_table_without_units_has_the_fewest_unless_its_database_shares(
    account, kind, options, shared, small
):
    parts = (("SqlResourceSqlDatabase", shared), (kind, options))
    expected = None if small is None else Decimal(small)
    assert of_cosmos("documentdb", account, *parts) == [expected]
