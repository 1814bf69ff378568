"""How a fleet chooses among spot machines."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.stacks import mixed_pool


@pytest.mark.parametrize("strategy", [None, "lowest-price"])
def test_the_lowest_price_alone_is_advised_against(strategy):
    shares = {"onDemandPercentageAboveBaseCapacity": 0}
    pool = mixed_pool(**shares, **({"spotAllocationStrategy": strategy} if strategy else {}))
    (finding,) = findings(of_resources(pool.resources()), "spot-allocation")

    assert finding.outcome == "violated"
    assert not finding.refuses


def test_price_and_capacity_together_are_fine():
    pool = mixed_pool(
        onDemandPercentageAboveBaseCapacity=0, spotAllocationStrategy="price-capacity-optimized"
    )

    assert outcomes(of_resources(pool.resources()), "spot-allocation") == ["fine"]


@pytest.mark.parametrize(
    ("lowest_price", "outcome"),
    [
        (False, "fine"),
        (True, "violated"),
        (UNKNOWN, "not-knowable"),
        (None, "not-applicable"),
    ],
)
def test_a_group_is_judged_by_its_allocation_strategy(lowest_price, outcome):
    judged = plan(group(capacity="spot", lowest_price=lowest_price))
    assert outcomes(judged, "spot-allocation") == [outcome]
