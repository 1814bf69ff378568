"""Machines whose way of being bought is not known yet are not said to be bought on demand."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.program import Program

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"


def judged(token: str, *, template: Any = None, mixed: Any = None, **inputs: Any) -> list[str]:
    program = Program()
    made = program.add(TEMPLATE, "t", instanceType="g6.xlarge", **(template or {}))
    if token == GROUP and mixed is not None:
        spec = {"launchTemplateSpecification": {"launchTemplateId": made.id}}
        inputs["mixedInstancesPolicy"] = {"launchTemplate": spec, **mixed}
    elif token == GROUP:
        inputs["launchTemplate"] = {"id": made.id}
    if token.endswith("Fleet"):
        spec = {"launchTemplateSpecification": {"launchTemplateId": made.id}}
        inputs["launchTemplateConfigs"] = [spec]
    program.add(token, "g", **inputs)
    return outcomes(of_resources(program.resources()), "spot-settings")


SIZES = {"minSize": 0, "maxSize": 4}
SHARES = "instancesDistribution"
PERCENTAGE = "onDemandPercentageAboveBaseCapacity"
NODES = {"instanceTypes": ["g6.xlarge"], "scalingConfig": {"minSize": 0, "maxSize": 2}}
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
FLEET = "aws:ec2/fleet:Fleet"


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        (GROUP, {"mixed": {SHARES: UNKNOWN}, **SIZES}),
        (GROUP, {"mixed": {SHARES: {PERCENTAGE: UNKNOWN}}, **SIZES}),
        (GROUP, {"template": {"instanceMarketOptions": UNKNOWN}, **SIZES}),
        (GROUP, {"template": {"instanceMarketOptions": {"marketType": UNKNOWN}}, **SIZES}),
        (NODE_GROUP, {"capacityType": UNKNOWN, **NODES}),
        (
            FLEET,
            {
                "targetCapacitySpecification": {
                    "totalTargetCapacity": 4,
                    "defaultTargetCapacityType": UNKNOWN,
                }
            },
        ),
    ],
)
def test_an_unknown_market_is_not_knowable(token, inputs):
    assert judged(token, **inputs) == ["not-knowable"]


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        (GROUP, {"mixed": {SHARES: {PERCENTAGE: 100}}, **SIZES}),
        (GROUP, SIZES),
        (NODE_GROUP, {"capacityType": "ON_DEMAND", **NODES}),
    ],
)
def test_a_known_one_is_fine(token, inputs):
    assert judged(token, **inputs) == ["fine"]
