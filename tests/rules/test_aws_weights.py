"""Groups and fleets of AWS whose size is counted in units, of which a machine is worth some."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import Index, groups_and_items, observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases import stacks
from tests.rules.cases.judging import of_resources, quoted
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


def weighted(**weights):
    return [
        {
            "instanceType": name.replace("_", "."),
            **({} if weight is None else {"weightedCapacity": weight}),
        }
        for name, weight in weights.items()
    ]


def pool(overrides, **shares):
    program = Program()
    template = program.add("aws:ec2/launchTemplate:LaunchTemplate", "lt", imageId="ami-1")
    program.add(
        "aws:autoscaling/group:Group",
        "pool",
        minSize=1,
        maxSize=10,
        availabilityZones=["us-east-1a"],
        mixedInstancesPolicy={
            "launchTemplate": {
                "launchTemplateSpecification": {"launchTemplateId": template.id},
                "overrides": overrides,
            },
            "instancesDistribution": shares,
        },
    )
    return program


def sizes(program, moment="created"):
    groups = observe(program.resources(moment)).groups
    return [(group.machines, group.minimum, group.maximum) for group in groups]


@both
def test_machines_of_one_weight_are_as_many_as_the_units_need(moment):
    program = pool(weighted(p5_48xlarge="8", p5en_48xlarge="8"))
    assert sizes(program, moment) == [(("p5.48xlarge", "p5en.48xlarge"), 1, 2)]


@both
def test_of_far_weights_each_comes_as_often_as_it_can_alone(moment):
    program = pool(weighted(p5_48xlarge="8", g5_xlarge="1"))
    assert sizes(program, moment) == [(("p5.48xlarge",), 1, 2), (("g5.xlarge",), 1, 10)]
    seen = observe(program.resources(moment))
    assert [group.name for group in seen.groups] == ["pool", "pool (g5.xlarge)"]
    assert {item.group for item in seen.items} == {"pool", "pool (g5.xlarge)"}
    alone = groups_and_items(
        program.resources(moment)[1],
        Index(program.resources(moment)),
    )
    assert alone.groups == seen.groups


def test_near_weights_count_as_the_lightest():
    assert sizes(pool(weighted(p5_48xlarge="4", g5_xlarge="3"))) == [
        (("p5.48xlarge", "g5.xlarge"), 1, 4)
    ]


def test_the_ceiling_is_what_the_units_can_buy():
    plan = of_resources(pool(weighted(p5_48xlarge="8", g5_xlarge="1")).resources())
    ceiling = quoted(plan).per_hour.ceiling
    assert Decimal(110) < ceiling < Decimal(125)


@pytest.mark.parametrize("weight", [UNKNOWN, "0", "0.5", "much"], ids=str)
def test_a_weight_that_says_nothing_leaves_the_size_unknown(weight):
    assert sizes(pool(weighted(p5_48xlarge=weight, g5_xlarge="2"))) == [
        (("p5.48xlarge", "g5.xlarge"), UNKNOWN, UNKNOWN)
    ]


def test_what_is_on_demand_first_is_counted_in_machines_too():
    program = pool(
        weighted(p5_48xlarge="8", g5_xlarge="1"),
        onDemandBaseCapacity=4,
        onDemandPercentageAboveBaseCapacity=0,
    )
    groups = observe(program.resources()).groups
    assert [group.rung.on_demand_base for group in groups] == [1, 4]


def test_a_fleet_and_a_spot_fleet_count_units():
    target = {"defaultTargetCapacityType": "spot", "totalTargetCapacity": 64}
    fleet = stacks.fleet(target, weighted(p5_48xlarge=8, p4d_24xlarge=8))
    (group,) = observe(fleet.resources()).groups
    assert (group.minimum, group.maximum) == (8, 8)
    program = Program()
    program.add(
        "aws:ec2/spotFleetRequest:SpotFleetRequest",
        "fleet",
        iamFleetRole="arn:aws:iam::1:role/fleet",
        targetCapacity=20,
        launchSpecifications=[
            {"ami": "ami-1", "instanceType": "p5.48xlarge", "weightedCapacity": "8"}
        ],
    )
    assert sizes(program) == [(("p5.48xlarge",), 3, 3)]


def test_machines_that_are_joined_stay_together():
    program = pool(weighted(p5_48xlarge="8", g5_xlarge="1"))
    (template,) = [handle for handle in program.handles.values() if handle.name == "lt"]
    program.change(template, networkInterfaces=[{"interfaceType": "efa"}])
    assert sizes(program) == [(("p5.48xlarge", "g5.xlarge"), 1, 10)]


@both
def test_a_schedule_adds_units_too(moment):
    program = pool(weighted(p5_48xlarge="8", g5_xlarge="1"))
    (group,) = [handle for handle in program.handles.values() if handle.name == "pool"]
    program.add(
        "aws:autoscaling/schedule:Schedule",
        "more",
        autoscalingGroupName=group.out("name"),
        scheduledActionName="more",
        maxSize=26,
    )
    groups = observe(program.resources(moment)).groups
    assert [(group.name, group.machines, group.maximum) for group in groups[2:]] == [
        ("more", ("p5.48xlarge",), 2),
        ("more (g5.xlarge)", ("g5.xlarge",), 16),
    ]


def test_units_that_surely_run_in_a_reservation_are_counted_as_machines():
    program = Program()
    kept = program.add(
        "aws:ec2/capacityReservation:CapacityReservation",
        "kept",
        instanceType="p5.48xlarge",
        instancePlatform="Linux/UNIX",
        instanceCount=4,
        availabilityZone="us-east-1a",
    )
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "lt",
        imageId="ami-1",
        capacityReservationSpecification={
            "capacityReservationTarget": {"capacityReservationId": kept.id}
        },
    )
    program.add(
        "aws:autoscaling/group:Group",
        "pool",
        minSize=8,
        maxSize=16,
        mixedInstancesPolicy={
            "launchTemplate": {
                "launchTemplateSpecification": {"launchTemplateId": template.id},
                "overrides": weighted(p5_48xlarge="8"),
            }
        },
    )
    left = {
        group.name: (group.minimum, group.maximum) for group in observe(program.resources()).groups
    }
    assert left == {"kept": (3, 2), "pool": (1, 2)}


@both
def test_a_spot_maximum_is_of_a_unit_and_counts_for_a_machine(moment):
    program = pool(
        weighted(p5_48xlarge="8", g5_xlarge="1"),
        onDemandPercentageAboveBaseCapacity=0,
        spotMaxPrice="2.50",
    )
    groups = observe(program.resources(moment)).groups
    assert [group.rung.max_price for group in groups] == [Decimal(20), Decimal("2.5")]


def test_machines_of_near_weights_may_all_cost_what_the_heaviest_may():
    program = pool(
        weighted(p5_48xlarge="4", g5_xlarge="3"),
        onDemandPercentageAboveBaseCapacity=0,
        spotMaxPrice="2",
    )
    (group,) = observe(program.resources()).groups
    assert (group.maximum, group.rung.max_price) == (4, Decimal(8))


def test_a_maximum_of_a_weight_that_is_not_known_is_not_known():
    program = pool(
        weighted(p5_48xlarge=UNKNOWN), onDemandPercentageAboveBaseCapacity=0, spotMaxPrice="2"
    )
    (refused,) = observe(program.resources()).not_judged
    assert "maximum spot price is not known yet" in refused.reason


def test_an_override_s_maximum_in_a_fleet_is_of_a_unit_and_a_template_s_of_a_machine():
    target = {"defaultTargetCapacityType": "spot", "totalTargetCapacity": 8}
    overrides = [{**override, "maxPrice": "0.25"} for override in weighted(g6_12xlarge=4)]
    fleet = stacks.fleet(target, overrides)
    assert observe(fleet.resources()).groups[0].rung.max_price == 1
    fleet = stacks.fleet(target, weighted(g6_12xlarge=4))
    (template,) = [handle for handle in fleet.handles.values() if handle.name == "base"]
    spot = {"marketType": "spot", "spotOptions": {"maxPrice": "0.25"}}
    fleet.change(template, instanceMarketOptions=spot)
    assert observe(fleet.resources()).groups[0].rung.max_price == Decimal("0.25")


@pytest.mark.parametrize("own", [True, False], ids=["of the specification", "of the fleet"])
def test_a_spot_fleet_s_maximum_is_of_a_unit(own):
    spec = {"ami": "ami-1", "instanceType": "p5.48xlarge", "weightedCapacity": "8"}
    program = Program()
    program.add(
        "aws:ec2/spotFleetRequest:SpotFleetRequest",
        "fleet",
        iamFleetRole="arn:aws:iam::1:role/fleet",
        targetCapacity=16,
        spotPrice=None if own else "2.50",
        launchSpecifications=[{**spec, "spotPrice": "2.50"} if own else spec],
    )
    (group,) = observe(program.resources()).groups
    assert (group.maximum, group.rung.max_price) == (2, 20)
