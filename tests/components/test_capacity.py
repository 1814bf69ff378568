"""How training machines are bought on AWS: reservations, blocks, and all or none of them."""

from collections.abc import Callable
from typing import Any

import pytest

from gpuinfra.clouds.aws.agent.install import DEFAULT_RESULT, HEARTBEAT_TIMEOUT, LIFECYCLE_HOOK
from gpuinfra.clouds.aws.declare.fleet import require_all_machines
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.components.program import program
from gpuinfra.errors import RefusedError
from gpuinfra.source import Source
from gpuinfra.stackfile import loads

ORDER = BuildSpec(name="trainer", stack="lab", owner="ml-platform", region="us-east-1")

BLOCK = "{capacity-block: {reservation: cr-0123456789abcdef0, ends: 2026-12-01T11:30Z}}"
HELD = "{reserved: {reservation: cr-0123456789abcdef0, placement_group: theirs}}"
LOOSE = "{reserved: {reservation: cr-0123456789abcdef0}}"
KEPT = "{on-demand: {reserve: true}}"

STACK = """\
version: 1
name: capacity
owner: ml-platform
where: {{cloud: aws, regions: [us-east-1]}}
{more}training:
  trainer:
    instance: {machine}
    nodes: {nodes}
    capacity: [{capacity}]
    checkpoints: {{bucket: data}}
    {words}
buckets: {{data: {{}}}}
"""

ALL = "all_or_nothing: true"


@pytest.fixture
def seen(record: Callable[..., Any]) -> Callable[..., Any]:
    """What reaches the engine of a trainer that is bought in some way."""

    def build(
        capacity: str,
        machine: str = "p4d.24xlarge",
        *,
        nodes: int = 2,
        words: str = "",
        more: str = "",
    ) -> Any:
        text = STACK.format(
            capacity=capacity,
            machine=machine,
            nodes=nodes,
            words=words,
            more=more,
        )
        return record(program(Source(document=loads(text)), {}))

    return build


def template(of: Any) -> dict[str, Any]:
    inputs: dict[str, Any] = of.of("trainer-launch-template").inputs
    return inputs


def kinds(of: Any) -> set[str]:
    return {resource.type.rpartition(":")[2] for resource in of.resources}


BOUGHT = frozenset(
    {
        "aws:ec2/launchTemplate:LaunchTemplate",
        "aws:ec2/placementGroup:PlacementGroup",
        "aws:ec2/capacityReservation:CapacityReservation",
        "aws:ec2/fleet:Fleet",
        "aws:autoscaling/group:Group",
        "aws:autoscaling/lifecycleHook:LifecycleHook",
    }
)
"""What a golden file of these shows; network and role are in the cluster's own."""


@pytest.mark.parametrize(
    ("name", "machine", "nodes", "capacity", "words"),
    [
        ("capacity-reserved", "p5.48xlarge", 4, KEPT, ""),
        ("capacity-block", "p5en.48xlarge", 2, BLOCK, ""),
        ("capacity-fleet", "p4d.24xlarge", 2, "on-demand", ALL),
        ("capacity-efa", "p4d.24xlarge", 2, "on-demand", ""),
        ("capacity-spot-node", "g4dn.xlarge", 1, "spot", "max_price: 0.4"),
        ("training-p6-b300", "p6-b300.48xlarge", 2, "on-demand", ""),
        ("training-trn1", "trn1.32xlarge", 2, "on-demand", ""),
    ],
)
def test_what_is_bought_is_the_golden_one(
    seen, golden, name: str, machine: str, nodes: int, capacity: str, words: str
) -> None:
    rows = seen(capacity, machine, nodes=nodes, words=words).golden()

    golden(name, [row for row in rows if row["type"] in BOUGHT])


def test_a_reservation_is_made_in_the_placement_group_and_named_by_the_machines(seen) -> None:
    made = seen(KEPT, "p5.48xlarge", nodes=4)
    reservation = made.of("trainer-reservation")
    placement = made.of("trainer-placement-group")
    group = made.of("trainer-group").inputs

    assert reservation.inputs["placementGroupArn"] == placement.outputs["arn"]
    assert reservation.inputs["instanceMatchCriteria"] == "targeted"
    assert reservation.inputs["instanceCount"] == 4
    assert reservation.inputs["availabilityZone"] == "us-east-1a"
    assert reservation.options == {"deleteBeforeReplace": True}
    assert template(made)["capacityReservationSpecification"] == {
        "capacityReservationTarget": {"capacityReservationId": reservation.outputs["id"]}
    }
    assert "instanceMarketOptions" not in template(made)
    assert group["placementGroup"] == placement.outputs["name"]
    assert group["waitForCapacityTimeout"] == "5m"


def test_a_reservation_of_one_machine_stands_anywhere_in_the_zone(seen) -> None:
    made = seen(KEPT, "g6.xlarge", nodes=1)

    assert "PlacementGroup" not in kinds(made)
    assert "placementGroupArn" not in made.of("trainer-reservation").inputs


def test_a_reservation_in_a_network_of_the_callers_is_made_in_its_zone(seen) -> None:
    network = "network: {vpc: vpc-0123456789abcdef0, subnets: [subnet-0123456789abcdef2]}\n"
    made = seen(KEPT, more=network)

    assert made.of("trainer-reservation").inputs["availabilityZone"] == "us-east-1c"


