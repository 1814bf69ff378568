"""Reservations of this stack and of others: which machines use them, and who pays."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.observe import Index, groups_and_items, observe
from gpuinfra.model import UNKNOWN
from tests.clouds.aws.scaling_group import GROUP, TEMPLATE, machines, only, target
from tests.rules.cases import stacks
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"


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
