"""How machines of scale sets live, what keeps accounts, and what budgets tell and leave out."""

from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN, Group, Reachability, Usage
from tests.rules.cases.azure_cluster import Cluster, cluster
from tests.rules.cases.azure_program import AzureProgram

TRAINS = Usage(purpose={"workers": "training"})
ROLLS = (
    "rolling upgrades: 5% at a time, with at most 20% unhealthy and 20% of the "
    "upgraded ones, PT0S apart"
)
HEALTH = {
    "publisher": "Microsoft.ManagedServices",
    "type": "ApplicationHealthLinux",
    "settings": {"protocol": "http", "port": 80, "requestPath": "/health"},
}


def group(case: Cluster) -> Group:
    return observe(case.program.resources(), TRAINS).groups[0]


def unasked(case: Cluster) -> list[str]:
    return [fault.message for fault in group(case).faults if fault.rule == "launch-settings"]


def life(case: Cluster) -> Reachability:
    upkeep = group(case).lifecycle.upkeep
    assert upkeep is not None
    return upkeep


def spot(**more: Any) -> Cluster:
    case = cluster()
    case.profile(priority="Spot", evictionPolicy="Delete")
    case.program.change(case.scaling, **more)
    return case


def test_an_evicted_machine_of_a_run_has_to_come_back():
    assert "evicted machines are not replaced: no restore policy" in life(spot()).faults[0].message
    back = spot(spotRestorePolicy={"enabled": True, "restoreTimeout": "PT1H"})
    assert life(back).faults == ()
    assert "restored within PT1H" in life(back).open_paths
    assert life(spot(spotRestorePolicy={"enabled": UNKNOWN})).faults == ()
    assert life(cluster()).faults == ()


def test_a_run_has_no_machine_too_many():
    case = cluster()
    case.program.change(case.scaling, overprovision=None)

    assert "overprovisions" in life(case).faults[0].message

    case.program.change(case.scaling, overprovision=UNKNOWN)
    assert life(case).faults == ()


def test_what_is_said_of_spread_repairs_and_ends_is_told():
    case = cluster()
    notice = {"terminateNotificationProfile": {"enable": True, "notBeforeTimeout": "PT7M"}}
    case.profile(scheduledEventsProfile=notice, extensionProfile={"extensions": [HEALTH]})
    case.program.change(
        case.scaling,
        platformFaultDomainCount=3,
        upgradePolicy={"mode": "Rolling", "rollingUpgradePolicy": {"maxBatchInstancePercent": 5}},
        automaticRepairsPolicy={"enabled": True},
    )

    assert life(case).open_paths == (
        "spread over 3 fault domains",
        "in one placement group",
        "started from Premium_LRS disks",
        ROLLS,
        "an unhealthy machine: Replace after PT10M",
        "health extension: http 80/health",
        "notified PT7M before it is deleted",
    )


@pytest.mark.parametrize(
    ("inputs", "count"),
    [
        ({"upgradePolicy": {"mode": "Rolling"}}, 1),
        ({"automaticRepairsPolicy": {"enabled": True}}, 1),
        ({"automaticRepairsPolicy": {"enabled": UNKNOWN}}, 0),
        ({"automaticRepairsPolicy": {"enabled": False}}, 0),
    ],
)
def test_whoever_asks_for_health_has_somebody_to_ask(inputs, count):
    case = cluster()
    case.program.change(case.scaling, **inputs)
    assert len(unasked(case)) == count

    case.profile(extensionProfile={"extensions": [HEALTH]})
    assert unasked(case) == []

    case.profile(extensionProfile={"extensions": [{**HEALTH, "type": UNKNOWN}]})
    assert unasked(case) == []


def test_encryption_on_the_host_is_told():
    case = cluster()
    assert group(case).safety.host_encrypted is None
    case.profile(securityProfile={"encryptionAtHost": True})
    assert group(case).safety.host_encrypted is True


def account(**inputs: Any) -> AzureProgram:
    program = AzureProgram()
    given = {"kind": "StorageV2", "sku": {"name": "Standard_LRS"}, **inputs}
    storage = program.add("azure-native:storage:StorageAccount", "data", **given)
    program.add(
        "azure-native:storage:BlobServiceProperties",
        "service",
        accountName=storage.out("name"),
        blobServicesName="default",
        deleteRetentionPolicy={"enabled": True, "days": 9},
    )
    return program


@pytest.mark.parametrize(
    ("inputs", "count"),
    [
        ({}, 0),
        ({"isLocalUserEnabled": True}, 1),
        ({"allowCrossTenantReplication": True}, 1),
        ({"isLocalUserEnabled": UNKNOWN}, 0),
    ],
)
def test_what_opens_an_account_beside_roles(inputs, count):
    (bucket,) = observe(account(**inputs).resources()).buckets

    assert bucket.safeguards is not None
    assert len(bucket.safeguards.faults) == count
    assert "a deleted blob can be restored for 9 days" in bucket.safeguards.open_paths


def budget(**tags: Any) -> tuple[str, ...]:
    program = AzureProgram()
    program.add(
        "azure-native:consumption:Budget",
        "budget",
        category="Cost",
        timeGrain="Monthly",
        amount=9,
        filter={"tags": {"name": "team", "operator": "In", "values": ["ml"]}},
        notifications={
            "a": {"enabled": True, "threshold": 80, "contactEmails": ["a@example.com"]},
            "b": {"enabled": False, "threshold": 90, "contactEmails": ["a@example.com"]},
        },
    )
    program.add("azure-native:network:NatGateway", "nat", **tags)
    return observe(program.resources()).budget_words


def test_a_budget_by_tag_counts_what_has_it():
    assert budget(tags={"team": "ml"}) == (
        "it alerts at 80% spent",
        "it counts resources with the tag team",
    )
    for tags in ({"team": UNKNOWN}, UNKNOWN):
        assert "nat have no tag team" not in budget(tags=tags)
    for given in ({}, {"tags": {"team": "web"}}):
        assert "nat have no tag team" in budget(**given)


def test_without_a_budget_nothing_is_told():
    assert observe(AzureProgram().resources()).budget_words == ()
