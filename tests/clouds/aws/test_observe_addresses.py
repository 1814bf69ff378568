"""The addresses that machines take of their subnets (A13)."""

from dataclasses import replace

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.cluster import Cluster, cluster, current_nics
from tests.rules.cases.moments import both


def addresses(case: Cluster, moment: str):
    (group,) = observe(case.program.resources(moment)).groups
    return group.addresses


def with_block(case: Cluster, block: str | None) -> Cluster:
    case.subnet.inputs["cidrBlock"] = block
    return case


@both
def test_the_classic_layout_takes_an_address_for_each_card(moment):
    assert addresses(with_block(cluster(), "10.0.0.0/25"), moment) == (128, 123)


@both
def test_the_current_layout_takes_one(moment):
    case = cluster(nics=lambda group: current_nics(32, group))

    assert addresses(with_block(case, "10.0.0.0/25"), moment) == (4, 123)


@both
def test_a_subnet_that_does_not_say_its_block_is_not_known(moment):
    assert addresses(with_block(cluster(), None), moment) is UNKNOWN


@both
def test_a_block_that_is_none_is_not_known(moment):
    assert addresses(with_block(cluster(), "the large one"), moment) is UNKNOWN


@both
def test_without_a_subnet_in_the_stack_nothing_is_said(moment):
    case = cluster()
    case.scaling.inputs["vpcZoneIdentifiers"] = ["subnet-0123456789abcdef0"]

    assert addresses(case, moment) is None


@both
def test_a_subnet_of_an_address_manager_says_how_long_its_block_is(moment):
    case = with_block(cluster(), None)
    case.subnet.inputs.update({"ipv4IpamPoolId": "ipam-pool-1", "ipv4NetmaskLength": 25})

    assert addresses(case, moment) == (128, 123)


def test_a_block_that_aws_gave_is_read_once_it_is_there():
    case = with_block(cluster(), None)
    resources = [
        replace(resource, outputs={**resource.outputs, "cidrBlock": "10.0.0.0/25"})
        if resource.type.endswith(":Subnet")
        else resource
        for resource in case.program.resources("created")
    ]
    (group,) = observe(resources).groups

    assert group.addresses == (128, 123)


@both
def test_a_subnet_of_ipv6_alone_has_nothing_to_count(moment):
    case = with_block(cluster(), None)
    case.subnet.inputs.update({"ipv6Native": True, "ipv6CidrBlock": "2600::/64"})

    assert addresses(case, moment) is None


@both
@pytest.mark.parametrize(
    ("more", "each"),
    [
        ({"ipv4PrefixCount": 2}, 33),
        ({"ipv4Prefixes": ["10.0.0.0/28"]}, 17),
        ({"ipv4AddressCount": 10}, 11),
        ({"secondaryPrivateIpAddressCount": 3}, 4),
        ({"ipv4Addresses": ["10.0.0.5", "10.0.0.6"]}, 2),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_what_an_interface_takes_besides_counts(more, each, moment):
    case = cluster(
        machine="g6.xlarge", nodes=2, nics=lambda group: [{"securityGroups": [group], **more}]
    )

    assert addresses(with_block(case, "10.0.0.0/25"), moment) == (2 * each, 123)


@both
def test_a_count_that_is_not_known_yet_is_not_zero(moment):
    case = cluster(
        machine="g6.xlarge", nics=lambda group: [{"ipv4AddressCount": UNKNOWN, "groups": [group]}]
    )

    assert addresses(case, moment) is UNKNOWN
