"""What Azure bills besides machines, disks and accounts, and which types it knows."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import TYPES, observe
from gpuinfra.model import UNKNOWN
from tests.clouds.azure.observe.observed import items, program_of, reasons
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.moments import both


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
    assert row.hourly_maximum == 0


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


def test_an_unknown_type_and_a_component():
    assert reasons(program_of("search:Service")) == [
        "gpuinfra does not know this type: it may start machines"
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