def test_a_block_takes_its_market_its_reservation_and_no_placement_group(seen) -> None:
    made = seen(BLOCK, "p5en.48xlarge")
    group = made.of("trainer-group").inputs

    assert template(made)["instanceMarketOptions"] == {"marketType": "capacity-block"}
    assert template(made)["capacityReservationSpecification"] == {
        "capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}
    }
    assert {"PlacementGroup", "CapacityReservation"} & kinds(made) == set()
    assert "placementGroup" not in group
    assert "mixedInstancesPolicy" not in group
    assert group["suspendedProcesses"] == ["AZRebalance", "ReplaceUnhealthy"]


@pytest.mark.parametrize(("capacity", "placed"), [(HELD, "theirs"), (LOOSE, None)])
def test_a_reservation_of_the_callers_keeps_its_own_placement(seen, capacity, placed) -> None:
    made = seen(capacity, "p5.48xlarge")

    assert {"PlacementGroup", "CapacityReservation"} & kinds(made) == set()
    assert made.of("trainer-group").inputs.get("placementGroup") == placed
    assert "instanceMarketOptions" not in template(made)


def test_all_or_nothing_is_one_request_in_one_zone(seen) -> None:
    made = seen("on-demand", words=ALL)
    fleet = made.of("trainer-group")

    assert fleet.inputs["type"] == "instant"
    assert fleet.inputs["targetCapacitySpecification"] == {
        "defaultTargetCapacityType": "on-demand",
        "totalTargetCapacity": 2,
    }
    assert fleet.inputs["onDemandOptions"] == {
        "minTargetCapacity": 2,
        "singleAvailabilityZone": True,
        "singleInstanceType": True,
    }
    assert fleet.inputs["terminateInstances"] is True
    assert fleet.options["replaceOnChanges"] == [
        "launchTemplateConfigs",
        "targetCapacitySpecification",
    ]
    assert {"Group", "LifecycleHook"} & kinds(made) == set()
    assert template(made)["placement"] == {
        "groupName": made.of("trainer-placement-group").outputs["name"]
    }


def test_all_or_nothing_on_spot_says_its_price_in_the_request_alone(seen) -> None:
    made = seen("spot", words=f"{ALL}\n    max_price: 20")
    (config,) = made.of("trainer-group").inputs["launchTemplateConfigs"]
    options = made.of("trainer-group").inputs["spotOptions"]

    assert "instanceMarketOptions" not in template(made)
    assert config["overrides"][0]["maxPrice"] == "20"
    assert (options["minTargetCapacity"], options["allocationStrategy"]) == (
        2,
        "price-capacity-optimized",
    )


def test_all_or_nothing_of_a_block_asks_for_the_block(seen) -> None:
    made = seen(BLOCK, "p5en.48xlarge", words=ALL)
    fleet = made.of("trainer-group").inputs

    assert fleet["targetCapacitySpecification"]["defaultTargetCapacityType"] == "capacity-block"
    assert {"onDemandOptions", "spotOptions"} & fleet.keys() == set()
    assert template(made)["instanceMarketOptions"] == {"marketType": "capacity-block"}
    assert "placement" not in template(made)


@pytest.mark.parametrize("capacity", ["on-demand", "spot", KEPT, BLOCK])
@pytest.mark.parametrize("words", ["", ALL])
def test_the_machines_of_groups_and_fleets_carry_the_same_tags(seen, capacity, words) -> None:
    specifications = template(seen(capacity, "p5.48xlarge", words=words))["tagSpecifications"]
    (machine,) = [
        specification["tags"]
        for specification in specifications
        if specification["resourceType"] == "instance"
    ]

    assert machine["gpuinfra:stack"] == "capacity"
    assert machine["gpuinfra:workload"] == "trainer"


def test_a_run_that_saves_itself_is_asked_to_before_its_machine_goes(seen) -> None:
    hook = seen("spot").of("trainer-checkpoint-hook").inputs

    assert hook["name"] == LIFECYCLE_HOOK
    assert hook["lifecycleTransition"] == "autoscaling:EC2_INSTANCE_TERMINATING"
    assert (hook["heartbeatTimeout"], hook["defaultResult"]) == (HEARTBEAT_TIMEOUT, DEFAULT_RESULT)


def test_another_reservation_makes_the_group_anew(seen) -> None:
    triggers = {
        capacity: tuple(
            seen(capacity, "p5.48xlarge").of("trainer-group").options["replacementTrigger"]
        )
        for capacity in ("on-demand", KEPT, LOOSE, LOOSE.replace("0}", "1}"), "spot")
    }

    assert len(set(triggers.values())) == len(triggers)


@pytest.mark.parametrize("fulfilled", [0, 1.0])
def test_a_fleet_without_its_machines_ends_the_program_in_words(fulfilled) -> None:
    with pytest.raises(
        RefusedError, match=r"trainer: the fleet fleet-1 has . of 2 machines.*--rung"
    ) as refused:
        require_all_machines(ORDER, 2, "fleet-1", fulfilled)

    asks = "aws ec2 describe-fleets --region us-east-1 --fleet-ids fleet-1"
    assert f"{asks} --query 'Fleets[].Errors'" in str(refused.value)


@pytest.mark.parametrize("fulfilled", [2, 2.0, None])
def test_a_fleet_with_its_machines_gives_its_id(fulfilled) -> None:
    assert require_all_machines(ORDER, 2, "fleet-1", fulfilled) == "fleet-1"
