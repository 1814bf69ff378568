"""The cap holds while an update runs on AWS, and does whoever says it."""

import pytest

from tests.policies.cap_cases import CapCases, caps, held
from tests.policies.grounds import aws

pytestmark = pytest.mark.e2e


class TestAws(CapCases):
    pairs = 2


def root(per_hour):
    """The root component that gpuinfra.deploy registers, before anything else."""
    import pulumi

    pulumi.ComponentResource("gpuinfra:index:Stack", "root", {"budget": {"perHour": per_hour}})


@pytest.mark.parametrize(("pack", "program"), [(None, 1), (3, 1), (1, 3)])
def test_the_stricter_of_the_packs_cap_and_the_programs_holds(ground, pack, program):
    """Each in caps that two machines fit under."""
    _, two = caps(ground)
    pack_cap = None if pack is None else pack * two
    outcome = ground.up(["a", "b", "c"], pack_cap, first=lambda: root(str(program * two)))
    assert outcome.ending == "refused"
    assert len(held(ground, two)) == 2


def reserved(names):
    """A reservation and the machines that come in it."""
    from pulumi_aws import ec2

    kept = ec2.CapacityReservation(
        "kept",
        instance_type=aws.MACHINE,
        instance_count=1,
        instance_platform="Linux/UNIX",
        availability_zone="us-east-1a",
    )
    target = {"capacity_reservation_target": {"capacity_reservation_id": kept.id}}
    for name in names:
        ec2.Instance(
            name,
            ami=aws.IMAGES[0],
            instance_type=aws.MACHINE,
            associate_public_ip_address=False,
            capacity_reservation_specification=target,
        )


@pytest.mark.parametrize(("names", "ending"), [(["a"], "fine"), (["a", "b"], "refused")])
def test_a_machine_and_the_reservation_that_comes_with_it_are_paid_once(ground, names, ending):
    cap = ground.price * 3 / 2
    outcome = ground.up([], cap, first=lambda: reserved(names))
    assert outcome.ending == ending, outcome.reason
