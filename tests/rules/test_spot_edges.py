"""What is on the edge of spot rules: shares, bases, intervals, and the numbers in their fixes."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Group
from gpuinfra.rules.spot_machines import required_purchase_modes
from tests.rules.cases.judging import findings, group, plan

SPOT, ON_DEMAND = ("spot",), ("on-demand",)


@pytest.mark.parametrize(
    ("capacity", "base", "share", "modes"),
    [
        ("spot", 0, "0", (SPOT,)),
        ("spot", 0, "1", (SPOT,)),
        ("spot", 0, "0.5", (SPOT, ON_DEMAND)),
        ("spot", 1, "1", (SPOT, ON_DEMAND)),
        ("spot", 1, "0", (SPOT, ON_DEMAND)),
        ("on-demand", 0, "0.5", (ON_DEMAND,)),
        ("reserved", 0, "0", (ON_DEMAND,)),
    ],
)
def test_a_pool_of_both_kinds_needs_both_ways_to_buy(
    capacity: str, base: int, share: str, modes: tuple[tuple[str, ...], ...]
) -> None:
    judged = group(capacity=capacity, on_demand_base=base, spot_share_above_base=Decimal(share))

    assert required_purchase_modes(judged) == modes


RUN = group(capacity="spot", hours=Decimal(72), checkpoints=False)
BUCKET_FIX = (
    "add to training.trainer: checkpoints: {bucket: checkpoints, every: 10m}; "
    "add to the file: buckets: {checkpoints: {size: 1TB}}; "
    "or train on demand: capacity: on-demand"
)


def checkpoints_fix(judged: Group, *, from_file: bool = True) -> str:
    (finding,) = findings(plan(judged, from_file=from_file), "spot-checkpoints")
    return finding.fix


@pytest.mark.parametrize(
    ("hours", "is_named"),
    [(None, True), (Decimal(1) / 6, True), (Decimal("0.16"), False), (Decimal("0.2"), True)],
)
def test_an_interval_is_named_where_the_run_is_as_long(
    hours: Decimal | None, is_named: bool
) -> None:
    fix = checkpoints_fix(replace(RUN, needs=replace(RUN.needs, hours=hours)))

    assert ("every: 10m" in fix) == is_named


def test_the_keys_are_named_for_a_file_that_lacks_them_alone() -> None:
    assert checkpoints_fix(RUN) == BUCKET_FIX
    assert "buckets:" not in checkpoints_fix(RUN, from_file=False)
    assert not checkpoints_fix(replace(RUN, needs=replace(RUN.needs, checkpoints=True)))
    assert not checkpoints_fix(
        replace(RUN, needs=replace(RUN.needs, checkpoints=True)), from_file=False
    )


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
