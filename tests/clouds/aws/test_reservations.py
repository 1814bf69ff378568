"""A reservation and the group that grows within it are paid once: the more of both."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.model import UNKNOWN
from gpuinfra.units import format_money
from tests.rules.cases import stacks
from tests.rules.cases.judging import TODAY, findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

TARGET = "capacityReservationSpecification"
EACH = Decimal("0.8048")
"""A g6.xlarge an hour in us-east-1."""


def kept_machines(program, count):
    return program.add(
        "aws:ec2/capacityReservation:CapacityReservation",
        "kept",
        instanceType="g6.xlarge",
        instanceCount=count,
        availabilityZone="us-east-1a",
        instancePlatform="Linux/UNIX",
    )


def planned(kept=2, moment="created", zones=("us-east-1a",), schedules=(), market=None, **sizes):
    program = Program()
    reservation = kept_machines(program, kept)
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "t",
        imageId="ami-1",
        instanceType="g6.xlarge",
        **({} if market is None else {"instanceMarketOptions": market}),
        **{TARGET: {"capacityReservationTarget": {"capacityReservationId": reservation.id}}},
    )
    group = program.add(
        "aws:autoscaling/group:Group",
        "g",
        availabilityZones=list(zones),
        launchTemplate={"id": template.id},
        **sizes,
    )
    for number, size in enumerate(schedules):
        program.add(
            "aws:autoscaling/schedule:Schedule",
            f"s{number}",
            autoscalingGroupName=group.out("name"),
            scheduledActionName=f"s{number}",
            **({} if size is None else {"maxSize": size}),
        )
    return of_resources(program.resources(moment))


def quoted(*kept, **sizes):
    quote = estimate(planned(*kept, **sizes), PricingTerms(as_of=TODAY))
    return [line for line in quote.lines if line.item == "g6.xlarge"], quote


@both
@pytest.mark.parametrize(
    ("kept", "least", "most", "machines", "surely"),
    [
        (2, 0, 2, 2, 2),
        (2, 1, 2, 2, 2),
        (2, 2, 2, 2, 2),
        (4, 0, 2, 4, 4),
        (2, 0, 5, 5, 2),
        (2, 3, 5, 5, 3),
    ],
)
def test_what_is_kept_and_what_runs_in_it_are_paid_once(
    moment, kept, least, most, machines, surely
):
    lines, _ = quoted(kept, moment, minSize=least, maxSize=most)
    assert sum(line.per_hour for line in lines) == machines * EACH
    assert sum(line.minimum_per_hour for line in lines) == surely * EACH
    assert sum(line.expected_per_hour for line in lines) == surely * EACH
    assert sum(line.per_month for line in lines) == machines * EACH * 730


@pytest.mark.parametrize(("least", "alone"), [(0, 4), (1, 3), (4, 0)])
def test_a_cap_of_the_reservation_counts_it_with_its_groups_at_their_minimum(least, alone):
    plan = planned(4, minSize=least, maxSize=4)
    caps = {"per_hour": Decimal("0.5"), "per_month": Decimal(300)}
    messages = [
        finding.message
        for finding in findings(plan, "cap-per-workload", caps)
        if finding.subject.endswith("::kept")
    ]
    hour = alone * EACH
    above = (
        f"its machines cost up to {format_money(hour)} per hour, above its cap of $0.50; "
        f"its machines cost up to {format_money(hour * 730)} per month, above its cap of $300.00"
    )
    assert messages == [above] * (alone > 0)


def test_the_stack_at_its_minimum_holds_what_is_kept_for_its_groups():
    quote = estimate(planned(4, minSize=0, maxSize=4), PricingTerms(as_of=TODAY))
    assert quote.per_hour.minimum == quote.per_hour.expected == 4 * EACH
    assert quote.per_month.minimum == quote.per_month.expected == 4 * EACH * 730


@both
@pytest.mark.parametrize(
    ("kept", "sizes", "machines"),
    [
        (8, [8], 8),
        (8, [6, 8], 8),
        (8, [2], 8),
        (8, [10], 10),
        (8, [None], 8),
        (2, [8], 8),
    ],
    ids=str,
)
def test_a_schedule_grows_its_group_within_what_is_kept(moment, kept, sizes, machines):
    lines, _ = quoted(kept, moment, schedules=sizes, minSize=0, maxSize=4)
    assert sum(line.quantity for line in lines) == machines
    assert sum(line.per_month for line in lines) == machines * EACH * 730


def test_a_group_of_an_unknown_size_takes_only_its_minimum():
    lines, _ = quoted(2, minSize=1, maxSize=UNKNOWN)
    assert [line.per_hour for line in lines if line.name == "kept"] == [EACH]


def of_group(preference, least=0, most=4, mixed=None, **places):
    """The machines that are counted, of a reservation of 4 and a group of 4 that names it."""
    program = Program()
    reservation = kept_machines(program, 4)
    subnets = {
        zone: program.add(
            "aws:ec2/subnet:Subnet",
            f"s{zone}",
            vpcId="vpc-1",
            cidrBlock="10.0.0.0/24",
            availabilityZone=f"us-east-1{zone}",
        )
        for zone in "ab"
    }
    if "subnets" in places:
        named = places.pop("subnets")
        places["vpcZoneIdentifiers"] = [
            subnets[name].id if name in subnets else name for name in named
        ]
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate", "t", imageId="ami-1", instanceType="g6.xlarge"
    )
    launch = {"launchTemplate": {"id": template.id}}
    if mixed is not None:
        mixed["launchTemplate"]["launchTemplateSpecification"] = {"launchTemplateId": template.id}
        launch = {"mixedInstancesPolicy": mixed}
    stated = {} if preference is None else {"capacityReservationPreference": preference}
    goal = {"capacityReservationIds": [reservation.id]}
    program.add(
        "aws:autoscaling/group:Group",
        "g",
        minSize=least,
        maxSize=most,
        suspendedProcesses=["AZRebalance"],
        **launch,
        **{TARGET: {**stated, "capacityReservationTarget": goal}},
        **places,
    )
    quote = estimate(of_resources(program.resources("created")), PricingTerms(as_of=TODAY))
    return sum(line.quantity for line in quote.lines if line.item == "g6.xlarge")


IN_BOTH = {"availabilityZones": ["us-east-1a", "us-east-1b"]}
IN_ITS_OWN = {"availabilityZones": ["us-east-1a"]}


@pytest.mark.parametrize("least", [0, 4])
@pytest.mark.parametrize(
    ("preference", "places", "machines"),
    [
        ("capacity-reservations-first", IN_ITS_OWN, 4),
        ("capacity-reservations-first", {"subnets": ["a"]}, 4),
        ("capacity-reservations-first", IN_BOTH, 8),
        ("capacity-reservations-first", {"subnets": ["a", "b"]}, 8),
        ("capacity-reservations-first", {"subnets": ["a", "subnet-9"]}, 8),
        ("capacity-reservations-first", {"subnets": ["subnet-8", "subnet-9"]}, 8),
        ("capacity-reservations-first", {"vpcZoneIdentifiers": UNKNOWN}, 8),
        ("capacity-reservations-first", {"availabilityZones": ["us-east-1a", UNKNOWN]}, 8),
        ("capacity-reservations-first", {}, 8),
        ("capacity-reservations-only", IN_BOTH, 4),
        ("capacity-reservations-only", {"subnets": ["subnet-8", "subnet-9"]}, 4),
        ("capacity-reservations-only", {"availabilityZones": ["us-east-1b"]}, 8),
        (None, IN_ITS_OWN, 4),
        (None, IN_BOTH, 8),
        ("default", IN_BOTH, 8),
        ("none", IN_ITS_OWN, 8),
        (UNKNOWN, IN_ITS_OWN, 8),
    ],
)
def test_a_group_that_may_start_beside_what_it_prefers_is_paid_beside_it(
    preference, places, machines, least
):
    assert of_group(preference, least, **places) == machines


@pytest.mark.parametrize("weight", [1, 2])
@pytest.mark.parametrize(
    ("preference", "share", "machines"),
    [
        ("capacity-reservations-first", None, 4),
        ("capacity-reservations-first", 100, 4),
        ("capacity-reservations-only", 100, 4),
        ("none", 100, 8),
        ("capacity-reservations-first", 50, 8),
        ("capacity-reservations-first", UNKNOWN, 8),
    ],
)
def test_a_mixed_policy_takes_the_reservation_that_its_group_names(
    preference, share, machines, weight
):
    above = {} if share is None else {"onDemandPercentageAboveBaseCapacity": share}
    override = {"instanceType": "g6.xlarge", "weightedCapacity": str(weight)}
    mixed = {"instancesDistribution": above, "launchTemplate": {"overrides": [override]}}
    assert of_group(preference, most=4 * weight, mixed=mixed, **IN_ITS_OWN) == machines


def test_a_template_that_names_its_target_starts_nothing_beside_it():
    lines, _ = quoted(4, minSize=0, maxSize=4, zones=("us-east-1a", "us-east-1b"))
    assert sum(line.per_hour for line in lines) == 5 * EACH, "one more while zones are rebalanced"


@pytest.mark.parametrize(
    ("target", "machines", "on_spot"),
    [
        ({"onDemandTargetCapacity": 4}, 4, 0),
        ({"onDemandTargetCapacity": 4, "spotTargetCapacity": 0}, 4, 0),
        ({"onDemandTargetCapacity": 3}, 8, 1),
        ({"onDemandTargetCapacity": 2, "spotTargetCapacity": 2}, 8, 2),
        ({"onDemandTargetCapacity": 4, "spotTargetCapacity": UNKNOWN}, 8, 0),
        ({}, 8, 4),
        ({"defaultTargetCapacityType": "on-demand"}, 4, 0),
        ({"defaultTargetCapacityType": UNKNOWN}, 8, 0),
    ],
    ids=str,
)
def test_a_fleet_whose_machines_are_all_on_demand_runs_in_the_reservation(
    target, machines, on_spot
):
    program = Program()
    reservation = kept_machines(program, 4)
    goal = {"capacityReservationTarget": {"capacityReservationId": reservation.id}}
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "t",
        imageId="ami-1",
        instanceType="g6.xlarge",
        **{TARGET: goal},
    )
    program.add(
        "aws:ec2/fleet:Fleet",
        "f",
        targetCapacitySpecification={
            "totalTargetCapacity": 4,
            "defaultTargetCapacityType": "spot",
            **target,
        },
        launchTemplateConfigs=[
            {
                "launchTemplateSpecification": {"launchTemplateId": template.id, "version": "1"},
                "overrides": [{"availabilityZone": "us-east-1a"}],
            }
        ],
    )
    quote = estimate(of_resources(program.resources()), PricingTerms(as_of=TODAY))
    counts = [(line.kind, line.quantity) for line in quote.lines if line.item == "g6.xlarge"]
    assert sum(count for _, count in counts) == machines
    assert sum(count for kind, count in counts if kind == "spot") == on_spot


def test_a_fleet_of_unknown_targets_is_of_its_default_type():
    target = {"totalTargetCapacity": UNKNOWN, "onDemandTargetCapacity": UNKNOWN}
    fleet = stacks.fleet(
        {"defaultTargetCapacityType": "spot", **target}, [{"instanceType": "g6.xlarge"}]
    )
    (group,) = observe(fleet.resources()).groups
    assert (group.rung.capacity, group.maximum) == ("spot", UNKNOWN)


@pytest.mark.parametrize(
    ("options", "machines"),
    [
        (None, 2),
        ({"marketType": "spot"}, 4),
        ({"marketType": UNKNOWN}, 4),
        (UNKNOWN, 4),
    ],
    ids=str,
)
def test_machines_that_may_be_spot_ones_are_paid_beside_it(options, machines):
    lines, _ = quoted(2, market=options, minSize=0, maxSize=2)
    assert sum(line.quantity for line in lines) == machines


@pytest.mark.parametrize(
    ("kind", "machines"), [(None, 2), ("ON_DEMAND", 2), ("SPOT", 4), (UNKNOWN, 4)], ids=str
)
def test_nodes_that_may_be_spot_ones_are_paid_beside_it(kind, machines):
    program = Program()
    reservation = kept_machines(program, 2)
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "t",
        instanceType="g6.xlarge",
        **{TARGET: {"capacityReservationTarget": {"capacityReservationId": reservation.id}}},
    )
    program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "n",
        clusterName="c",
        subnetIds=["subnet-1"],
        scalingConfig={"minSize": 0, "maxSize": 2},
        updateConfig={"updateStrategy": "MINIMAL"},
        launchTemplate={"id": template.id, "version": "1"},
        **({} if kind is None else {"capacityType": kind}),
    )
    seen = observe(program.resources()).groups
    assert sum(group.maximum for group in seen) == machines
