"""A reservation and the group that grows within it are paid once: the more of both."""

from decimal import Decimal

import pytest

from gpuinfra.cost import Terms, estimate
from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import TODAY, of_resources
from tests.rules.cases.program import Program

TARGET = "capacityReservationSpecification"
EACH = Decimal("0.8048")
"""A g6.xlarge an hour in us-east-1."""


def quoted(kept=2, moment="created", **sizes):
    program = Program()
    reservation = program.add(
        "aws:ec2/capacityReservation:CapacityReservation",
        "kept",
        instanceType="g6.xlarge",
        instanceCount=kept,
        availabilityZone="us-east-1a",
        instancePlatform="Linux/UNIX",
    )
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "t",
        imageId="ami-1",
        instanceType="g6.xlarge",
        **{TARGET: {"capacityReservationTarget": {"capacityReservationId": reservation.id}}},
    )
    program.add(
        "aws:autoscaling/group:Group",
        "g",
        availabilityZones=["us-east-1a"],
        launchTemplate={"id": template.id},
        **sizes,
    )
    quote = estimate(of_resources(program.resources(moment)), Terms(as_of=TODAY))
    return [line for line in quote.lines if line.item == "g6.xlarge"], quote


@pytest.mark.parametrize("moment", ["preview", "created"])
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


def test_a_group_of_an_unknown_size_takes_only_its_minimum():
    lines, _ = quoted(2, minSize=1, maxSize=UNKNOWN)
    assert [line.per_hour for line in lines if line.name == "kept"] == [EACH]
