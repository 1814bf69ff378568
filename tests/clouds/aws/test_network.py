from ipaddress import IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.address_blocks import cidr_fault
from gpuinfra.clouds.aws.interfaces import nic_layout
from gpuinfra.clouds.aws.machines import MACHINES, machine
from gpuinfra.clouds.aws.network import (
    ENDPOINTS,
    RESERVED_ADDRESSES,
    pool_network,
    pool_room,
    shared_network,
    shared_room,
    training_network,
    training_room,
)
from gpuinfra.clouds.aws.regions import REGIONS
from gpuinfra.specs.networks import NetworkSpec

FABRIC = [
    machine.type
    for machine in MACHINES.all_machines()
    if machine.fabric_interfaces and machine.interfaces_per_card
]


@pytest.mark.parametrize(
    ("type_", "count"),
    [
        ("p4d.24xlarge", 5),
        ("p5.48xlarge", 33),
        ("p5en.48xlarge", 17),
        ("p6-b200.48xlarge", 9),
        ("p6-b300.48xlarge", 17),
        ("g5.8xlarge", 2),
        ("g6e.48xlarge", 5),
    ],
)
def test_interfaces_to_declare_under_current_advice(type_: str, count: int) -> None:
    assert len(nic_layout(machine(type_), fabric=True)) == count


@pytest.mark.parametrize("type_", FABRIC)
def test_the_layout_keeps_the_limits_of_every_machine(type_: str) -> None:
    known = machine(type_)
    layout = nic_layout(known, fabric=True)
    efa = [nic for nic in layout if nic.kind == "efa-only"]
    places = [(nic.card, nic.device) for nic in layout]

    assert (layout[0].card, layout[0].device, layout[0].kind) == (0, 0, "interface")
    assert len(efa) == known.fabric_interfaces
    assert len(set(places)) == len(places)
    assert len({nic.card for nic in efa}) == len(efa)
    assert all(nic.device < known.interfaces_per_card[nic.card] for nic in layout)


def test_card_0_has_no_efa_where_cards_outnumber_them() -> None:
    layout = nic_layout(machine("p6-b300.48xlarge"), fabric=True)

    assert [nic.kind for nic in layout if nic.card == 0] == ["interface"]


def test_without_a_fabric_there_is_one_interface() -> None:
    (only,) = nic_layout(machine("p5.48xlarge"), fabric=False)

    assert only.kind == "interface"


@pytest.mark.parametrize("type_", ["g6.xlarge", "p6e-gb200.36xlarge"])
def test_a_fabric_is_refused_where_none_is_known(type_: str) -> None:
    with pytest.raises(ValueError, match=type_):
        nic_layout(machine(type_), fabric=True)


@given(st.sampled_from(REGIONS.all()), st.integers(1, 5000))
def test_a_training_network_is_one_zone_with_an_address_for_each_node(
    region: str, nodes: int
) -> None:
    network = training_network(region, nodes=nodes)
    (private,), (public,) = network.private, network.public

    assert IPv4Network(private.cidr).num_addresses - RESERVED_ADDRESSES >= nodes
    assert private.zone == public.zone == REGIONS.zones(region)[0]
    assert_subnets_fit(network)


@given(st.sampled_from(REGIONS.all()), st.data())
def test_a_pool_network_spans_two_zones(region: str, data: st.DataObject) -> None:
    preferred = data.draw(st.lists(st.sampled_from(REGIONS.zones(region)), unique=True))
    network = pool_network(region, tuple(preferred))

    assert len({subnet.zone for subnet in network.private}) == len(network.private) >= 2
    assert len(network.public) == 2
    assert {subnet.zone for subnet in network.public} <= {
        subnet.zone for subnet in network.private
    }
    assert set(preferred) <= {subnet.zone for subnet in network.private}
    assert_subnets_fit(network)


def assert_subnets_fit(network) -> None:
    subnets = [IPv4Network(subnet.cidr) for subnet in network.subnets]

    assert all(subnet.subnet_of(IPv4Network(network.cidr)) for subnet in subnets)
    assert not any(
        subnet.overlaps(other)
        for index, subnet in enumerate(subnets)
        for other in subnets[index + 1 :]
    )
    assert len({subnet.name for subnet in network.subnets}) == len(subnets)


def test_wanted_zones_come_first_and_only_those_of_the_region() -> None:
    preferred = ("us-west-2b", "us-east-1c", "us-east-1d")

    assert REGIONS.chosen("us-east-1", preferred) == ("us-east-1c",)
    assert REGIONS.chosen("us-east-1", preferred, 2) == ("us-east-1c", "us-east-1d")
    assert REGIONS.chosen("us-east-2", preferred) == ("us-east-2a",)


def test_a_price_of_a_zone_counts_where_machines_may_stand() -> None:
    assert REGIONS.may_use("use1-az2", ("us-east-1a",))
    assert REGIONS.may_use("us-east-1a", ("us-east-1a",))
    assert not REGIONS.may_use("us-east-1b", ("us-east-1a",))
    assert not REGIONS.may_use("us-east-1-atl-1", ("us-east-1a",))
    assert not REGIONS.may_use("use1-atl2-az1", ())


@given(region=st.sampled_from(REGIONS.all()), pool=st.booleans())
def test_the_subnets_of_two_zones_never_overlap(region: str, pool: bool) -> None:
    networks = [
        pool_network(region, (zone,)) if pool else training_network(region, (zone,))
        for zone in REGIONS.zones(region)
    ]
    by_zone: dict[str, set[IPv4Network]] = {}
    for network in networks:
        for subnet in network.subnets:
            by_zone.setdefault(subnet.zone, set()).add(IPv4Network(subnet.cidr))

    for zone, theirs in by_zone.items():
        others = [subnet for other, ones in by_zone.items() if other != zone for subnet in ones]
        assert not [(a, b) for a in theirs for b in others if a.overlaps(b)], zone


