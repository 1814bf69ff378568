"""The quotas of VPCs and Elastic IP addresses, against what a stack makes."""

import pytest

from gpuinfra.clouds.aws.account import network_quotas
from tests.clouds.aws.account.conftest import need

STACK = [{"Key": "gpuinfra:stack", "Value": "demo"}]


def quota(value):
    return ("service-quotas", "get_service_quota", {"Quota": {"Value": float(value)}})


def vpcs(others, own=0):
    listed = [{"VpcId": f"vpc-{number}"} for number in range(others)]
    return ("ec2", "describe_vpcs", {"Vpcs": [*listed, *({"Tags": STACK} for _ in range(own))]})


def addresses(others, own=0):
    listed = [{"AllocationId": f"eipalloc-{number}"} for number in range(others)]
    own_ones = [{"Tags": STACK} for _ in range(own)]
    return ("ec2", "describe_addresses", {"Addresses": [*listed, *own_ones]})


def checked(caller, *needs):
    return list(network_quotas.checks(caller, needs or (need(),), "demo"))


def test_each_workload_makes_a_network_and_takes_an_address(stubbed):
    pair = (need(), need(workload="chat"))
    caller = stubbed(quota(5), vpcs(3), quota(5), addresses(4))

    network, address = checked(caller, *pair)

    assert (network.state, network.result) == ("ok", "5, 3 of them in use by others")
    assert network.allowed == "2 for this stack"
    assert (address.state, address.item) == (
        "problem",
        "EC2-VPC Elastic IPs (L-0263D0A3): trainer, chat in us-east-1",
    )
    assert "--service-code ec2 --quota-code L-0263D0A3 --desired-value 6" in address.fix


def test_the_stack_s_own_do_not_count_twice(stubbed):
    caller = stubbed(quota(5), vpcs(4, own=1), quota(5), addresses(4, own=1))

    assert [check.state for check in checked(caller)] == ["ok", "ok"]


def test_all_rungs_of_a_workload_make_one_network(stubbed):
    caller = stubbed(quota(5), vpcs(4), quota(5), addresses(4))
    rungs = (need(), need(rung={"capacity": "spot"}))

    assert [check.state for check in checked(caller, *rungs)] == ["ok", "ok"]


def test_a_network_without_a_way_out_takes_no_address(stubbed):
    (network,) = checked(stubbed(quota(5), vpcs(5)), need(reaches_internet=False))

    assert network.state == "problem"
    assert "--service-code vpc --quota-code L-F678F1CE --desired-value 6" in network.fix


def test_a_network_that_is_there_is_none_that_is_made(stubbed):
    assert checked(stubbed(), need(subnets=("subnet-0123456789abcdef0",))) == []


def test_what_nobody_says_is_unknown(stubbed):
    caller = stubbed(
        ("service-quotas", "get_service_quota", "AccessDeniedException"),
        quota(5),
        ("ec2", "describe_addresses", "UnauthorizedOperation"),
    )

    network, address = checked(caller)

    assert (network.state, address.state) == ("unknown", "unknown")
    assert "5 unless the account's quota was raised" in network.result


@pytest.mark.parametrize("row", network_quotas.known_quotas(), ids=lambda row: row.code)
def test_every_row_has_a_source(row):
    assert row.source.startswith("https://")
    assert row.as_of
