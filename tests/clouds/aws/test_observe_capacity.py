"""Reservations, blocks and fleets of strangers: who pays, and what AWS refuses."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.observe import Index, groups_and_items, observe
from gpuinfra.model import UNKNOWN, Group, Resource, faults_of
from tests.rules.cases import stacks
from tests.rules.cases.program import Program

RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"

both = pytest.mark.parametrize("moment", ["preview", "created"])


def target(reservation: Any) -> dict[str, Any]:
    return {"capacityReservationTarget": {"capacityReservationId": reservation}}


def reserved(kept: Any, used: int | None, **more: Any) -> Program:
    """A reservation, and a group of machines that names it."""
    program = Program()
    reservation = program.add(
        RESERVATION,
        "kept",
        availabilityZone="us-east-1a",
        instancePlatform="Linux/UNIX",
        instanceCount=kept,
        **{"instanceType": "p5.48xlarge", **more},
    )
    if used is not None:
        machines(program, used, capacityReservationSpecification=target(reservation.id))
    return program


def machines(
    program: Program, count: int, more: dict[str, Any] | None = None, **inputs: Any
) -> None:
    """A scaling group of one template; `more` is the group's."""
    template = program.add(TEMPLATE, "node", **{"instanceType": "p5.48xlarge", **inputs})
    program.add(
        GROUP,
        "workers",
        minSize=count,
        maxSize=count,
        availabilityZones=["us-east-1a"],
        launchTemplate={"id": template.id},
        **(more or {}),
    )


def only(program: Program, moment: Any = "created") -> Group:
    (group,) = observe(program.resources(moment)).groups
    return group


def block(**inputs: Any) -> dict[str, Any]:
    return {
        "instanceMarketOptions": {"marketType": "capacity-block"},
        "capacityReservationSpecification": target("cr-0123456789abcdef0"),
        **inputs,
    }


@both
def test_what_is_reserved_and_used_is_paid_once_as_the_machines(moment):
    group = only(reserved(4, 4), moment)

    assert (group.name, group.maximum, group.rung.capacity) == ("workers", 4, "on-demand")
    assert group.rung.reserve is True


@both
@pytest.mark.parametrize(("used", "left"), [(None, 4), (1, 3), (3, 1)])
def test_what_nobody_uses_of_a_reservation_is_paid_too(moment, used, left):
    seen = observe(reserved(4, used).resources(moment)).groups
    (kept,) = [group for group in seen if group.name == "kept"]

    assert (kept.maximum, kept.minimum) == (left, left)
    assert (kept.rung.capacity, kept.rung.machine) == ("reserved", "p5.48xlarge")
    assert kept.rung.region == "us-east-1"


@given(kept=st.integers(1, 64), used=st.integers(0, 64))
def test_never_less_is_counted_than_is_kept_or_than_runs(kept, used):
    seen = observe(reserved(kept, used).resources()).groups

    assert sum(group.maximum for group in seen) == max(kept, used)


def test_contributions_of_a_reservation_and_its_machines_add_up():
    resources = reserved(4, 3).resources()
    index = Index(resources)
    parts = [group for resource in resources for group in groups_and_items(resource, index).groups]

    assert sum(part.maximum for part in parts) == 4


def test_a_reservation_of_unknown_size_or_type_is_never_free():
    (kept,) = observe(reserved(UNKNOWN, None).resources()).groups
    hidden = observe(reserved(4, None, instanceType=UNKNOWN).resources())

    assert kept.maximum is UNKNOWN
    assert hidden.groups == ()
    assert "not known yet" in hidden.not_judged[0].reason


def test_a_machine_of_somebody_elses_reservation_is_reserved():
    program = Program()
    machines(program, 2, capacityReservationSpecification=target("cr-0123456789abcdef0"))
    rung = only(program).rung

    assert (rung.capacity, rung.reservation) == ("reserved", "cr-0123456789abcdef0")


def test_a_reservation_in_a_placement_group_stands_in_a_cluster_one():
    program = Program()
    machines(
        program,
        2,
        {"placementGroup": "theirs"},
        capacityReservationSpecification=target("cr-0123456789abcdef0"),
        networkInterfaces=[{"interfaceType": "efa", "networkCardIndex": 0, "deviceIndex": 0}],
    )
    fabric = only(program).fabric

    assert fabric is not None
    assert fabric.placement == "cluster"


def test_a_fleet_from_a_reservation_of_the_same_stack_is_paid_once():
    program = stacks.fleet(
        {"defaultTargetCapacityType": "on-demand", "totalTargetCapacity": 2}, []
    )
    (template,) = [handle for handle in program.handles.values() if handle.type == TEMPLATE]
    kept = program.add(
        RESERVATION,
        "kept",
        availabilityZone="us-east-1a",
        instanceType="p4d.24xlarge",
        instancePlatform="Linux/UNIX",
        instanceCount=2,
    )
    program.change(
        template,
        instanceType="p4d.24xlarge",
        capacityReservationSpecification=target(kept.id),
    )
    group = only(program)

    assert (group.maximum, group.rung.capacity, group.rung.reserve) == (2, "on-demand", True)


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


