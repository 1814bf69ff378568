"""Machines that a replacement, or a move to another zone, brings beside those of a group."""

from dataclasses import replace

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.cluster import cluster

SAID = {"maxHealthyPercentage": 100}


@pytest.mark.parametrize(
    ("inputs", "surge"),
    [
        ({}, 0),
        ({"instanceRefresh": {"preferences": {"minHealthyPercentage": 90}}}, 0),
        ({"instanceRefresh": {"preferences": SAID}}, 1),
        ({"instanceRefresh": {"preferences": {"maxHealthyPercentage": 130}}}, 2),
        ({"instanceRefresh": {"preferences": {**SAID, "minHealthyPercentage": 75}}}, 0),
        ({"instanceRefresh": {"preferences": {**SAID, "minHealthyPercentage": 76}}}, 1),
        ({"instanceRefresh": {"preferences": {**SAID, "minHealthyPercentage": UNKNOWN}}}, UNKNOWN),
        ({"instanceMaintenancePolicy": {"maxHealthyPercentage": 200}}, 4),
        ({"instanceMaintenancePolicy": {"maxHealthyPercentage": -1}}, 0),
        ({"instanceMaintenancePolicy": {"maxHealthyPercentage": UNKNOWN}}, UNKNOWN),
        ({"capacityRebalance": True}, 1),
        ({"capacityRebalance": True, "instanceRefresh": {"preferences": SAID}}, 2),
        ({"capacityRebalance": UNKNOWN}, UNKNOWN),
    ],
)
def test_machines_that_a_replacement_brings_are_counted(inputs, surge):
    case = cluster()
    case.program.change(case.scaling, **inputs)
    (group,) = observe(case.program.resources()).groups
    assert group.lifecycle.surge == surge
    assert group.ceiling == (UNKNOWN if surge is UNKNOWN else 4 + surge)


@pytest.mark.parametrize(
    ("inputs", "surge"),
    [
        ({"vpcZoneIdentifiers": ["subnet-a"]}, 0),
        ({"vpcZoneIdentifiers": ["subnet-a", "subnet-b"]}, 1),
        ({"vpcZoneIdentifiers": UNKNOWN}, 1),
        ({"vpcZoneIdentifiers": ["subnet-a", "subnet-b"], "maxSize": 21}, 3),
        ({"vpcZoneIdentifiers": ["subnet-a", "subnet-b"], "maxSize": 1}, 0),
        ({"vpcZoneIdentifiers": None, "availabilityZones": ["us-east-1a", "us-east-1b"]}, 1),
        (
            {
                "vpcZoneIdentifiers": ["subnet-a", "subnet-b"],
                "suspendedProcesses": ["AZRebalance"],
            },
            0,
        ),
    ],
)
def test_machines_that_move_to_another_zone_are_counted(inputs, surge):
    case = cluster()
    case.program.change(case.scaling, **inputs)
    (group,) = observe(case.program.resources()).groups
    assert group.lifecycle.surge == surge


def test_a_group_of_one_machine_moves_when_its_zones_change():
    case = cluster()
    case.program.change(case.scaling, vpcZoneIdentifiers=["subnet-b"], maxSize=1)
    before = {"vpcZoneIdentifiers": ["subnet-a"]}
    resources = [
        replace(resource, before=before) if resource.urn == case.scaling.urn else resource
        for resource in case.program.resources()
    ]
    (group,) = observe(resources).groups
    assert group.lifecycle.surge == 1
