"""The share of GPUs on spot."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.model import UNKNOWN, Rung
from tests.rules.cases.judging import findings, group, outcomes, plan

SPOT = {"capacity": "spot", "checkpoints": True}


@pytest.mark.parametrize(
    ("settings", "outcome"),
    [
        ({}, "not-applicable"),
        ({"minimum": "50%"}, "fine"),
        ({"minimum": "51%"}, "violated"),
        ({"maximum": "50%"}, "fine"),
        ({"maximum": "49%"}, "violated"),
        ({"minimum": "40%", "maximum": "60%"}, "fine"),
    ],
    ids=str,
)
def test_the_share_counts_gpus_and_not_machines(settings, outcome):
    # One p5 with 8 GPUs on spot; eight g6 with one GPU each on demand.
    serving = group("g6.xlarge", name="chat", purpose="inference", minimum=1, maximum=8)
    assert outcomes(plan(group(**SPOT), serving), "spot-share", settings) == [outcome]


def test_pools_count_at_their_maximum_above_their_base():
    pool = group(
        "g6.xlarge",
        capacity="spot",
        on_demand_base=2,
        spot_share_above_base=Decimal("0.5"),
        minimum=2,
        maximum=10,
        purpose="inference",
    )
    (finding,) = findings(plan(pool), "spot-share", {"minimum": "0%"})
    assert finding.message == "4 of 10 GPUs on spot"


def test_a_base_that_is_larger_than_the_pool_leaves_nothing_on_spot():
    pool = group("g6.xlarge", capacity="spot", on_demand_base=3, maximum=2, purpose="inference")
    (finding,) = findings(plan(pool), "spot-share", {"minimum": "0%"})
    assert finding.message == "0 of 2 GPUs on spot"


def test_of_several_types_the_largest_counts():
    mixed = group("g6.xlarge", machines=("g6.xlarge", "g6.12xlarge"), **SPOT)
    serving = group("g6.xlarge", name="chat", purpose="inference", maximum=4)
    (finding,) = findings(plan(mixed, serving), "spot-share", {"minimum": "0%"})
    assert finding.message == "4 of 8 GPUs on spot"


def test_machines_that_no_table_knows_make_the_share_not_knowable():
    judged = plan(group("t3.micro", **SPOT))
    assert outcomes(judged, "spot-share", {"minimum": "1%"}) == ["not-knowable"]
    unknown = plan(group(maximum=UNKNOWN, **SPOT))
    assert outcomes(unknown, "spot-share", {"minimum": "1%"}) == ["not-knowable"]
    assert outcomes(plan(), "spot-share", {"minimum": "1%"}) == ["not-applicable"]


def test_a_pool_of_several_machines_counts_as_its_largest():
    # g6.48xlarge has 8 GPUs, g6.xlarge has one.
    pool = group(
        "g6.xlarge",
        machines=("g6.xlarge", "g6.48xlarge"),
        capacity="spot",
        purpose="inference",
        maximum=2,
    )
    (finding,) = findings(plan(pool), "spot-share", {"minimum": "0%"})
    assert finding.message == "16 of 16 GPUs on spot"


def test_the_share_is_not_known_of_the_whole_where_one_group_is_not():
    judged = plan(group(), group("p9.48xlarge", name="odd"))
    settings = {"minimum": "50%", "workloads": {"odd": {"level": "disabled"}}}
    (finding,) = findings(judged, "spot-share", settings)
    assert (finding.subject, finding.outcome) == (judged.name, "not-knowable")
    assert finding.message == "odd: the number of GPUs of p9.48xlarge is unknown"
    assert finding.refuses


def test_an_on_demand_base_of_all_leaves_nothing_on_spot():
    pool = group(
        "g6.xlarge", purpose="inference", capacity="spot", on_demand_base=4, minimum=2, maximum=3
    )
    (finding,) = findings(plan(pool), "spot-share", {"minimum": "0%"})
    assert finding.message == "0 of 3 GPUs on spot"


def test_the_rung_that_stands_is_judged_and_no_other():
    first = Rung(capacity="spot", machine="p5.48xlarge", region="us-east-1", zones=())
    second = Rung(capacity="on-demand", machine="p5.48xlarge", region="us-east-1", zones=())
    built = group()
    for standing, share in ((0, "8 of 8"), (1, "0 of 8")):
        judged = plan(replace(built, rungs=(first, second), active_rung=standing))
        (finding,) = findings(judged, "spot-share", {"minimum": "0%"})
        assert finding.message.startswith(share)
