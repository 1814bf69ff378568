"""What machines name is of their region: security groups, placement groups and keys."""

import pytest

from tests.clouds.aws.scaling_group import TEMPLATE
from tests.clouds.aws.test_start_places import INSTANCE, WALL, refused
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


@both
def test_a_security_group_of_another_region_is_known_by_its_id(moment):
    program = Program()
    wall = program.add(WALL, "wall", region="us-west-2")
    program.add(INSTANCE, "one", instanceType="g6.xlarge", vpcSecurityGroupIds=[wall.id])
    assert refused(program, moment) == (
        "SecurityGroup wall is in us-west-2, and the machines are in us-east-1",
    )


@pytest.mark.parametrize("there", ["us-east-1", "us-west-2"])
@pytest.mark.parametrize("templated", [False, True])
@pytest.mark.parametrize(
    ("token", "prop", "listed"),
    [
        (WALL, "vpcSecurityGroupIds", True),
        ("aws:ec2/placementGroup:PlacementGroup", "placementGroup", False),
        ("aws:ec2/keyPair:KeyPair", "keyName", False),
    ],
)
def test_what_a_machine_names_is_of_its_region(token, prop, listed, templated, there):
    program = Program()
    other = program.add(token, "other", region=there)
    value = [other.id] if listed else other.out("id")
    inputs = {"instanceType": "g6.xlarge", prop: value}
    if templated:
        if prop == "placementGroup":
            inputs = {"instanceType": "g6.xlarge", "placement": {"groupName": value}}
        inputs = {"launchTemplate": {"id": program.add(TEMPLATE, "t", **inputs).id}}
    program.add(INSTANCE, "one", **inputs)
    kind = token.rpartition(":")[2]
    far = f"{kind} other is in {there}, and the machines are in us-east-1"
    assert refused(program, "preview") == (() if there == "us-east-1" else (far,))


def test_a_value_that_comes_from_each_region_may_be_that_of_the_machine_s():
    program = Program()
    walls = [program.add(WALL, place, region=place).id for place in ("us-east-1", "us-west-2")]
    program.add(INSTANCE, "one", instanceType="g6.xlarge", vpcSecurityGroupIds=walls)
    assert refused(program, "preview") == ()
