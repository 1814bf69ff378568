"""Spot machines of groups, pools and fleets: how AWS chooses them, and what it refuses of them."""

import pytest

from gpuinfra.model import UNKNOWN, faults_of
from tests.clouds.aws.scaling_group import GROUP, NODE_GROUP, PLACEMENT, TEMPLATE, machines, only
from tests.rules.cases import stacks
from tests.rules.cases.program import Program


@pytest.mark.parametrize("behavior", ["stop", "hibernate"])
def test_spot_that_stops_in_a_placement_group_is_a_fault(behavior):
    market = {"marketType": "spot", "spotOptions": {"instanceInterruptionBehavior": behavior}}
    program, alone = Program(), Program()
    placement = program.add(PLACEMENT, "close", strategy="cluster")
    machines(
        program,
        2,
        instanceMarketOptions=market,
        placement={"groupName": placement.out("name")},
    )
    machines(alone, 1, instanceMarketOptions=market)
    faults, others = (
        faults_of(only(program).faults, "spot-settings"),
        faults_of(only(alone).faults, "spot-settings"),
    )

    (fault,) = (fault for fault in faults if "in a placement group" in fault)
    assert behavior in fault
    assert any("is started by Auto Scaling, which requests each" in other for other in others)
    about_gpus = [
        fault for fault in (*faults, *others) if "on spot is set to hibernate, and AWS" in fault
    ]
    assert len(about_gpus) == (2 if behavior == "hibernate" else 0)


def test_a_node_group_on_spot_says_so_itself_and_not_by_its_template():
    program = Program()
    template = program.add(
        TEMPLATE, "node", instanceType="g6.xlarge", instanceMarketOptions={"marketType": "spot"}
    )
    program.add(
        NODE_GROUP,
        "workers",
        scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 0},
        launchTemplate={"id": template.id, "version": "1"},
    )
    (fault,) = faults_of(only(program).faults, "spot-settings")

    assert "capacity_type" in fault


def test_a_mixed_pool_on_spot_takes_the_lowest_price_unless_it_says_otherwise():
    share = {"onDemandPercentageAboveBaseCapacity": 0}

    assert only(stacks.mixed_pool(**share)).market.lowest_price is True
    for strategy, known in (
        ("lowest-price", True),
        ("price-capacity-optimized", False),
        (UNKNOWN, UNKNOWN),
    ):
        pool = stacks.mixed_pool(**share, spotAllocationStrategy=strategy)
        assert only(pool).market.lowest_price is known
    assert only(stacks.mixed_pool()).market.lowest_price is None


def test_a_fleet_chooses_by_price_only_between_several_types():
    wish = {"defaultTargetCapacityType": "spot", "totalTargetCapacity": 2}
    first, two = {"instanceType": "g6.xlarge"}, {"instanceType": "g5.xlarge"}

    assert only(stacks.fleet(wish, [first, two])).market.lowest_price is True
    assert only(stacks.fleet(wish, [first])).market.lowest_price is None


@pytest.mark.parametrize("market", ["spot", None])
def test_a_warm_pool_stands_beside_neither_spot_nor_a_mixed_policy(market):
    program = Program()
    options = {} if market is None else {"instanceMarketOptions": {"marketType": market}}
    machines(program, 1, {"warmPool": {"minSize": 1}}, **options)
    mixed = stacks.mixed_pool(spotAllocationStrategy="price-capacity-optimized")
    (pool,) = [handle for handle in mixed.handles.values() if handle.type == GROUP]
    mixed.change(pool, warmPool={"minSize": 1})

    assert bool(faults_of(only(program).faults, "scaling-settings")) is (market is not None)
    assert "warm pool" in faults_of(only(mixed).faults, "scaling-settings")[0]
