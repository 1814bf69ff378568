"""What an EC2 fleet, a spot fleet and a mixed group buy on demand beside their spot machines."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases import stacks
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

TYPES = [{"instanceType": "g6.xlarge", "maxPrice": "0.20"}]


def _one(program):
    (group,) = observe(program.resources()).groups
    return group


@pytest.mark.parametrize(
    ("default", "targets", "base"),
    [
        ("on-demand", {"spotTargetCapacity": 1}, 9),
        ("on-demand", {"spotTargetCapacity": 1, "onDemandTargetCapacity": 1}, 9),
        ("on-demand", {"spotTargetCapacity": 10}, 0),
        ("on-demand", {"spotTargetCapacity": 12}, 0),
        (UNKNOWN, {"spotTargetCapacity": 3}, 7),
        ("on-demand", {"spotTargetCapacity": UNKNOWN}, 10),
        ("spot", {}, 0),
        ("spot", {"onDemandTargetCapacity": 2}, 2),
        ("spot", {"onDemandTargetCapacity": 2, "spotTargetCapacity": 1}, 2),
        ("spot", {"onDemandTargetCapacity": UNKNOWN}, 10),
    ],
    ids=str,
)
def test_a_fleet_buys_what_exceeds_its_targets_as_its_default_type(default, targets, base):
    target = {"defaultTargetCapacityType": default, "totalTargetCapacity": 10, **targets}
    group = _one(stacks.fleet(target, TYPES))
    both = sum(each for each in targets.values() if each is not UNKNOWN)
    assert (group.rung.capacity, group.maximum) == ("spot", max(10, both))
    assert group.rung.on_demand_base == base


@pytest.mark.parametrize(("held", "base"), [(None, 0), (3, 3), (UNKNOWN, 10)], ids=str)
def test_an_unknown_part_of_a_spot_fleet_counts_as_all_on_demand(held, base):
    program = _spot_fleet(held)
    assert _one(program).rung.on_demand_base == base
    found = outcomes(of_resources(program.resources()), "spot-settings")
    assert ("not-knowable" in found) is (held is UNKNOWN)


def _spot_fleet(held):
    program = Program()
    given = {} if held is None else {"onDemandTargetCapacity": held}
    program.add(
        "aws:ec2/spotFleetRequest:SpotFleetRequest",
        "fleet",
        iamFleetRole="arn:aws:iam::1:role/fleet",
        targetCapacity=10,
        spotPrice="0.20",
        launchSpecifications=[{"ami": "ami-1", "instanceType": "g6.xlarge"}],
        **given,
    )
    return program


def test_an_unknown_base_of_a_mixed_group_counts_as_all_on_demand():
    program = stacks.mixed_pool(
        onDemandBaseCapacity=UNKNOWN, onDemandPercentageAboveBaseCapacity=0, spotMaxPrice="0.20"
    )
    group = _one(program)
    assert (group.rung.capacity, group.rung.spot_share_above_base) == ("on-demand", 0)


def _two_templates(kind, **machines):
    program = Program()
    net = program.add("aws:ec2/vpc:Vpc", "net", cidrBlock="10.0.0.0/16")
    inner = program.add("aws:ec2/subnet:Subnet", "inner", vpcId=net.id)
    templates = [
        program.add(
            "aws:ec2/launchTemplate:LaunchTemplate", name, imageId="ami-1", instanceType=type_
        )
        for name, type_ in machines.items()
    ]
    configs = [
        {
            "launchTemplateSpecification": {"launchTemplateId": template.id, "version": "$Latest"},
            "overrides": [{"subnetId": inner.id}],
        }
        for template in templates
    ]
    if kind.endswith("Fleet"):
        total = {"totalTargetCapacity": 2, "defaultTargetCapacityType": "on-demand"}
        given = {"targetCapacitySpecification": total}
    else:
        given = {"targetCapacity": 2, "iamFleetRole": "arn:aws:iam::1:role/fleet"}
    program.add(kind, "fleet", launchTemplateConfigs=configs, **given)
    return program


@both
@pytest.mark.parametrize(
    "kind", ["aws:ec2/fleet:Fleet", "aws:ec2/spotFleetRequest:SpotFleetRequest"]
)
def test_of_several_templates_that_are_not_made_yet_each_may_start(kind, moment):
    program = _two_templates(kind, small="g6.xlarge", large="p5.48xlarge")
    seen = observe(program.resources(moment))
    assert seen.not_judged == ()
    (group,) = seen.groups
    assert group.machines == ("g6.xlarge", "p5.48xlarge")
    assert group.safety.public_ip is False, "the subnet that both configs name is known"


def test_a_template_that_is_not_known_is_not_said_to_be_on_a_host():
    program = stacks.mixed_pool()
    (pool,) = [handle for handle in program.handles.values() if handle.name == "servers"]
    spec = {"launchTemplateId": "lt-elsewhere"}
    policy = {
        "launchTemplate": {
            "launchTemplateSpecification": spec,
            "overrides": [{"instanceType": "g6.xlarge"}],
        }
    }
    program.change(pool, mixedInstancesPolicy=policy)
    reasons = [each.reason for each in observe(program.resources()).not_judged]
    assert "its launch template lt-elsewhere is not in this stack" in reasons
    assert not any("host" in reason for reason in reasons)
