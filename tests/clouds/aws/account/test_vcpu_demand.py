from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.account.vcpu_demand import quota_uses
from gpuinfra.clouds.aws.account.workload_needs import machine_counts
from gpuinfra.model import UNKNOWN, GroupLifecycle, Rung
from tests.clouds.aws.account.conftest import REGION, need
from tests.rules.cases.grouped import grouped


def drawn(*needs):
    return {
        (draw.market, draw.quota and draw.quota.code): draw.vcpus for draw in quota_uses(needs)
    }


def group(purpose="inference", maximum=10):
    rung = Rung(capacity="on-demand", machine="g6.xlarge", region=REGION, zones=())
    return grouped(
        name="chat", subject="chat", purpose=purpose, cloud="aws", rungs=(rung,), maximum=maximum
    )


def spot(**more):
    return Rung(capacity="spot", machine="g6.xlarge", region=REGION, zones=(), **more)


@pytest.mark.parametrize(
    ("group_", "rung", "expected"),
    [
        (group("training"), spot(), (0, 10)),
        (group(), spot(on_demand_base=1, spot_share_above_base=Decimal(1)), (1, 9)),
        (group(), spot(on_demand_base=1, spot_share_above_base=Decimal("0.5")), (6, 5)),
        (group(), spot(on_demand_base=20, spot_share_above_base=Decimal(1)), (10, 0)),
        (group(), group().rung, (10, 0)),
        (
            group("training"),
            Rung(capacity="reserved", machine="p5.48xlarge", region=REGION, zones=()),
            (0, 0),
        ),
        (
            group("training"),
            Rung(capacity="capacity-block", machine="p5.48xlarge", region=REGION, zones=()),
            (0, 0),
        ),
        (group(maximum=UNKNOWN), spot(), (None, None)),
        (replace(group(), lifecycle=GroupLifecycle(surge=1)), group().rung, (11, 0)),
        (group("training", UNKNOWN), spot(), (0, None)),
    ],
)
def test_how_many_are_bought_which_way(group_, rung, expected):
    assert machine_counts(group_, rung) == expected


def test_two_p5_need_384_vcpus():
    assert drawn(need()) == {("on-demand", "L-417A185B"): 384}


def test_workloads_add_up_and_rungs_of_one_do_not():
    other = need(workload="second", on_demand=1)
    smaller = need(on_demand=1)

    assert drawn(need(), smaller, other) == {("on-demand", "L-417A185B"): 576}


def test_of_mixed_machines_all_may_be_the_largest():
    mixed = need(types=("g6.xlarge", "g5.2xlarge"), on_demand=3)

    assert drawn(mixed) == {("on-demand", "L-DB2E81BA"): 24}


def test_another_region_is_another_quota():
    listed = list(quota_uses((need(), need(rung={"region": "us-west-2"}))))

    assert [(draw.region, draw.vcpus) for draw in listed] == [
        ("us-east-1", 384),
        ("us-west-2", 384),
    ]


def test_what_is_not_known_is_no_number():
    assert drawn(need(types=("p5.999xlarge",))) == {("on-demand", "L-417A185B"): None}
    assert drawn(need(on_demand=None)) == {("on-demand", "L-417A185B"): None}
    assert drawn(need(on_demand=0, spot=2, types=("p6-b200.48xlarge",))) == {("spot", None): 384}
