"""A pool on spot keeps machines that are not taken back."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import findings, group, outcomes, plan

SPOT = {"capacity": "spot", "checkpoints": True}


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


SCALES = ", and, since its autoscaler uses metrics of the spot machines, set replicas: {}..{}"


@pytest.mark.parametrize(
    ("sizes", "scales"),
    [
        ((0, 4), SCALES.format(2, 4)),
        ((1, 2), SCALES.format(2, 2)),
        ((2, 4), ""),
        ((0, 1), ""),
        ((1, 1), ""),
        ((UNKNOWN, 4), ""),
        ((0, UNKNOWN), ""),
    ],
)
def test_a_pool_whose_autoscaler_measures_spot_machines_needs_a_larger_minimum(
    sizes: tuple[Any, Any], scales: str
) -> None:
    least, most = sizes
    pool = group(
        "a2-highgpu-1g",
        purpose="inference",
        cloud="gcp",
        capacity="spot",
        region="us-central1",
        spot_share_above_base=Decimal(1),
        minimum=least,
        maximum=most,
    )

    (finding,) = findings(plan(pool, from_file=True), "spot-only-pool", {"on_demand_base": 1})

    keys = "keep machines on demand: capacity: {on_demand_base: 1, above: spot}"
    assert (finding.outcome, finding.fix) == ("violated", f"{keys}{scales}")
