"""Training on spot writes checkpoints."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.model import UNKNOWN, Group
from tests.rules.cases.judging import findings, group, outcomes, plan


@pytest.mark.parametrize(
    ("checkpoints", "outcome"), [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable")]
)
def test_training_on_spot_writes_checkpoints(checkpoints, outcome):
    judged = plan(group(capacity="spot", checkpoints=checkpoints))
    assert outcomes(judged, "spot-checkpoints") == [outcome]
    assert outcomes(judged, "spot-interruptible") == ["not-applicable"]


def test_training_on_demand_needs_none():
    assert outcomes(plan(group(checkpoints=False)), "spot-checkpoints") == ["not-applicable"]


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
