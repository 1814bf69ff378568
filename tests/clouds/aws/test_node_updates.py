"""How many nodes an update of a managed node group of EKS brings, by AWS's own description."""

from decimal import Decimal

import pytest

from gpuinfra.model import UNKNOWN, Caps
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

NODES = "aws:eks/nodeGroup:NodeGroup"
SUBNET = "aws:ec2/subnet:Subnet"
GIVEN = {
    "clusterName": "c",
    "instanceTypes": ["g6.xlarge"],
    "subnetIds": ["subnet-a"],
    "scalingConfig": {"minSize": 0, "maxSize": 10},
}


def only(program: Program, moment: str = "created"):
    (group,) = of_resources(program.resources(moment)).groups
    return group


@both
@pytest.mark.parametrize(
    ("inputs", "surge"),
    [
        ({}, 2),
        ({"subnetIds": ["subnet-a", "subnet-b"]}, 4),
        ({"subnetIds": ["subnet-a", UNKNOWN]}, 4),
        ({"subnetIds": UNKNOWN}, 12),
        ({"updateConfig": {"maxUnavailable": 1}}, 2),
        ({"updateConfig": {"maxUnavailable": 5}}, 5),
        ({"updateConfig": {"maxUnavailablePercentage": 33}}, 4),
        ({"updateConfig": {"updateStrategy": "DEFAULT"}}, 2),
        ({"updateConfig": {"maxUnavailable": 5, "updateStrategy": "MINIMAL"}}, 0),
        ({"updateConfig": {"maxUnavailable": UNKNOWN}}, UNKNOWN),
        ({"updateConfig": UNKNOWN}, UNKNOWN),
        ({"capacityType": "SPOT"}, 3),
        ({"capacityType": "SPOT", "updateConfig": {"updateStrategy": "MINIMAL"}}, 1),
        ({"capacityType": "ON_DEMAND"}, 2),
        ({"scalingConfig": {"minSize": 0, "maxSize": 0}}, 0),
        (
            {"scalingConfig": {"maxSize": 400}, "updateConfig": {"maxUnavailablePercentage": 50}},
            100,
        ),
        (
            {
                "scalingConfig": {"maxSize": UNKNOWN},
                "updateConfig": {"maxUnavailablePercentage": 5},
            },
            UNKNOWN,
        ),
    ],
)
def test_an_update_of_nodes_brings_twice_the_zones_or_what_it_updates_at_once(
    moment, inputs, surge
):
    program = Program()
    program.add(NODES, "nodes", **{**GIVEN, **inputs})
    assert only(program, moment).lifecycle.surge == surge


@both
@pytest.mark.parametrize(
    ("zones", "surge"),
    [(("us-east-1a", "us-east-1a"), 2), (("us-east-1a", "us-east-1b"), 4), ((UNKNOWN,), 2)],
)
def test_the_zones_are_those_of_the_subnets(moment, zones, surge):
    program = Program()
    subnets = [
        program.add(SUBNET, f"s{number}", vpcId="vpc-1", availabilityZone=zone)
        for number, zone in enumerate(zones)
    ]
    program.add(NODES, "nodes", **{**GIVEN, "subnetIds": [subnet.id for subnet in subnets]})
    assert only(program, moment).lifecycle.surge == surge


@pytest.mark.parametrize(
    ("config", "outcome"), [({}, "violated"), ({"updateStrategy": "MINIMAL"}, "fine")]
)
def test_a_cap_counts_the_nodes_of_an_update(config, outcome):
    program = Program()
    program.add(NODES, "nodes", **GIVEN, updateConfig=config)
    judged = of_resources(program.resources("created"), caps=Caps(per_hour=Decimal(9)))
    assert findings(judged, "cap-per-hour")[0].outcome == outcome
