from ipaddress import IPv4Network

import pytest

from gpuinfra.clouds.azure.network import (
    RESERVED_ADDRESSES,
    SINGLE_PLACEMENT_GROUP,
    most_machines,
    workload_network,
)


@pytest.mark.parametrize("nodes", [1, 100, 1000, 4091, 4092, 9000])
def test_the_subnet_is_inside_and_has_an_address_for_each_machine(nodes: int) -> None:
    network = workload_network(nodes)
    subnet = IPv4Network(network.subnet)

    assert subnet.subnet_of(IPv4Network(network.cidr))
    assert subnet.num_addresses - RESERVED_ADDRESSES >= nodes


def test_the_subnet_grows_only_when_it_has_to() -> None:
    assert workload_network(4091).subnet == "10.0.0.0/20"
    assert workload_network(4092).subnet == "10.0.0.0/19"


def test_a_placement_group_is_smaller_than_a_scale_set() -> None:
    assert most_machines(SINGLE_PLACEMENT_GROUP) == 100
    assert most_machines("any") == 1000