@pytest.mark.parametrize("behavior", ["stop", "hibernate"])
def test_spot_that_stops_in_a_placement_group_is_a_fault(behavior):
    market = {"marketType": "spot", "spotOptions": {"instanceInterruptionBehavior": behavior}}
    program, alone = Program(), Program()
    placement = program.add(PLACEMENT, "close", strategy="cluster")
    machines(
        program,
        2,
        instanceMarketOptions=market,
        placement={"groupName": placement.out("name")},
    )
    machines(alone, 1, instanceMarketOptions=market)
    faults, others = (
        faults_of(only(program).faults, "spot-settings"),
        faults_of(only(alone).faults, "spot-settings"),
    )

    (fault,) = (fault for fault in faults if "in a placement group" in fault)
    assert behavior in fault
    assert any("is started by Auto Scaling, which requests each" in other for other in others)
    about_gpus = [
        fault for fault in (*faults, *others) if "on spot is set to hibernate, and AWS" in fault
    ]
    assert len(about_gpus) == (2 if behavior == "hibernate" else 0)


def test_a_node_group_on_spot_says_so_itself_and_not_by_its_template():
    program = Program()
    template = program.add(
        TEMPLATE, "node", instanceType="g6.xlarge", instanceMarketOptions={"marketType": "spot"}
    )
    program.add(
        NODE_GROUP,
        "workers",
        scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 0},
        launchTemplate={"id": template.id, "version": "1"},
    )
    (fault,) = faults_of(only(program).faults, "spot-settings")

    assert "capacity_type" in fault


def test_a_mixed_pool_on_spot_takes_the_lowest_price_unless_it_says_otherwise():
    share = {"onDemandPercentageAboveBaseCapacity": 0}

    assert only(stacks.mixed_pool(**share)).market.lowest_price is True
    for strategy, known in (
        ("lowest-price", True),
        ("price-capacity-optimized", False),
        (UNKNOWN, UNKNOWN),
    ):
        pool = stacks.mixed_pool(**share, spotAllocationStrategy=strategy)
        assert only(pool).market.lowest_price is known
    assert only(stacks.mixed_pool()).market.lowest_price is None


def test_a_fleet_chooses_by_price_only_between_several_types():
    wish = {"defaultTargetCapacityType": "spot", "totalTargetCapacity": 2}
    first, two = {"instanceType": "g6.xlarge"}, {"instanceType": "g5.xlarge"}

    assert only(stacks.fleet(wish, [first, two])).market.lowest_price is True
    assert only(stacks.fleet(wish, [first])).market.lowest_price is None


@pytest.mark.parametrize("market", ["spot", None])
def test_a_warm_pool_stands_beside_neither_spot_nor_a_mixed_policy(market):
    program = Program()
    options = {} if market is None else {"instanceMarketOptions": {"marketType": market}}
    machines(program, 1, {"warmPool": {"minSize": 1}}, **options)
    mixed = stacks.mixed_pool(spotAllocationStrategy="price-capacity-optimized")
    (pool,) = [handle for handle in mixed.handles.values() if handle.type == GROUP]
    mixed.change(pool, warmPool={"minSize": 1})

    assert bool(faults_of(only(program).faults, "scaling-settings")) is (market is not None)
    assert "warm pool" in faults_of(only(mixed).faults, "scaling-settings")[0]


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        (
            {"blockDeviceMappings": [{"deviceName": "/dev/sda1", "ebs": {"encrypted": True}}]},
            ('the disk /dev/sda1 has encrypted: true, which must be a string: write "true"'),
        ),
        (
            {"networkInterfaces": [{"deleteOnTermination": False}]},
            "network interface 0 has delete_on_termination: false",
        ),
        (
            {
                "vpcSecurityGroupIds": ["sg-1"],
                "networkInterfaces": [{"deviceIndex": 0, "securityGroups": ["sg-1"]}],
            },
            "remove vpc_security_group_ids",
        ),
        (
            {
                "blockDeviceMappings": [
                    {
                        "deviceName": "/dev/sdb",
                        "ebs": {"encrypted": "true", "snapshotId": "snap-1"},
                    }
                ]
            },
            "beside a snapshot_id",
        ),
    ],
    ids=["disk", "interface", "groups", "snapshot"],
)
def test_what_a_template_says_in_a_form_that_ec2_does_not_take(inputs, words):
    program, sound = Program(), Program()
    machines(program, 1, **inputs)
    machines(sound, 1)
    (fault,) = faults_of(only(program).faults, "launch-settings")

    assert words in fault
    assert faults_of(only(sound).faults, "launch-settings") == ()


def test_an_instance_of_its_own_takes_booleans():
    program = Program()
    program.add(
        "aws:ec2/instance:Instance",
        "one",
        instanceType="g6.xlarge",
        availabilityZone="us-east-1a",
        ebsBlockDevices=[{"deviceName": "/dev/sdb", "encrypted": True}],
    )

    assert faults_of(only(program).faults, "launch-settings") == ()


