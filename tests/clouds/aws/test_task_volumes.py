"""A service of ECS pays for the volumes of its tasks, and their encryption is judged."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

SERVICE = "aws:ecs/service:Service"
ON_MACHINES = {"launchType": "EC2", "desiredCount": 100, "deploymentMaximumPercent": 100}


def volume(**spec):
    return {"name": "v", "managedEbsVolume": {"roleArn": "r", "sizeInGb": 100, **spec}}


def service(spec, **changes):
    program = Program()
    program.add(SERVICE, "s", volumeConfiguration=spec, **{**ON_MACHINES, **changes})
    return program


@pytest.mark.parametrize(
    ("spec", "changes", "items"),
    [
        ({}, {}, {"ebs-gp3-storage": 10_000}),
        ({}, {"deploymentMaximumPercent": None}, {"ebs-gp3-storage": 20_000}),
        ({}, {"desiredCount": None}, {"ebs-gp3-storage": 0}),
        ({}, {"schedulingStrategy": "DAEMON"}, {"ebs-gp3-storage": UNKNOWN}),
        ({}, {"desiredCount": UNKNOWN}, {"ebs-gp3-storage": UNKNOWN}),
        ({"volumeType": "gp2"}, {}, {"ebs-gp2-storage": 10_000}),
        (
            {"volumeType": "io2", "iops": 200},
            {},
            {"ebs-io2-storage": 10_000, "ebs-io2-iops-tier1": 20_000},
        ),
        ({"sizeInGb": None, "snapshotId": "snap-1"}, {}, {"ebs-gp3-storage": UNKNOWN}),
        ({"sizeInGb": UNKNOWN}, {}, {"ebs-gp3-storage": UNKNOWN}),
        (
            {},
            {"capacityProviderStrategies": [{"capacityProvider": "own"}]},
            {"ebs-gp3-storage": 10_000},
        ),
    ],
)
def test_each_task_has_a_volume_of_its_own(spec, changes, items):
    rows = observe(service(volume(**spec), **changes).resources("created")).items

    assert {item.item: item.quantity for item in rows} == items
    assert all(item.group is None and item.region == "us-east-1" for item in rows)


def test_what_is_not_known_of_a_volume_is_not_free():
    rows = observe(service({"name": "v", "managedEbsVolume": UNKNOWN}).resources("created")).items

    assert [item.quantity for item in rows] == [UNKNOWN]


@both
def test_a_service_that_may_grow_counts_at_its_most(moment):
    program = Program()
    own = program.add(SERVICE, "s", volumeConfiguration=volume(), **ON_MACHINES, name="s")
    target = {"serviceNamespace": "ecs", "scalableDimension": "ecs:service:DesiredCount"}
    name = own.out("name") if moment == "preview" else "service/c/s"
    program.add(
        "aws:appautoscaling/target:Target",
        "t",
        resourceId=name,
        maxCapacity=500,
        minCapacity=0,
        **target,
    )
    (item,) = observe(program.resources(moment)).items

    assert item.quantity == Decimal(50_000)


@pytest.mark.parametrize(
    ("spec", "outcome"),
    [({}, "violated"), ({"encrypted": False}, "violated"), ({"encrypted": True}, "fine")],
)
def test_volumes_of_tasks_are_encrypted(spec, outcome):
    plan = of_resources(service(volume(**spec)).resources("created"))

    assert outcomes(plan, "disk-encrypted") == [outcome]
