"""A partition is asked for in a placement group of partitions alone."""

import pytest

from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


@both
@pytest.mark.parametrize(
    ("strategy", "number", "refused"),
    [
        ("cluster", 1, True),
        ("spread", 1, True),
        ("partition", 1, False),
        ("cluster", None, False),
    ],
)
@pytest.mark.parametrize("in_template", [True, False])
def test_a_partition_number_needs_partitions(strategy, number, refused, in_template, moment):
    program = Program()
    group = program.add("aws:ec2/placementGroup:PlacementGroup", "pg", strategy=strategy)
    machine = {"instanceType": "p5.48xlarge"}
    if in_template:
        placement = {"groupName": group.out("name"), "partitionNumber": number}
        template = program.add("aws:ec2/launchTemplate:LaunchTemplate", "lt", placement=placement)
        machine |= {"launchTemplate": {"id": template.id}}
    else:
        machine |= {"placementGroup": group.out("name"), "placementPartitionNumber": number}
    program.add("aws:ec2/instance:Instance", "m", **machine)
    found = findings(of_resources(program.resources(moment)), "launch-settings")

    assert any("partition" in finding.message for finding in found) is refused