@both
def test_a_group_may_name_the_reservation_itself(moment):
    program = reserved(4, None)
    (kept,) = program.handles.values()
    ids = {"capacityReservationTarget": {"capacityReservationIds": [kept.id]}}
    machines(program, 4, {"capacityReservationSpecification": ids})
    group = only(program, moment)

    assert (group.name, group.maximum, group.rung.reserve) == ("workers", 4, True)


@both
def test_a_mixed_policy_from_a_reservation_is_paid_once(moment):
    program = reserved(3, None)
    (kept,) = program.handles.values()
    template = program.add(
        TEMPLATE,
        "node",
        instanceType="p5.48xlarge",
        capacityReservationSpecification=target(kept.id),
    )
    program.add(
        GROUP,
        "workers",
        minSize=2,
        maxSize=3,
        mixedInstancesPolicy={
            "launchTemplate": {"launchTemplateSpecification": {"launchTemplateId": template.id}}
        },
    )
    groups = observe(program.resources(moment)).groups
    seen = {group.name: (group.minimum, group.maximum) for group in groups}

    assert seen == {"kept": (1, 0), "workers": (2, 3)}


@both
@pytest.mark.parametrize(
    ("zone", "inputs"),
    [
        ("us-east-1a", {"instanceType": "g6.xlarge"}),
        ("us-east-1b", {}),
        ("us-west-2a", {}),
    ],
)
def test_machines_of_another_type_or_zone_use_nothing_of_a_reservation(moment, zone, inputs):
    program = Program()
    reservation = program.add(
        RESERVATION,
        "kept",
        availabilityZone="us-east-1a",
        instancePlatform="Linux/UNIX",
        instanceCount=8,
        instanceType="p5.48xlarge",
    )
    named = {"capacityReservationSpecification": target(reservation.id)}
    template = program.add(TEMPLATE, "node", **{"instanceType": "p5.48xlarge", **named, **inputs})
    program.add(
        GROUP,
        "workers",
        minSize=8,
        maxSize=8,
        availabilityZones=[zone],
        launchTemplate={"id": template.id},
    )

    kept, workers = observe(program.resources(moment)).groups

    assert (kept.name, kept.machines, kept.maximum) == ("kept", ("p5.48xlarge",), 8)
    assert workers.maximum == 8


@both
def test_machines_of_several_types_use_nothing_of_a_reservation_for_sure(moment):
    program = reserved(4, None)
    reservation = next(iter(program.handles.values()))
    template = program.add(
        TEMPLATE, "node", capacityReservationSpecification=target(reservation.id)
    )
    specification = {"launchTemplateId": template.id, "version": "$Latest"}
    types = [{"instanceType": "p5.48xlarge"}, {"instanceType": "g6.xlarge"}]
    program.add(
        GROUP,
        "workers",
        minSize=4,
        maxSize=4,
        availabilityZones=["us-east-1a"],
        mixedInstancesPolicy={
            "launchTemplate": {"launchTemplateSpecification": specification, "overrides": types}
        },
    )

    assert [group.maximum for group in observe(program.resources(moment)).groups] == [4, 4]


def namesakes(*regions: str | None, group: str | None) -> list[Resource]:
    """Templates of one name in regions, dearer from one to the next, and a group that names it."""
    types = ("g6.xlarge", "p5.48xlarge")
    templates = [
        Resource(
            urn=f"urn:pulumi:dev::shop::{TEMPLATE}::t{number}",
            type=TEMPLATE,
            name=f"t{number}",
            inputs={"name": "node", "imageId": "ami-1", "instanceType": type_},
            region=region,
        )
        for number, (region, type_) in enumerate(zip(regions, types, strict=False))
    ]
    group_inputs = {"launchTemplate": {"name": "node", "version": "$Latest"}}
    workers = Resource(
        urn=f"urn:pulumi:dev::shop::{GROUP}::workers",
        type=GROUP,
        name="workers",
        inputs={"minSize": 1, "maxSize": 1, **group_inputs},
        region=group,
    )
    return [*templates, workers]


@pytest.mark.parametrize(
    ("regions", "group", "machines"),
    [
        (("us-east-1", "eu-west-1"), "us-east-1", ("g6.xlarge",)),
        (("us-east-1", "eu-west-1"), "eu-west-1", ("p5.48xlarge",)),
        (("us-east-1", "eu-west-1"), None, None),
        (("us-east-1", "eu-west-1"), "us-west-2", None),
        (("us-east-1", "us-east-1"), "us-east-1", ("p5.48xlarge",)),
        (("us-east-1",), None, ("g6.xlarge",)),
    ],
)
def test_a_name_is_that_of_the_region_of_who_refers_to_it(
    regions: tuple[str, ...], group: str | None, machines: tuple[str, ...] | None
) -> None:
    seen = observe(namesakes(*regions, group=group))

    assert [group.machines for group in seen.groups] == ([] if machines is None else [machines])
    hidden = {row.subject.rpartition("::")[2] for row in seen.not_judged}
    assert ("workers" in hidden) == (machines is None)
