from decimal import Decimal

import pytest

from gpuinfra.model import UNKNOWN
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


@pytest.mark.parametrize(
    ("checkpoints", "outcome"), [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable")]
)
def test_training_on_spot_writes_checkpoints(checkpoints, outcome):
    judged = plan(group(capacity="spot", checkpoints=checkpoints))
    assert outcomes(judged, "spot-checkpoints") == [outcome]
    assert outcomes(judged, "spot-interruptible") == ["not-applicable"]


def test_training_on_demand_needs_none():
    assert outcomes(plan(group(checkpoints=False)), "spot-checkpoints") == ["not-applicable"]


@pytest.mark.parametrize(
    ("base", "share", "minimum", "settings", "outcome", "stay"),
    [
        (0, 1, 1, None, "violated", 0),
        (1, 1, 1, None, "fine", 1),
        (1, 1, 1, {"on_demand_base": 2}, "violated", 1),
        (2, 1, 0, {"on_demand_base": 2}, "fine", 2),
        (0, "0.5", 1, None, "violated", 0),
        (0, "0.5", 2, None, "fine", 1),
        (0, "0.5", UNKNOWN, None, "violated", 0),
        (1, 1, UNKNOWN, None, "fine", 1),
        (0, 1, 1, {"on_demand_base": 0}, "fine", 0),
    ],
)
def test_a_pool_on_spot_keeps_machines_that_stay(base, share, minimum, settings, outcome, stay):
    pool = group(
        purpose="inference",
        capacity="spot",
        on_demand_base=base,
        spot_share_above_base=Decimal(share),
        minimum=minimum,
        maximum=4,
        interruptible=True,
    )
    (finding,) = findings(plan(pool), "spot-only-pool", settings)
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    assert finding.message.startswith(f"{stay} ")
    assert outcomes(plan(pool), "spot-interruptible") == ["not-applicable"]


def test_a_pool_on_demand_and_training_on_spot_are_no_pools_on_spot():
    pool = group(purpose="inference", name="chat", maximum=4)
    judged = plan(pool, group(**SPOT), group(purpose="unknown", **SPOT))
    (finding,) = findings(judged, "spot-only-pool")
    assert (finding.outcome, finding.subject) == ("not-applicable", "shop")


@pytest.mark.parametrize(
    ("interruptible", "outcome"), [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable")]
)
def test_work_of_unknown_purpose_is_judged_by_what_is_said(interruptible, outcome):
    judged = plan(group(purpose="unknown", capacity="spot", interruptible=interruptible))
    assert outcomes(judged, "spot-interruptible") == [outcome]
    assert outcomes(judged, "spot-checkpoints") == ["not-applicable"]
    stays = group(
        purpose="unknown", capacity="spot", on_demand_base=1, interruptible=interruptible
    )
    (finding,) = findings(plan(stays), "spot-interruptible")
    assert (finding.outcome, finding.message) == (
        "fine",
        "1 of its machines can run without spot capacity",
    )
    assert outcomes(plan(group(purpose="unknown")), "spot-interruptible") == ["not-applicable"]


@pytest.mark.parametrize(
    ("machine", "outcome"),
    [("p5.48xlarge", "fine"), ("g6e.48xlarge", "violated"), ("p9.48xlarge", "not-knowable")],
)
def test_nvlink_where_it_is_asked_for(machine, outcome):
    assert outcomes(plan(group(machine, nvlink_wish=True)), "nvlink") == [outcome]
    assert outcomes(plan(group(machine)), "nvlink") == ["not-applicable"]


@pytest.mark.parametrize(
    ("machine", "outcome"),
    [("Standard_NC48ads_A100_v4", "fine"), ("Standard_NC96ads_A100_v4", "violated")],
)
def test_nvlink_has_to_join_all_gpus_of_the_machine(machine, outcome):
    (finding,) = findings(plan(group(machine, cloud="azure", nvlink_wish=True)), "nvlink")

    assert finding.outcome == outcome
    if outcome == "violated":
        assert "only in groups of 2" in finding.message
