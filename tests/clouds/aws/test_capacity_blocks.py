"""Groups and nodes from a capacity block: how they name it, and what AWS refuses beside it."""

from typing import Any

import pytest

from gpuinfra.model import faults_of
from tests.clouds.aws.scaling_group import (
    GROUP,
    NODE_GROUP,
    PLACEMENT,
    TEMPLATE,
    machines,
    only,
    target,
)
from tests.rules.cases.program import Program


def block(**inputs: Any) -> dict[str, Any]:
    return {
        "instanceMarketOptions": {"marketType": "capacity-block"},
        "capacityReservationSpecification": target("cr-0123456789abcdef0"),
        **inputs,
    }


def test_a_sound_block_has_no_fault():
    program = Program()
    machines(program, 2, **block())
    group = only(program)

    assert (group.rung.capacity, group.rung.reservation) == (
        "capacity-block",
        "cr-0123456789abcdef0",
    )
    assert faults_of(group.faults, "capacity-block") == ()


def test_a_block_in_a_placement_group_is_a_fault():
    program = Program()
    placement = program.add(PLACEMENT, "close", strategy="cluster")
    machines(program, 2, {"placementGroup": placement.out("name")}, **block())
    (fault,) = faults_of(only(program).faults, "capacity-block")

    assert "placement group" in fault
    assert "remove the placement group" in fault


def test_a_block_that_nobody_names_is_a_fault():
    program = Program()
    machines(program, 2, instanceMarketOptions={"marketType": "capacity-block"})
    (fault,) = faults_of(only(program).faults, "capacity-block")

    assert "capacity_reservation_target" in fault


@pytest.mark.parametrize(
    "named",
    [
        {"capacityReservationIds": ["cr-0123456789abcdef0"]},
        {"capacityReservationResourceGroupArns": ["arn:aws:resource-groups:us-east-1:1:group/x"]},
    ],
)
def test_a_block_that_the_scaling_group_names_is_named(named):
    program = Program()
    goal = {"capacityReservationTarget": named}
    machines(
        program,
        2,
        {"capacityReservationSpecification": goal},
        instanceMarketOptions={"marketType": "capacity-block"},
    )

    assert faults_of(only(program).faults, "capacity-block") == ()


def test_a_block_in_a_mixed_policy_is_no_fault_as_aws_only_warns():
    program = Program()
    template = program.add(TEMPLATE, "node", instanceType="p5.48xlarge", **block())
    program.add(
        GROUP,
        "workers",
        minSize=2,
        maxSize=2,
        mixedInstancesPolicy={
            "launchTemplate": {"launchTemplateSpecification": {"launchTemplateId": template.id}}
        },
    )

    assert faults_of(only(program).faults, "capacity-block") == ()


def test_a_node_group_of_a_block_takes_its_type_from_the_template():
    program = Program()
    template = program.add(TEMPLATE, "node", instanceType="p5.48xlarge", **block())
    program.add(
        NODE_GROUP,
        "workers",
        scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 0},
        capacityType="CAPACITY_BLOCK",
        instanceTypes=["p5.48xlarge"],
        launchTemplate={"id": template.id, "version": "1"},
    )
    (fault,) = faults_of(only(program).faults, "capacity-block")

    assert "remove them" in fault


def test_a_node_group_of_a_block_says_so_itself():
    program = Program()
    template = program.add(TEMPLATE, "node", instanceType="p5.48xlarge", **block())
    program.add(
        NODE_GROUP,
        "workers",
        scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 0},
        launchTemplate={"id": template.id, "version": "1"},
    )
    (fault,) = faults_of(only(program).faults, "capacity-block")

    assert "CAPACITY_BLOCK" in fault
