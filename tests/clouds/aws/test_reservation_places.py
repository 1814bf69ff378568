"""Machines that start only in a reservation are in its zone."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN, faults_of
from tests.clouds.aws.scaling_group import GROUP, TEMPLATE, target
from tests.rules.cases.moments import both
from tests.rules.cases.program import Handle, Program

SPECIFICATION = "capacityReservationSpecification"
KIND = {"instanceType": "g6.xlarge"}
BESIDE = "its capacity reservation kept is in us-east-1b, and the machines are in us-east-1a"


def kept(program: Program) -> Handle:
    return program.add(
        "aws:ec2/capacityReservation:CapacityReservation",
        "kept",
        instanceCount=1,
        instancePlatform="Linux/UNIX",
        availabilityZone="us-east-1b",
        **KIND,
    )


def refused(program: Program, name: str, moment: str = "created") -> tuple[str, ...]:
    (group,) = (row for row in observe(program.resources(moment)).groups if row.name == name)
    found = faults_of(group.faults, "launch-settings")
    assert isinstance(found, tuple)
    return found


@both
@pytest.mark.parametrize("zone", ["us-east-1a", "us-east-1b", UNKNOWN, None])
@pytest.mark.parametrize("way", ["zone", "subnet", "template"])
def test_a_machine_is_in_the_zone_of_the_reservation_that_it_names(way, zone, moment):
    program = Program()
    named = {SPECIFICATION: target(kept(program).id)}
    place = {} if zone is None else {"availabilityZone": zone}
    inputs = {**KIND, **named, **place}
    if way == "subnet":
        inner = program.add("aws:ec2/subnet:Subnet", "inner", **place)
        inputs = {**KIND, **named, "subnetId": inner.id}
    if way == "template":
        template = program.add(TEMPLATE, "t", placement=place, **named)
        inputs = {**KIND, "launchTemplate": {"id": template.id}}
    program.add("aws:ec2/instance:Instance", "one", **inputs)
    expected = (BESIDE,) if zone == "us-east-1a" else ()
    assert refused(program, "one", moment) == expected


@both
def test_a_zone_that_a_subnet_tells_by_its_id_may_be_the_reservation_s(moment):
    program = Program()
    inner = program.add("aws:ec2/subnet:Subnet", "inner", availabilityZoneId="use1-az1")
    named = {SPECIFICATION: target(kept(program).id)}
    program.add("aws:ec2/instance:Instance", "one", **KIND, **named, subnetId=inner.id)
    assert refused(program, "one", moment) == ()


@both
@pytest.mark.parametrize(
    ("zones", "more", "good"),
    [
        (["us-east-1a"], {}, False),
        (["us-east-1a", "us-east-1b"], {}, True),
        (["us-east-1a", UNKNOWN], {}, True),
        (["us-east-1a"], {"capacityReservationPreference": "capacity-reservations-first"}, True),
    ],
)
def test_a_scaling_group_has_the_zone_of_its_reservation(zones, more, good, moment):
    program = Program()
    wanted = {SPECIFICATION: {**target(kept(program).id), **more}}
    template = program.add(TEMPLATE, "t", **KIND, **({} if more else wanted))
    program.add(
        GROUP,
        "workers",
        minSize=1,
        maxSize=1,
        availabilityZones=zones,
        launchTemplate={"id": template.id},
        **(wanted if more else {}),
    )
    assert refused(program, "workers", moment) == (() if good else (BESIDE,))
