"""The caller's own subnets, as they stand in moto."""

import pytest

from gpuinfra.clouds.aws.account import network_checks
from gpuinfra.clouds.aws.account.missing_responses import NoAnswer
from tests.clouds.aws.account.conftest import REGION, need


@pytest.fixture
def ec2(aws):
    return aws("ec2")


@pytest.fixture
def vpc(ec2):
    return ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]


def subnet(ec2, vpc, number=0, zone="us-east-1a", size=24):
    block = f"10.0.{number}.0/{size}"
    made = ec2.create_subnet(VpcId=vpc, CidrBlock=block, AvailabilityZone=zone)
    return made["Subnet"]["SubnetId"]


def nat(ec2, vpc, private):
    """A default route from a subnet to a NAT gateway; gives both ids."""
    public = subnet(ec2, vpc, 200)
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    made = ec2.create_nat_gateway(SubnetId=public, AllocationId=address)["NatGateway"]
    return route(ec2, vpc, private, NatGatewayId=made["NatGatewayId"])


def route(ec2, vpc, private, **to):
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", **to)
    ec2.associate_route_table(RouteTableId=table, SubnetId=private)
    return table


def checked(caller, vpc, *subnets, **changed):
    workload = need(network=vpc, subnets=subnets, **changed)
    there = network_checks.subnets(caller, workload)
    assert not isinstance(there, NoAnswer), there
    checks = network_checks.checks(caller, workload, there, "demo")
    return {check.item.partition("subnet-")[0].strip(): check for check in checks}


def test_a_private_subnet_with_a_nat_gateway_is_fine(caller, ec2, vpc):
    private = subnet(ec2, vpc)
    nat(ec2, vpc, private)

    by_what = checked(caller, vpc, private)

    assert {check.state for check in by_what.values()} == {"ok"}, by_what
    assert by_what["route out of"].result.startswith("NAT gateway nat-")


def test_public_addresses_are_a_problem_of_machines_with_several_interfaces(caller, ec2, vpc):
    private = subnet(ec2, vpc)
    nat(ec2, vpc, private)
    ec2.modify_subnet_attribute(SubnetId=private, MapPublicIpOnLaunch={"Value": True})

    several = checked(caller, vpc, private, has_several_interfaces=True)["public addresses in"]
    unasked = checked(caller, vpc, private, has_several_interfaces=None)["public addresses in"]
    single = checked(caller, vpc, private)["public addresses in"]

    assert (several.state, unasked.state, single.state) == ("problem", "unknown", "ok")
    assert f"--subnet-id {private} --no-map-public-ip-on-launch" in several.fix
    assert single.result == f"assigned to every machine in {private}"


def test_addresses_are_counted_for_every_interface_that_takes_one(caller, ec2, vpc):
    private = subnet(ec2, vpc, size=28)

    few = checked(caller, vpc, private, interfaces=32)["free addresses in"]
    enough = checked(caller, vpc, private)["free addresses in"]
    unknown = checked(caller, vpc, private, interfaces=None)["free addresses in"]

    assert (few.state, few.result, few.allowed) == ("problem", "11", "64: 2 machines with 32 each")
    assert enough.state == "ok"
    assert unknown.state == "unknown"
    assert (
        unknown.result == "11 addresses are free; the number of interfaces per machine is unknown"
    )
    uncounted = checked(caller, vpc, private, count=None)["free addresses in"]
    assert uncounted.result == "11 addresses are free; the number of machines is unknown"


def test_machines_that_train_together_want_one_zone(caller, ec2, vpc):
    two = (subnet(ec2, vpc), subnet(ec2, vpc, 1, "us-east-1b"))

    assert checked(caller, vpc, *two)["zone of"].state == "problem"
    assert checked(caller, vpc, *two, one_zone=False)["zone of"].state == "ok"
    named = checked(caller, vpc, *two, one_zone=False, allowed_zones=("us-east-1a",))
    assert named["zone of"].state == "problem"
    usual = checked(caller, vpc, two[1], rung={"zones": ("us-east-1a",)})
    assert usual["zone of"].state == "ok"


def test_a_subnet_of_another_network_is_a_problem(caller, ec2, vpc):
    other = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]

    check = checked(caller, other, subnet(ec2, vpc))[""]

    assert check.state == "problem"
    assert f"Name=vpc-id,Values={other}" in check.fix


def test_a_subnet_that_is_not_there_is_a_problem_and_nothing_else_is_asked(caller, vpc):
    (check,) = checked(caller, vpc, "subnet-0123456789abcdef0").values()

    assert (check.state, check.result) == ("problem", "0 found, in no network")


def test_without_a_way_out_every_service_needs_an_endpoint(caller, ec2, vpc):
    private = subnet(ec2, vpc)

    check = checked(caller, vpc, private)["route out of"]

    assert (check.state, check.result) == ("problem", "no default route; endpoints: none")
    assert check.fix.endswith("or endpoints of s3, ssm")


def test_endpoints_are_a_way_out_and_a_gateway_s_serve_their_route_tables_alone(
    caller, ec2, vpc, monkeypatch
):
    private = subnet(ec2, vpc)
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.associate_route_table(RouteTableId=table, SubnetId=private)
    ec2.create_vpc_endpoint(
        VpcId=vpc, ServiceName=f"com.amazonaws.{REGION}.ssm", VpcEndpointType="Interface"
    )
    s3 = {"VpcId": vpc, "ServiceName": f"com.amazonaws.{REGION}.s3", "VpcEndpointType": "Gateway"}
    ec2.create_vpc_endpoint(**s3)

    elsewhere = checked(caller, vpc, private)["route out of"]
    ec2.create_vpc_endpoint(**s3, RouteTableIds=[table])
    caller._known.clear()
    here = checked(caller, vpc, private)["route out of"]
    container = checked(caller, vpc, private, container="vllm/vllm-openai:v1")["route out of"]

    assert (elsewhere.state, elsewhere.fix.endswith("endpoints of s3")) == ("problem", True)
    assert here.state == "ok"
    assert "vllm/vllm-openai:v1 is not in ECR there" in container.fix


def test_an_internet_gateway_is_no_way_out_of_a_private_subnet(caller, ec2, vpc):
    private = subnet(ec2, vpc)
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    route(ec2, vpc, private, GatewayId=gateway)

    check = checked(caller, vpc, private)["route out of"]

    assert check.state == "problem"
    assert check.result.startswith("an internet gateway, which serves only public addresses")
