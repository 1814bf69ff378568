"""Groups of machines of AWS: which they hold, how they buy them, and how many at most."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases import stacks
from tests.rules.cases.cluster import cluster
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

NODES = "aws:eks/nodeGroup:NodeGroup"


@both
def test_a_mixed_pool_holds_every_type_and_both_ways_to_buy(moment):
    program = stacks.mixed_pool(
        onDemandBaseCapacity=2, onDemandPercentageAboveBaseCapacity=25, spotMaxPrice="0.9"
    )
    (group,) = observe(program.resources(moment)).groups
    assert group.machines == ("g6.xlarge", "g5.xlarge")
    assert (group.minimum, group.maximum, group.purpose) == (1, 10, "inference")
    rung = group.rung
    # The maximum is of a unit, and the machines have a weight of two.
    assert (rung.capacity, rung.max_price, rung.region) == ("spot", Decimal("1.8"), "eu-west-1")
    assert (rung.on_demand_base, rung.spot_share_above_base) == (2, Decimal("0.75"))
    assert rung.zones == ("eu-west-1a", "eu-west-1b")
    assert group.fabric is None


def test_without_a_distribution_a_mixed_pool_is_on_demand():
    (group,) = observe(stacks.mixed_pool().resources()).groups
    assert (group.rung.capacity, group.rung.spot_share_above_base) == ("on-demand", 0)


@both
@pytest.mark.parametrize("price", [None, "12.5"])
def test_spot_by_the_template_of_an_instance(moment, price):
    options = {} if price is None else {"maxPrice": price}
    (group,) = observe(stacks.spot_machine(**options).resources(moment)).groups
    assert group.rung.capacity == "spot"
    assert group.rung.max_price == (None if price is None else Decimal(price))
    assert (group.minimum, group.maximum) == (1, 1)


@pytest.mark.parametrize("price", [UNKNOWN, "a lot", "-1", "NaN"], ids=str)
def test_a_maximum_price_that_is_no_amount_leaves_the_group_unpriced(price):
    seen = observe(stacks.spot_machine(maxPrice=price).resources())
    assert seen.groups == ()
    assert "maximum spot price" in seen.not_judged[0].reason


def test_a_fleet_counts_its_target_and_its_dearest_request():
    target = {
        "defaultTargetCapacityType": "spot",
        "totalTargetCapacity": 6,
        "onDemandTargetCapacity": 1,
    }
    overrides = [
        {"instanceType": "g6.xlarge", "maxPrice": "0.5"},
        {"instanceType": "g6.2xlarge", "maxPrice": "0.7"},
    ]
    (group,) = observe(stacks.fleet(target, overrides).resources()).groups
    assert (group.machines, group.maximum) == (("g6.xlarge", "g6.2xlarge"), 6)
    assert (group.rung.on_demand_base, group.rung.max_price) == (1, Decimal("0.7"))


def test_a_fleet_whose_weights_hide_machines_has_no_known_size():
    target = {"defaultTargetCapacityType": "on-demand", "totalTargetCapacity": 6}
    overrides = [{"instanceType": "g6.xlarge", "weightedCapacity": 0.25}]
    (group,) = observe(stacks.fleet(target, overrides).resources()).groups
    assert group.maximum is UNKNOWN


@both
def test_a_node_group_of_eks(moment):
    program = Program()
    program.add(
        NODES,
        "nodes",
        instanceTypes=["g5.12xlarge"],
        capacityType="SPOT",
        scalingConfig={"minSize": 0, "maxSize": 3, "desiredSize": 1},
    )
    (group,) = observe(program.resources(moment)).groups
    assert (group.machines, group.rung.capacity, group.maximum) == (("g5.12xlarge",), "spot", 3)


@pytest.mark.parametrize(
    ("pool", "beyond"),
    [
        ({"maxGroupPreparedCapacity": 9}, 5),
        ({"minSize": 3}, 3),  # kept warm also while the group has its maximum of 4
        ({}, 0),
    ],
)
def test_a_warm_pool_may_stand_beside_the_group(pool, beyond):
    alone = observe(cluster().program.resources()).groups[0].maximum
    case = cluster()
    case.program.change(case.scaling, warmPool=pool)

    assert observe(case.program.resources()).groups[0].maximum == alone + beyond


def nodes(**inputs):
    program = Program()
    sizes = {"minSize": 0, "maxSize": 3, "desiredSize": 1}
    types = ["g5.12xlarge"]
    program.add(NODES, "nodes", instanceTypes=types, scalingConfig=sizes, **inputs)
    return observe(program.resources())


@pytest.mark.parametrize(
    ("pool", "maximum"),
    [
        ({"minSize": 30, "poolState": "RUNNING"}, 33),
        ({"enabled": True, "minSize": 2, "maxGroupPreparedCapacity": 40}, 40),
        ({"maxGroupPreparedCapacity": -1}, UNKNOWN),  # without a limit
        ({"minSize": UNKNOWN}, UNKNOWN),
        ({"enabled": False, "minSize": 30}, 3),
        ({}, 3),
    ],
)
def test_a_warm_pool_stands_beside_the_nodes_of_a_cluster(pool, maximum):
    (group,) = nodes(warmPoolConfig=pool).groups

    assert group.maximum == maximum


@pytest.mark.parametrize(("size", "gib"), [(900, 900), (UNKNOWN, UNKNOWN), (None, None)])
def test_a_root_disk_of_nodes_without_a_template_has_the_size_that_they_state(size, gib):
    items = nodes(**({} if size is None else {"diskSize": size})).items

    assert [item.quantity for item in items if item.item.endswith("storage")] == [gib]


def test_a_warm_pool_stands_beside_what_a_schedule_allows():
    case = cluster()
    case.program.change(case.scaling, warmPool={"minSize": 3})
    group = case.scaling.out("name")
    token = "aws:autoscaling/schedule:Schedule"
    for name, size in (("day", 10), ("peak", 12)):
        case.program.add(token, name, autoscalingGroupName=group, maxSize=size)

    groups = observe(case.program.resources()).groups
    assert [(group.name, group.maximum) for group in groups] == [
        ("workers", 7),
        ("day", 6),
        ("peak", 2),
    ]


def test_a_warm_pool_of_an_unknown_size_leaves_the_maximum_unknown():
    case = cluster()
    case.program.change(case.scaling, warmPool={"minSize": UNKNOWN})

    assert observe(case.program.resources()).groups[0].maximum is UNKNOWN


def test_schedules_add_only_what_exceeds_the_group_and_each_other():
    case = cluster()
    token = "aws:autoscaling/schedule:Schedule"
    for name, size in (("day", 10), ("night", 2), ("peak", 12)):
        case.program.add(token, name, autoscalingGroupName=case.scaling.out("name"), maxSize=size)
    groups = observe(case.program.resources()).groups
    assert [(group.name, group.maximum) for group in groups] == [
        ("workers", 4),
        ("day", 6),
        ("peak", 2),
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"launchTemplate": {"id": "lt-elsewhere"}}, "lt-elsewhere is not in this stack"),
        ({"launchTemplate": {"id": UNKNOWN}}, "not known yet"),
        ({"launchTemplate": None, "launchConfiguration": "old"}, "launch configuration"),
        (
            {
                "mixedInstancesPolicy": {
                    "launchTemplate": {
                        "overrides": [{"instanceRequirements": {"vcpuCount": {"min": 4}}}]
                    }
                }
            },
            "by attributes",
        ),
    ],
    ids=["elsewhere", "unknown", "configuration", "attributes"],
)
def test_machines_that_nobody_can_name_are_not_judged(change, reason):
    case = cluster()
    case.program.change(case.scaling, **change)
    seen = observe(case.program.resources())
    assert seen.groups == ()
    (missing,) = (row for row in seen.not_judged if "launchTemplate" not in row.type)
    assert missing.type == "aws:autoscaling/group:Group"
    assert reason in missing.reason


def test_numbers_come_as_floats_and_text_and_absurd_ones_are_unknown():
    case = cluster()
    for written, read in ((4.0, 4), ("4", 4), (4.5, UNKNOWN), ("many", UNKNOWN), (True, UNKNOWN)):
        case.program.change(case.scaling, maxSize=written)
        assert observe(case.program.resources()).groups[0].maximum == read


def test_two_groups_of_one_name_keep_their_own_disks():
    program = Program()
    disk = {"rootBlockDevice": {"volumeSize": 10, "volumeType": "gp3"}}
    for token in ("aws:ec2/instance:Instance", "aws:autoscaling/group:Group"):
        inputs = {"instanceType": "g6.xlarge", **disk} if "instance:" in token else {}
        if not inputs:
            template = program.add(
                "aws:ec2/launchTemplate:LaunchTemplate", "t", instanceType="g5.xlarge"
            )
            inputs = {"minSize": 1, "maxSize": 1, "launchTemplate": {"id": template.id}}
        program.add(token, "same", **inputs)
    seen = observe(program.resources())
    assert [group.name for group in seen.groups] == ["same", "same (2)"]
    assert {item.group for item in seen.items} == {"same", "same (2)"}


@pytest.mark.parametrize(
    ("zones", "one_zone"),
    [
        (["us-east-1a"], True),
        (["us-east-1a", "us-east-1b"], False),
        (["us-east-1a", UNKNOWN], UNKNOWN),
        (UNKNOWN, UNKNOWN),
        (None, UNKNOWN),
    ],
    ids=["one", "two", "hidden", "unknown", "none"],
)
def test_a_group_may_name_zones_in_place_of_subnets(zones, one_zone):
    case = cluster()
    case.program.change(case.scaling, vpcZoneIdentifiers=None, availabilityZones=zones)
    assert observe(case.program.resources()).groups[0].fabric.one_zone is one_zone


@both
def test_of_several_templates_the_worst_counts(moment):
    case = cluster()
    weak = case.program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "weak",
        imageId="ami-1",
        blockDeviceMappings=[{"deviceName": "/dev/sda1", "ebs": {"volumeSize": 7}}],
    )
    templates = [{"launchTemplateId": template.id} for template in (case.template, weak)]
    overrides = [
        {"instanceType": "p5.48xlarge"},
        {"instanceType": "p5e.48xlarge", "launchTemplateSpecification": templates[1]},
    ]
    policy = {
        "launchTemplate": {"launchTemplateSpecification": templates[0], "overrides": overrides}
    }
    case.program.change(case.scaling, launchTemplate=None, mixedInstancesPolicy=policy)
    seen = observe(case.program.resources(moment))
    (group,) = seen.groups
    assert group.machines == ("p5.48xlarge", "p5e.48xlarge")
    assert seen.not_judged == ()
    assert (group.safety.metadata_v2, group.safety.disks_encrypted) == (False, False)
    assert group.fabric.interfaces == 0
    assert sum(item.quantity for item in seen.items if "storage" in item.item) == 507


def test_a_fleet_that_counts_in_processors_has_no_known_size():
    target = {
        "defaultTargetCapacityType": "on-demand",
        "totalTargetCapacity": 192,
        "targetCapacityUnitType": "vcpu",
    }
    overrides = [{"instanceType": "g6.xlarge"}]
    assert observe(stacks.fleet(target, overrides).resources()).groups[0].maximum is UNKNOWN
