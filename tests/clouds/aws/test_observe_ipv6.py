"""A machine with an address of IPv6 is public where its subnet routes to an internet gateway."""

from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

ROUTE = "aws:ec2/route:Route"
OUT = {"ipv6CidrBlock": "::/0", "gatewayId": "igw-1"}
EGRESS_ONLY = {"ipv6CidrBlock": "::/0", "egressOnlyGatewayId": "eigw-1"}
ASSIGNS = {"assignIpv6AddressOnCreation": True}


def public(moment: Any, *routes: Any, subnet: Any = None, apart: bool = False, **more: Any) -> Any:
    """Whether a machine in a subnet with a route table of these routes has a public address."""
    program = Program()
    network = program.add("aws:ec2/vpc:Vpc", "net")
    own = program.add("aws:ec2/subnet:Subnet", "s", vpcId=network.id, **(subnet or {}))
    inline = {} if apart else {"routes": list(routes)}
    table = program.add("aws:ec2/routeTable:RouteTable", "t", vpcId=network.id, **inline)
    for route in routes if apart else ():
        given = {key: value for key, value in route.items() if key != "ipv6CidrBlock"}
        target = route["ipv6CidrBlock"]
        program.add(ROUTE, "r", routeTableId=table.id, destinationIpv6CidrBlock=target, **given)
    link = "aws:ec2/routeTableAssociation:RouteTableAssociation"
    program.add(link, "a", subnetId=own.id, routeTableId=table.id)
    machine = {"instanceType": "g6.xlarge", "ami": "ami-1", "associatePublicIpAddress": False}
    program.add("aws:ec2/instance:Instance", "m", subnetId=own.id, **machine, **more)
    (group,) = observe(program.resources(moment)).groups
    return group.safety.public_ip


@both
@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize(
    ("routes", "subnet", "machine", "expected"),
    [
        ([OUT], ASSIGNS, {}, True),
        ([OUT], {}, {"ipv6AddressCount": 1}, True),
        ([OUT], {}, {"ipv6Addresses": ["2600::1"]}, True),
        ([OUT], {}, {"ipv6AddressCount": UNKNOWN}, UNKNOWN),
        ([OUT], {}, {"ipv6AddressCount": 0}, False),
        ([OUT], {}, {}, False),
        ([EGRESS_ONLY], ASSIGNS, {}, False),
        ([], ASSIGNS, {}, False),
    ],
)
def test_an_address_of_ipv6_is_public_where_its_subnet_is(
    routes, subnet, machine, expected, apart, moment
):
    assert public(moment, *routes, subnet=subnet, apart=apart, **machine) is expected


@pytest.mark.parametrize(("count", "expected"), [(1, UNKNOWN), (0, False)])
def test_a_subnet_of_elsewhere_may_be_public(count, expected):
    program = Program()
    program.add(
        "aws:ec2/instance:Instance",
        "m",
        instanceType="g6.xlarge",
        ami="ami-1",
        subnetId="subnet-1",
        associatePublicIpAddress=False,
        ipv6AddressCount=count,
    )
    (group,) = observe(program.resources()).groups
    assert group.safety.public_ip is expected


@pytest.mark.parametrize(
    ("interface", "expected"),
    [("", False), ([], False), (UNKNOWN, UNKNOWN), ({"ipv6AddressCount": 1}, True)],
)
def test_an_interface_that_is_none_is_read(interface, expected):
    assert public("preview", OUT, networkInterfaces=[interface]) is expected
