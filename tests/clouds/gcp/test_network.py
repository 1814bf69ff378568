from ipaddress import IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.gcp.machines import MACHINES, machine
from gpuinfra.clouds.gcp.network import (
    RESERVED_ADDRESSES,
    fabric_layout,
    nic_layout,
    pool_network,
    training_network,
)
from gpuinfra.clouds.gcp.regions import REGIONS, offered_zones

FABRIC = [machine.type for machine in MACHINES.all_machines() if fabric_layout(machine)]
BUILT = ["a3-highgpu-8g", "a3-megagpu-8g", "a3-ultragpu-8g", "a4-highgpu-8g"]


@pytest.mark.parametrize(
    ("type_", "vpcs", "gvnics", "mrdmas", "mtu"),
    [
        ("a3-highgpu-8g", 5, 5, 0, 8244),
        ("a3-megagpu-8g", 9, 9, 0, 8244),
        ("a3-ultragpu-8g", 3, 2, 8, 8896),
        ("a4-highgpu-8g", 3, 2, 8, 8896),
    ],
)
def test_networks_and_interfaces_of_each_machine(
    type_: str, vpcs: int, gvnics: int, mrdmas: int, mtu: int
) -> None:
    known = machine(type_)
    layout = nic_layout(known, fabric=True)
    network = training_network("us-central1", machine=known, fabric=True)
    kinds = [nic.kind for nic in layout]

    assert (kinds.count("GVNIC"), kinds.count("MRDMA")) == (gvnics, mrdmas)
    assert len(network.vpcs) == vpcs
    assert {vpc.mtu for vpc in network.vpcs} == {mtu}


@pytest.mark.parametrize("type_", FABRIC)
def test_the_layout_agrees_with_the_machine(type_: str) -> None:
    known = machine(type_)
    layout = nic_layout(known, fabric=True)
    host = fabric_layout(known).host_networks

    assert len(layout) == known.network_cards
    assert len(layout) - host == known.fabric_interfaces
    assert layout[0].network == layout[0].subnet == "main"
    assert len({nic.subnet for nic in layout}) == len(layout)


@pytest.mark.parametrize("type_", BUILT)
def test_every_gvnic_has_a_vpc_of_its_own_and_all_rdma_share_one(type_: str) -> None:
    layout = nic_layout(machine(type_), fabric=True)
    gvnic = [nic.network for nic in layout if nic.kind == "GVNIC"]
    rdma = {nic.network for nic in layout if nic.kind == "MRDMA"}

    assert len(set(gvnic)) == len(gvnic)
    assert len(rdma) <= 1
    assert rdma.isdisjoint(gvnic)


@pytest.mark.parametrize("type_", BUILT)
def test_every_interface_stands_in_a_subnet_of_the_networks(type_: str) -> None:
    known = machine(type_)
    network = training_network("us-central1", machine=known, fabric=True)
    made = [(vpc.name, subnet.name) for vpc in network.vpcs for subnet in vpc.subnets]

    assert made == [(nic.network, nic.subnet) for nic in nic_layout(known, fabric=True)]


def test_the_roce_network_has_the_profile_of_its_zone() -> None:
    network = training_network("us-west1", machine=machine("a3-ultragpu-8g"), fabric=True)

    assert network.zones == ("us-west1-c",)
    assert [vpc.profile for vpc in network.vpcs] == [None, None, "us-west1-c-vpc-roce"]


def test_without_a_fabric_there_is_one_interface_in_one_network() -> None:
    known = machine("a3-highgpu-8g")
    (only,) = nic_layout(known, fabric=False)
    (vpc,) = training_network("us-central1", machine=known).vpcs

    assert (only.kind, only.network) == ("GVNIC", "main")
    assert [subnet.name for subnet in vpc.subnets] == ["main"]


@pytest.mark.parametrize("type_", ["g2-standard-4", "a4x-maxgpu-4g-metal"])
def test_a_fabric_is_refused_where_none_is_known(type_: str) -> None:
    with pytest.raises(ValueError, match=type_):
        nic_layout(machine(type_), fabric=True)


@given(st.sampled_from(REGIONS.all()), st.sampled_from(BUILT), st.integers(1, 5000))
def test_every_subnet_has_an_address_for_each_node_and_none_overlap(
    region: str, type_: str, nodes: int
) -> None:
    network = training_network(region, (), nodes, machine=machine(type_), fabric=True)
    ranges = [IPv4Network(subnet.cidr) for vpc in network.vpcs for subnet in vpc.subnets]

    assert all(span.num_addresses - RESERVED_ADDRESSES >= nodes for span in ranges)
    assert not any(
        span.overlaps(other) for index, span in enumerate(ranges) for other in ranges[index + 1 :]
    )


@given(
    st.sampled_from(BUILT),
    st.lists(st.sampled_from(REGIONS.all()), min_size=2, max_size=2, unique=True),
)
def test_the_subnets_of_two_regions_never_overlap(type_: str, two: list[str]) -> None:
    ranges = [
        IPv4Network(subnet.cidr)
        for region in two
        for vpc in training_network(region, (), 9999, machine=machine(type_), fabric=True).vpcs
        for subnet in vpc.subnets
    ]

    assert len({int(span.network_address) for span in ranges}) == len(ranges)
    assert not any(
        span.overlaps(other) for index, span in enumerate(ranges) for other in ranges[index + 1 :]
    )


def test_more_nodes_widen_a_subnet_in_its_place() -> None:
    def main(nodes: int) -> IPv4Network:
        return IPv4Network(training_network("us-east4", (), nodes).vpcs[0].subnets[0].cidr)

    assert main(4).subnet_of(main(5000))
    assert main(4).network_address == main(5000).network_address


def test_more_machines_than_a_subnet_holds_are_refused_with_the_number() -> None:
    with pytest.raises(ValueError, match="16,380 machines"):
        training_network("us-east4", (), 16_381)


@given(st.sampled_from(REGIONS.all()))
def test_a_pool_stands_in_zones_that_have_its_machine(region: str) -> None:
    known = machine("g2-standard-4")
    network = pool_network(region, machine=known)
    having = offered_zones(known.type, region)

    assert set(network.zones) <= set(having) if having else len(network.zones) == 2
    assert [vpc.name for vpc in network.vpcs] == ["main"]
