"""A NAT gateway is paid by the hour in each of its zones."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

ZONES = [{"availabilityZone": "us-east-1a"}, {"availabilityZone": "us-east-1b"}]


@both
@pytest.mark.parametrize(
    ("mode", "zones", "count"),
    [
        (None, None, 1),
        ("zonal", None, 1),
        (UNKNOWN, None, UNKNOWN),
        ("regional", None, UNKNOWN),
        ("regional", [], UNKNOWN),
        ("regional", UNKNOWN, UNKNOWN),
        ("regional", [*ZONES, UNKNOWN], UNKNOWN),
        ("regional", ZONES, 2),
    ],
)
def test_a_gateway_of_a_region_is_paid_in_each_zone_that_it_names(mode, zones, count, moment):
    program = Program()
    kind, given = "aws:ec2/natGateway:NatGateway", {"availabilityZoneAddresses": zones}
    program.add(kind, "nat", region="us-east-1", availabilityMode=mode, **given)

    (hours, _) = observe(program.resources(moment)).items
    assert (hours.item, hours.quantity) == ("nat-gateway-hour", count)
