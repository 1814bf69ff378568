"""How machines of scale sets end, scale and come back, as far as a stack says it."""

from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN, Usage
from tests.clouds.azure.observe.test_machine_upkeep import (
    HEALTH,
    TRAINS,
    group,
    life,
    spot,
    unasked,
)
from tests.rules.cases.azure_cluster import Cluster, cluster


def scaled(case: Cluster, *directions: Any) -> Cluster:
    case.program.add(
        "azure-native:monitor:AutoscaleSetting",
        "scale",
        enabled=True,
        targetResourceUri=case.scaling.id,
        profiles=[
            {
                "capacity": {"minimum": "1", "maximum": "4", "default": "1"},
                "rules": [
                    {
                        "metricTrigger": {"metricName": "Percentage CPU"},
                        "scaleAction": {"direction": direction},
                    }
                    for direction in directions
                ],
            }
        ],
    )
    return case


def wrong(case: Cluster) -> list[str]:
    return [fault.message for fault in life(case).faults]


def test_autoscaling_goes_both_ways():
    assert "the set never shrinks again" in wrong(scaled(cluster(), "Increase"))[-2]
    assert "the set never grows again" in wrong(scaled(cluster(), "Decrease", "Decrease"))[-2]
    for both in (("Increase", "Decrease"), ("Increase", UNKNOWN), ()):
        assert not [
            message for message in wrong(scaled(cluster(), *both)) if "direction" in message
        ]


@pytest.mark.parametrize(
    ("grows", "shrinks", "count"), [(70, 42, 0), (70, 70, 1), (70, UNKNOWN, 0)]
)
def test_autoscaling_does_not_shrink_where_it_grows(grows, shrinks, count):
    case = scaled(cluster(), "Increase", "Decrease")
    rules = [
        {
            "metricTrigger": {"metricName": "load", "operator": operator, "threshold": threshold},
            "scaleAction": {"direction": direction},
        }
        for direction, operator, threshold in (
            ("Increase", "GreaterThan", grows),
            ("Decrease", "LessThan", shrinks),
        )
    ]
    setting = next(handle for handle in case.program.handles.values() if handle.name == "scale")
    capacity = {"minimum": "1", "maximum": "4", "default": "1"}
    case.program.change(setting, profiles=[{"capacity": capacity, "rules": rules}])

    assert len([message for message in wrong(case) if "leave a margin" in message]) == count


@pytest.mark.parametrize(("share", "count"), [(50, 0), (100, 1), (UNKNOWN, 0)])
def test_a_change_stops_at_machines_that_it_made_unwell(share, count):
    case = cluster()
    policy = {"maxUnhealthyUpgradedInstancePercent": share}
    case.program.change(
        case.scaling, upgradePolicy={"mode": "Rolling", "rollingUpgradePolicy": policy}
    )

    assert len([message for message in wrong(case) if "all machines" in message]) == count


def test_autoscaling_tells_machines_before_it_deletes_them():
    told = {"terminateNotificationProfile": {"enable": True}}
    case = scaled(cluster(), "Increase", "Decrease")
    assert wrong(case) == ["autoscaling deletes machines without a notification"]
    for profile in (told, UNKNOWN):
        case.profile(scheduledEventsProfile=profile)
        assert wrong(case) == []


def test_a_run_that_saves_is_told_before_its_machines_are_deleted():
    case = cluster()
    saves = Usage(purpose={"workers": "training"}, checkpoints={"workers": True})
    for usage, count in ((TRAINS, 0), (saves, 1)):
        upkeep = observe(case.program.resources(), usage).groups[0].lifecycle.upkeep
        assert upkeep is not None
        assert len(upkeep.faults) == count


def test_autoscaling_replaces_evicted_machines_that_are_deleted():
    case = scaled(cluster(), "Increase", "Decrease")
    case.profile(priority="Spot", evictionPolicy="Delete")
    assert wrong(case) == []
    case.profile(evictionPolicy=None)
    assert wrong(case) == [
        "autoscaling counts evicted machines: set the eviction policy to Delete"
    ]


def test_a_server_that_is_asked_for_its_health_is_replaced():
    case = cluster()
    case.profile(extensionProfile={"extensions": [HEALTH]})
    serves = Usage(purpose={"workers": "inference"})
    for policy, count in (
        ({"enabled": True}, 0),
        (UNKNOWN, 0),
        ({"enabled": False}, 1),
        (None, 1),
    ):
        case.program.change(case.scaling, automaticRepairsPolicy=policy)
        upkeep = observe(case.program.resources(), serves).groups[0].lifecycle.upkeep
        assert upkeep is not None
        assert len([fault for fault in upkeep.faults if "unhealthy" in fault.message]) == count


def test_a_flexible_set_that_spreads_widely_has_no_one_placement_group():
    case = cluster()
    case.program.change(case.scaling, orchestrationMode="Flexible", overprovision=None)
    assert "a single placement group is set, which Azure" in wrong(case)[0]
    case.program.change(case.scaling, platformFaultDomainCount=3)
    assert wrong(case) == []


@pytest.mark.parametrize(
    ("size", "single", "count"),
    [
        ("Standard_NC24ads_A100_v4", True, 1),
        ("Standard_NC24ads_A100_v4", None, 1),
        ("Standard_NC24ads_A100_v4", False, 0),
        ("Standard_ND96isr_H100_v5", True, 0),
        ("Standard_ND999_X900_v9", True, 0),
    ],
)
def test_spot_machines_without_infiniband_stand_wherever_there_is_room(size, single, count):
    case = spot(sku={"name": size, "capacity": 4}, singlePlacementGroup=single)

    assert (
        len(
            [
                message
                for message in wrong(case)
                if "one placement group has less capacity for spot" in message
            ]
        )
        == count
    )


def test_a_key_stands_where_azure_puts_it():
    case = cluster()
    system = case.program.handles[case.scaling.urn].inputs["virtualMachineProfile"]["osProfile"]
    for user, count in (("hpc", 0), (UNKNOWN, 0), ("root", 1)):
        case.profile(osProfile={**system, "adminUsername": user})
        assert len([message for message in unasked(case) if "authorized_keys" in message]) == count


@pytest.mark.parametrize(("priority", "count"), [("Regular", 1), (None, 1), ("Spot", 0)])
def test_regular_machines_take_no_restore_policy(priority, count):
    case = cluster()
    case.profile(priority=priority)
    case.program.change(case.scaling, spotRestorePolicy={"enabled": False})

    messages = [fault.message for fault in group(case).faults if fault.rule == "spot-settings"]
    assert len([message for message in messages if "spotRestorePolicy" in message]) == count
