"""Spot requests, spot fleets, interruptions and evictions, on raw resources of strangers."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Group
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Handle, Program

INSTANCE = "aws:ec2/instance:Instance"
REQUEST = "aws:ec2/spotInstanceRequest:SpotInstanceRequest"
SPOT_FLEET = "aws:ec2/spotFleetRequest:SpotFleetRequest"
FLEET = "aws:ec2/fleet:Fleet"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


def only(program: Program, moment: Any = "created") -> Group:
    plan = of_resources(program.resources(moment))
    assert plan.not_judged == ()
    (group,) = plan.groups
    return group


def request(program: Program, **inputs: Any) -> Handle:
    given = {
        "ami": "ami-1",
        "instanceType": "g6.xlarge",
        "availabilityZone": "us-east-1a",
        "metadataOptions": {"httpTokens": "required"},
        "rootBlockDevice": {"encrypted": True, "volumeSize": 100},
        **inputs,
    }
    return program.add(REQUEST, "workers", **given)


def test_a_request_for_one_spot_machine_is_a_group_of_its_own():
    program = Program()
    own = request(program, spotPrice="0.5")
    group = only(program)
    assert (group.subject, group.minimum, group.maximum) == (own.urn, 1, 1)
    assert (group.rung.capacity, group.rung.machine) == ("spot", "g6.xlarge")
    assert group.rung.max_price == Decimal("0.5")
    assert group.rung.zones == ("us-east-1a",)
    assert (group.safety.metadata_v2, group.safety.disks_encrypted) == (True, True)
    judged = of_resources(program.resources())
    assert outcomes(judged, "price-unknown") == ["fine"]
    items = {item.item for item in judged.items}
    assert "ebs-gp3-storage" in items or "ebs-gp2-storage" in items


def test_a_request_for_spot_without_a_price_pays_up_to_the_price_on_demand():
    program = Program()
    request(program)
    assert only(program).rung.max_price is None
    hidden = Program()
    request(hidden, spotPrice=UNKNOWN)
    (missing,) = of_resources(hidden.resources()).not_judged
    assert "maximum spot price" in missing.reason


def specification(**inputs: Any) -> dict[str, Any]:
    return {
        "ami": "ami-1",
        "instanceType": "g6.xlarge",
        "subnetId": "subnet-1",
        "rootBlockDevices": [{"encrypted": True, "volumeSize": 100}],
        **inputs,
    }


@both
def test_a_spot_fleet_of_specifications_holds_its_target(moment):
    program = Program()
    parts = [specification(), specification(instanceType="g5.xlarge", spotPrice="0.9")]
    own = program.add(
        SPOT_FLEET,
        "workers",
        iamFleetRole="arn:aws:iam::1:role/fleet",
        targetCapacity=6,
        onDemandTargetCapacity=2,
        spotPrice="0.4",
        launchSpecifications=parts,
    )
    group = only(program, moment)
    assert (group.subject, group.minimum, group.maximum) == (own.urn, 6, 6)
    assert group.machines == ("g6.xlarge", "g5.xlarge")
    assert (group.rung.capacity, group.rung.on_demand_base) == ("spot", 2)
    assert group.rung.max_price == Decimal("0.9")
    assert group.safety.disks_encrypted is True
    program.change(own, launchSpecifications=[*parts, specification(rootBlockDevices=None)])
    assert only(program, moment).safety.disks_encrypted is not True


@both
def test_a_spot_fleet_of_templates_reads_them(moment):
    program = Program()
    template = program.add(TEMPLATE, "node", imageId="ami-1", instanceType="g6.xlarge")
    config = {
        "launchTemplateSpecification": {"id": template.id, "version": "1"},
        "overrides": [{"instanceType": "g5.xlarge", "spotPrice": "1"}, {"spotPrice": "2"}],
    }
    program.add(SPOT_FLEET, "workers", targetCapacity="3", launchTemplateConfigs=[config])
    group = only(program, moment)
    assert group.machines == ("g5.xlarge", "g6.xlarge")
    assert (group.maximum, group.rung.max_price) == (3, Decimal(2))


@pytest.mark.parametrize(
    "inputs",
    [
        {"targetCapacity": UNKNOWN},
        {"targetCapacityUnitType": "vcpu"},
        {"launchSpecifications": [specification(weightedCapacity="0.5")]},
    ],
)
def test_a_spot_fleet_whose_size_nobody_can_tell_has_no_maximum(inputs):
    program = Program()
    given = {"targetCapacity": 4, "launchSpecifications": [specification()], **inputs}
    program.add(SPOT_FLEET, "workers", **given)
    judged = of_resources(program.resources())
    assert judged.groups[0].maximum is UNKNOWN
    assert outcomes(judged, "pool-maximum") == ["not-knowable"]
    assert "violated" in outcomes(judged, "price-unknown")


def test_a_specification_on_hardware_of_its_own_has_no_price():
    program = Program()
    alone = [specification(placementTenancy="dedicated")]
    program.add(SPOT_FLEET, "workers", targetCapacity=4, launchSpecifications=alone)
    (missing,) = of_resources(program.resources()).not_judged
    assert "its tenancy is dedicated" in missing.reason


def test_specifications_that_are_not_known_yet_are_not_judged():
    program = Program()
    program.add(SPOT_FLEET, "workers", targetCapacity=4, launchSpecifications=UNKNOWN)
    (missing,) = of_resources(program.resources()).not_judged
    assert missing.reason == "its launch settings are not known yet"


@pytest.mark.parametrize(
    ("strategy", "outcome"),
    [
        (None, "violated"),
        ("lowestPrice", "violated"),
        ("priceCapacityOptimized", "fine"),
        ("capacityOptimized", "fine"),
        ("diversified", "fine"),
        (UNKNOWN, "not-knowable"),
    ],
)
def test_a_spot_fleet_takes_the_lowest_price_unless_it_says_otherwise(strategy, outcome):
    program = Program()
    given = {} if strategy is None else {"allocationStrategy": strategy}
    both_ = [specification(), specification(instanceType="g5.xlarge")]
    program.add(SPOT_FLEET, "workers", targetCapacity=4, launchSpecifications=both_, **given)
    (finding,) = findings(of_resources(program.resources()), "spot-allocation")
    assert finding.outcome == outcome
    alone = Program()
    alone.add(SPOT_FLEET, "workers", targetCapacity=4, launchSpecifications=[specification()])
    assert outcomes(of_resources(alone.resources()), "spot-allocation") == ["not-applicable"]


def stopping(kind: str, behavior: Any, lasting: Any) -> Program:
    """Spot machines of a kind that are to do something, by a request that lasts or does not."""
    program = Program()
    options = {"marketType": "spot", "spotOptions": {"instanceInterruptionBehavior": behavior}}
    if kind == INSTANCE:
        options["spotOptions"] |= {} if lasting is None else {"spotInstanceType": lasting}
        program.add(
            INSTANCE,
            "workers",
            instanceType="g6.xlarge",
            availabilityZone="us-east-1a",
            instanceMarketOptions=options,
        )
    elif kind == REQUEST:
        more = {} if lasting is None else {"spotType": lasting}
        request(program, instanceInterruptionBehavior=behavior, **more)
    elif kind == SPOT_FLEET:
        more = {} if lasting is None else {"fleetType": lasting}
        program.add(
            SPOT_FLEET,
            "workers",
            targetCapacity=1,
            launchSpecifications=[specification()],
            instanceInterruptionBehaviour=behavior,
            **more,
        )
    else:
        template = program.add(TEMPLATE, "node", instanceType="g6.xlarge")
        more = {} if lasting is None else {"type": lasting}
        program.add(
            FLEET,
            "workers",
            launchTemplateConfigs=[
                {"launchTemplateSpecification": {"launchTemplateId": template.id, "version": "1"}}
            ],
            targetCapacitySpecification={
                "defaultTargetCapacityType": "spot",
                "totalTargetCapacity": 1,
            },
            spotOptions={"instanceInterruptionBehavior": behavior},
            **more,
        )
    return program


LASTING = {
    INSTANCE: ("persistent", "one-time", "set spot_instance_type to persistent"),
    REQUEST: ("persistent", "one-time", "set spot_type to persistent"),
    SPOT_FLEET: ("maintain", "request", "set fleet_type to maintain"),
    FLEET: ("maintain", "request", "set type to maintain"),
}

ONCE_BY_DEFAULT = {INSTANCE}


@pytest.mark.parametrize("behavior", ["stop", "hibernate"])
@pytest.mark.parametrize("kind", LASTING)
def test_stop_and_hibernate_need_a_request_that_lasts(kind, behavior):
    lasting, once, words = LASTING[kind]
    (finding,) = findings(
        of_resources(stopping(kind, behavior, once).resources()), "spot-settings"
    )
    assert finding.outcome == "violated"
    assert f"set to {behavior} needs a persistent request: {words}" in finding.message
    # No machine of the catalog hibernates, however long its request lasts.
    lasts = "violated" if behavior == "hibernate" else "fine"
    for request, outcome in (
        (lasting, lasts),
        (None, "violated" if kind in ONCE_BY_DEFAULT else lasts),
        (UNKNOWN, lasts),
    ):
        judged = of_resources(stopping(kind, behavior, request).resources())
        assert outcomes(judged, "spot-settings") == [outcome]


@pytest.mark.parametrize("kind", LASTING)
def test_to_terminate_needs_nothing(kind):
    judged = of_resources(stopping(kind, "terminate", LASTING[kind][1]).resources())
    assert outcomes(judged, "spot-settings") == ["fine"]
