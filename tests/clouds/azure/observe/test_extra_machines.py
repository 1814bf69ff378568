"""What an upgrade brings beside the machines that run counts under a cap."""

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.clouds.azure.observe.machines.extra_machines import surge_of_pool, surge_of_set
from gpuinfra.model import UNKNOWN, Resource

ROLLING = {"mode": "Rolling", "rollingUpgradePolicy": {"maxSurge": True}}
BATCHES = {"maxSurge": True, "maxBatchInstancePercent": 50}


@pytest.mark.parametrize(
    ("policy", "surge"),
    [
        (None, 0),
        ({**ROLLING, "mode": "Manual"}, 0),
        ({"mode": "Rolling"}, 0),
        ({"mode": "Rolling", "rollingUpgradePolicy": {"maxSurge": False}}, 0),
        (ROLLING, 2),
        ({**ROLLING, "rollingUpgradePolicy": BATCHES}, 4),
        ({**ROLLING, "mode": UNKNOWN}, UNKNOWN),
        ({**ROLLING, "rollingUpgradePolicy": {"maxSurge": UNKNOWN}}, UNKNOWN),
        (
            {**ROLLING, "rollingUpgradePolicy": {**BATCHES, "maxBatchInstancePercent": UNKNOWN}},
            UNKNOWN,
        ),
    ],
)
def test_a_rolling_upgrade_that_makes_new_machines_first_adds_a_batch(policy, surge):
    assert surge_of_set({"upgradePolicy": policy}, 7) == surge


@pytest.mark.parametrize(
    ("image", "extension", "surge"),
    [
        (True, None, 2),
        (None, True, 2),
        (False, False, 0),
        (UNKNOWN, None, UNKNOWN),
        (None, UNKNOWN, UNKNOWN),
    ],
)
@pytest.mark.parametrize("mode", [None, "Manual", "Automatic"])
def test_automatic_upgrades_follow_the_rolling_policy_in_every_mode(mode, image, extension, surge):
    policy = {**ROLLING, "mode": mode}
    policy["automaticOSUpgradePolicy"] = {"enableAutomaticOSUpgrade": image}
    profile = {"extensionProfile": {"extensions": [{"enableAutomaticUpgrade": extension}]}}
    inputs = {"upgradePolicy": policy, "virtualMachineProfile": profile}
    assert surge_of_set(inputs, 7) == surge


@pytest.mark.parametrize(
    ("written", "surge"),
    [
        (None, 1),
        ("0", 0),
        ("33%", 3),
        ("100%", 7),
        ("5", 5),
        (UNKNOWN, UNKNOWN),
        ("many", UNKNOWN),
    ],
)
def test_a_node_pool_s_upgrade_adds_what_its_settings_say(written, surge):
    assert surge_of_pool({"upgradeSettings": {"maxSurge": written}}, 7) == surge


@pytest.mark.parametrize(
    ("strategy", "surge"), [("BlueGreen", 7), ("Rolling", 1), (None, 1), (UNKNOWN, UNKNOWN)]
)
def test_a_blue_green_upgrade_doubles_a_node_pool(strategy, surge):
    assert surge_of_pool({"upgradeStrategy": strategy}, 7) == surge
    rolling = {"upgradeSettings": {"maxSurge": "1"}, "upgradeStrategy": strategy}
    assert surge_of_pool(rolling, 7) == surge


@pytest.mark.parametrize("most", [1, 10, 11])
def test_a_node_pool_s_upgrade_adds_a_tenth_by_default(most):
    assert surge_of_pool({}, most) == (2 if most == 11 else 1)
    assert surge_of_pool({}, UNKNOWN) is UNKNOWN


@pytest.mark.parametrize(("enabled", "surge"), [(True, UNKNOWN), (UNKNOWN, UNKNOWN), (False, 0)])
def test_a_scale_set_that_balances_its_zones_may_hold_more(enabled, surge):
    balance = {"automaticZoneRebalancingPolicy": {"enabled": enabled}}
    assert surge_of_set({"resiliencyPolicy": balance}, 7) == surge


def test_a_share_of_an_unknown_size_is_unknown():
    assert surge_of_set({"upgradePolicy": ROLLING}, UNKNOWN) is UNKNOWN
    assert surge_of_pool({"upgradeSettings": {"maxSurge": "10%"}}, UNKNOWN) is UNKNOWN


def test_a_scale_set_and_a_cluster_s_pool_have_their_surge():
    place = {"location": "eastus", "resourceGroupName": "g"}
    sku = {"name": "Standard_NC24ads_A100_v4", "capacity": 7}
    pool = {"name": "n", "count": 7, "vmSize": sku["name"], "upgradeSettings": {"maxSurge": "2"}}
    by_kind = {
        "azure-native:compute:VirtualMachineScaleSet": {"sku": sku, "upgradePolicy": ROLLING},
        "azure-native:containerservice:ManagedCluster": {"agentPoolProfiles": [pool]},
    }
    rows = [
        Resource(urn=kind, type=kind, name=kind, inputs={**place, **inputs})
        for kind, inputs in by_kind.items()
    ]
    assert [group.lifecycle.surge for group in observe(rows).groups] == [2, 2]