PRIVATE = st.builds(
    lambda number, prefix: str(IPv4Network((0x0A000000 + (number << 16), prefix), strict=False)),
    st.integers(0, 255),
    st.integers(16, 22),
)


@given(PRIVATE, st.sampled_from(REGIONS.all()), st.booleans(), st.data())
def test_a_network_of_another_block_fits_in_it(
    cidr: str, region: str, pool: bool, data: st.DataObject
) -> None:
    most = min(6, len(REGIONS.zones(region)))
    wish = NetworkSpec(cidr=cidr, zones=data.draw(st.integers(2, most)) if most > 2 else None)
    network = pool_network(region, spec=wish) if pool else training_network(region, spec=wish)

    assert cidr_fault(cidr) == ""
    assert network.cidr == cidr
    assert_subnets_fit(network)
    if pool and wish.zones:
        assert len(network.private) == wish.zones


@given(st.integers(1, 1000), st.sampled_from([1, 8, 32]), PRIVATE)
def test_there_are_addresses_for_every_interface_and_what_stands_beside(
    nodes: int, each: int, cidr: str
) -> None:
    wish = NetworkSpec(cidr=cidr)
    if training_room(wish) < nodes * each:
        with pytest.raises(ValueError, match="is too small for a subnet with"):
            training_network("us-east-1", nodes=nodes, each=each, spec=wish)
        return
    (private,) = training_network("us-east-1", nodes=nodes, each=each, spec=wish).private

    assert IPv4Network(private.cidr).num_addresses - RESERVED_ADDRESSES >= nodes * each + len(
        ENDPOINTS
    )


def test_machines_do_not_fill_a_subnet_in_which_endpoints_stand() -> None:
    wish = NetworkSpec(cidr="10.0.0.0/22", nat=False)
    (private,) = training_network("us-east-1", nodes=59, spec=wish).private

    assert IPv4Network(private.cidr).num_addresses - RESERVED_ADDRESSES >= 59 + len(ENDPOINTS)


@given(PRIVATE, st.sampled_from(REGIONS.all()), st.booleans())
def test_the_subnets_of_a_shared_network_are_apart_and_stay_where_they_are(
    cidr: str, region: str, nat: bool
) -> None:
    wish = NetworkSpec(cidr=cidr, nat=nat, shared=True)
    zones = REGIONS.zones(region)
    whole = shared_network(region, zones, spec=wish)
    blocks = [IPv4Network(subnet.cidr) for subnet in whole.subnets]

    assert all(block.subnet_of(IPv4Network(cidr)) for block in blocks)
    assert not any(
        block.overlaps(other) for index, block in enumerate(blocks) for other in blocks[:index]
    )
    for zone in zones:
        (alone,) = shared_network(region, [zone], spec=wish).private
        assert alone in whole.private
        assert shared_room(wish) + RESERVED_ADDRESSES <= IPv4Network(alone.cidr).num_addresses


@given(PRIVATE, st.integers(2, 6), st.booleans(), st.booleans())
def test_the_room_of_a_pool_is_what_its_subnets_have_left(
    cidr: str, zones: int, nat: bool, balanced: bool
) -> None:
    wish = NetworkSpec(cidr=cidr, zones=zones, nat=nat)
    network = pool_network("us-east-1", spec=wish)
    others = len(network.endpoints) + (8 if balanced else 0)
    left = [
        IPv4Network(subnet.cidr).num_addresses - RESERVED_ADDRESSES - others
        for subnet in network.private
    ]

    assert pool_room(wish, zones, balanced=balanced) == sum(max(0, count) for count in left)


@pytest.mark.parametrize(
    ("cidr", "message"),
    [
        ("10.0.0.1/16", "not a network"),
        ("10.0.300.0/24", "not a network"),
        ("10.0.0.0/8", "/16 to /22"),
        ("10.0.0.0/23", "/16 to /22"),
        ("8.8.0.0/16", "not private"),
        ("172.32.0.0/16", "not private"),
        ("100.64.0.0/16", "not private"),
        ("127.0.0.0/16", "not private"),
        ("169.254.0.0/16", "not private"),
        ("192.0.0.0/16", "not private"),
        ("172.17.0.0/16", "Docker"),
        ("172.17.64.0/20", "Docker"),
    ],
)
def test_a_block_that_will_not_do(cidr: str, message: str) -> None:
    assert message in cidr_fault(cidr)


@pytest.mark.parametrize(
    "cidr", ["10.255.0.0/16", "172.16.0.0/16", "172.31.0.0/16", "192.168.4.0/22"]
)
def test_a_private_block_will_do(cidr: str) -> None:
    assert cidr_fault(cidr) == ""


def test_without_a_way_out_nothing_is_public_and_services_are_inside() -> None:
    network = pool_network("us-east-1", spec=NetworkSpec(nat=False, flow_logs=True))

    assert network.public == ()
    assert {"ssm", "ssmmessages", "ec2messages", "ecr.api", "ecr.dkr", "logs"} <= {
        *network.endpoints
    }
    assert network.flow_logs


def test_a_region_with_fewer_zones_is_told() -> None:
    with pytest.raises(ValueError, match="are known, not 6"):
        pool_network("us-west-1", spec=NetworkSpec(zones=6))
